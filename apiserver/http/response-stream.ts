import type { Writable } from 'node:stream';
import type { ResponseStream } from '../interface.js';

type Corked = Pick<
  Writable,
  'write' | 'end' | 'destroy' | 'cork' | 'uncork' | 'on' | 'destroyed' | 'writableNeedDrain'
>;

/** Milliseconds after which a client that takes nothing of what waits for it is cut off. */
export const stallTimeout = 60_000;

const flush = (stream: WritableResponse) => stream.uncork();

/** hot: one per watch. Writes made in one turn of the event loop are corked together and leave as one. */
export class WritableResponse implements ResponseStream {
  readonly #to: Corked;
  readonly #patience: number;
  #corked = false;
  #closed = false;
  /** One slot: whoever waits for the client to catch up. */
  #waiting: (() => void) | undefined;

  constructor(to: Corked, patience = stallTimeout) {
    this.#to = to;
    this.#patience = patience;
    to.on('drain', () => this.#wake());
    to.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
    to.on('error', () => undefined); // a client that went away; 'close' follows
  }

  get closed(): boolean {
    return this.#closed || this.#to.destroyed;
  }

  write(chunk: Buffer): boolean {
    if (this.closed) return true;
    if (!this.#corked) {
      this.#corked = true;
      this.#to.cork();
      process.nextTick(flush, this);
    }
    return this.#to.write(chunk);
  }

  uncork(): void {
    if (!this.#corked) return;
    this.#corked = false;
    this.#to.uncork();
  }

  drained(): Promise<void> {
    this.uncork();
    if (this.closed || !this.#to.writableNeedDrain) return Promise.resolve();
    return new Promise(resolve => {
      const timer = setTimeout(() => this.#to.destroy(new Error('the client does not read')), this.#patience);
      timer.unref();
      this.#waiting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  end(): void {
    this.uncork();
    if (!this.closed) this.#to.end();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }
}

const chunkSize = 64 * 1024;

/** Writes a large buffer in pieces, at the pace of the client. */
export async function writeInPieces(stream: ResponseStream, body: Buffer): Promise<void> {
  for (let at = 0; at < body.length && !stream.closed; at += chunkSize)
    if (!stream.write(body.subarray(at, at + chunkSize))) await stream.drained();
  stream.end();
}

/** Bodies up to this size leave in one piece. */
export const onePiece = 256 * 1024;
