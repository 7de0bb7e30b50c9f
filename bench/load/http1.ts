import type { Endpoint } from '../../aggregation/interface.js';
import { type Answer, answerReader } from './answer-reader.js';
import { openSocket } from './socket.js';

/** A persistent connection. */
interface Http1 {
  /** Sends a request, one at a time. Rejects if the answer is an error or the connection ends. */
  send(request: Buffer): Promise<Answer>;
  /** Sends a request with an endless answer. Resolves when the answer has begun; rejects if it is an error. */
  follow(request: Buffer): Promise<void>;
  close(): void;
}

/** Opens a connection. `body` gets the parts of bodies. */
export async function openHttp1(endpoint: Endpoint, body?: (part: Buffer) => void): Promise<Http1> {
  const socket = await openSocket(endpoint, 'http/1.1');
  let waiting: { begun?(): void; resolve?(answer: Answer): void; reject(error: Error): void } | undefined;
  const fail = (error: Error): void => waiting?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
  const answer = (given: Answer): void => {
    const pending = waiting;
    waiting = undefined;
    if (given.status < 300) pending?.resolve?.(given);
    else pending?.reject(new Error(`${given.status} ${given.refusal}`));
  };
  const status = (code: number): void => void (code < 300 && waiting?.begun?.());
  socket.on('data', answerReader({ status, answer, ...(body && { body }) }));
  return {
    send: request =>
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
