/** Sends a request through a pool, and reads its answer with limits on bytes and time. */
import type { IncomingHttpHeaders } from 'node:http';
import { ExpectedError } from '../../lib/logging/cause.js';
import { type BodyLimit, bodyLimitFault, lateAnswer } from './body-limit.js';
import { ByteCollector } from './byte-collector.js';
import { limitInformational } from './informational.js';
import type { AnswerHandler, Pool, PoolRequest, RequestController } from './transport/pool.js';

/** Bytes that wait for a reader, above which no more is received. */
const maxPending = 64 * 1024;
/** Pieces of a body after which the next ones wait for a later turn of the event loop: a server may send a body byte by byte. */
const maxPieces = 512;
/** Bytes of an unwanted body that are read, so that its connection can be used again. as undici BodyReadable.dump */
const maxUnwanted = 128 * 1024;

/** hot: the answer to one request. Its body has one reader. A body that exceeds its limits is cut off while it arrives. */
export class Answer implements AnswerHandler {
  status = 0;
  headers: IncomingHttpHeaders = {};
  readonly #started: (answer: Answer) => void;
  readonly #failed: (error: Error) => void;
  readonly #onInformational = limitInformational();
  readonly #signal: AbortSignal | undefined;
  #controller: RequestController | undefined;
  /** What has arrived and was not read. */
  #pending = new ByteCollector();
  #length = 0;
  #limit: BodyLimit | undefined;
  /** Ends the request at the deadline, also when nothing arrives that is passed on. */
  #clock: NodeJS.Timeout | undefined;
  #isWhole = false;
  #isPaused = false;
  /** Pieces since the last rest. */
  #pieces = 0;
  /** Whether nothing more is received in this turn of the event loop. */
  #isResting = false;
  #isOver = false;
  #error: Error | undefined;
  #wake: () => void = () => undefined;

  /** Calls either `started` or `failed`, and later failures are those of the body. */
  constructor(started: (answer: Answer) => void, failed: (error: Error) => void, signal: AbortSignal | undefined) {
    this.#started = started;
    this.#failed = failed;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller?.abort(this.#signal?.reason as Error);

  onRequestStart(controller: RequestController): void {
    this.#controller = controller;
    if (this.#signal?.aborted) this.#abort();
  }

  onResponseStart(controller: RequestController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return this.#onInformational();
    this.#controller = controller;
    this.status = status;
    this.headers = headers;
    this.#started(this);
  }

  onResponseData(controller: RequestController, chunk: Buffer): void {
    this.#length += chunk.length;
    const fault = this.#limit && bodyLimitFault(this.#limit, this.#length);
    if (fault) return controller.abort(fault);
    this.#pending.append(chunk);
    if (++this.#pieces >= maxPieces) this.#rest(controller);
    if (this.#isWhole) return;
    if (this.#isFull) this.#pause(controller);
    this.#wake();
  }

  get #isFull(): boolean {
    return !this.#isWhole && this.#pending.length >= maxPending;
  }

  #pause(controller: RequestController): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    controller.pause();
  }

  #rest(controller: RequestController): void {
    this.#pieces = 0;
    if (this.#isResting) return;
    this.#isResting = true;
    this.#pause(controller);
    setImmediate(() => {
      this.#isResting = false;
      if (!this.#isOver && !this.#isFull) this.#resume();
    });
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: RequestController, error: Error): void {
    this.#error = error;
    this.#end();
    if (this.status === 0) this.#failed(error);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#clock);
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#wake();
  }

  #resume(): void {
    if (!this.#isPaused || this.#isResting) return;
    this.#isPaused = false;
    this.#controller?.resume();
  }

  /** Returns the whole body. Rejects with BadAnswer when it exceeds its limits. */
  whole(limit: BodyLimit): Promise<Buffer> {
    this.#setLimit(limit);
    this.#isWhole = true;
    return new Promise((resolve, reject) => {
      this.#wake = () => {
        if (this.#error) reject(this.#error);
        else if (this.#isOver) resolve(this.#pending.take());
      };
      this.#resume();
      this.#wake();
    });
  }

  /** Yields the body as it arrives, as fast as it is read. Throws as `whole` rejects. The request ends with the loop. */
  async *chunks(limit?: BodyLimit): AsyncGenerator<Buffer, void> {
    if (limit) this.#setLimit(limit);
    try {
      for (;;) {
        if (this.#pending.length > 0) {
          const chunk = this.#pending.take();
          this.#resume();
          yield chunk;
        } else if (this.#error) throw this.#error;
        else if (this.#isOver) return;
        else await new Promise<void>(resolve => (this.#wake = resolve));
      }
    } finally {
      this.abort(new ExpectedError('the answer was not read to its end'));
    }
  }

  /** Ends the request, unless the answer is complete. */
  abort(reason: Error): void {
    if (!this.#isOver) this.#controller?.abort(reason);
  }

  /** Reads an unwanted body, or breaks it off if it is long. */
  async discard(): Promise<void> {
    let length = 0;
    for await (const chunk of this.chunks()) if ((length += chunk.length) > maxUnwanted) return;
  }

  /** Sets the limit of the body, of which a part may have arrived already. */
  #setLimit(limit: BodyLimit): void {
    this.#limit = limit;
    const fault = bodyLimitFault(limit, this.#length);
    if (fault) return this.abort(fault);
    const { deadline, request } = limit;
    if (this.#isOver || deadline === Infinity) return;
    clearTimeout(this.#clock);
    this.#clock = setTimeout(() => this.abort(lateAnswer(request)), Math.ceil(deadline - performance.now()));
  }
}

/** hot: sends a request. Resolves with the head of its answer for every status code. */
export const send = (pool: Pool, request: PoolRequest, signal?: AbortSignal): Promise<Answer> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    pool.dispatch(request, new Answer(resolve, reject, signal));
  });
