import type { Endpoint } from '../../aggregation/interface.js';
import { type Answer, answerReader } from './answer-reader.js';
import { openSocket } from './socket.js';

/** A connection that is kept. */
export interface Http1 {
  /** One at a time. Rejects when the answer is no success, or the connection ends. */
  ask(request: Buffer): Promise<Answer>;
  /** For an answer without end: resolves when it has begun, rejects when it is no success. */
  follow(request: Buffer): Promise<void>;
  close(): void;
}

/** `body`: hears the parts of bodies. */
export async function openHttp1(endpoint: Endpoint, body?: (part: Buffer) => void): Promise<Http1> {
  const socket = await openSocket(endpoint, 'http/1.1');
  let waiting: { begun?(): void; resolve?(answer: Answer): void; reject(error: Error): void } | undefined;
  const fail = (error: Error): void => waiting?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
  const answer = (given: Answer): void => {
    const asked = waiting;
    waiting = undefined;
    if (given.status < 300) asked?.resolve?.(given);
    else asked?.reject(new Error(`${given.status} ${given.refusal}`));
  };
  const status = (code: number): void => void (code < 300 && waiting?.begun?.());
  socket.on('data', answerReader({ status, answer, ...(body && { body }) }));
  return {
    ask: request =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    follow: request =>
      new Promise((begun, reject) => {
        waiting = { begun, reject };
        socket.write(request);
      }),
    close() {
      waiting = undefined;
      socket.destroy();
    },
  };
}
