import type { Readable } from 'node:stream';
import { badRequest, tooLarge } from '../../apimachinery/errors/status.js';

const none = Buffer.alloc(0);
export const cutOff = () => badRequest('unexpected EOF');

/** Pieces after which they are joined: a client may send a body byte by byte, and each piece holds the buffer that it was read into. */
const mostPieces = 256;

/** A request body that is put together. hot: most come in one chunk, which is all of them once it has the length that was announced. */
export class WholeBody {
  readonly promise: Promise<Buffer>;
  readonly #declared: number | undefined;
  readonly #limit: number;
  #chunks: Buffer[] | undefined = [];
  #size = 0;
  /** How many of the chunks, from the first on, were joined from pieces. */
  #joined = 0;
  #resolve: (body: Buffer) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  /** More than `limit` bytes: 413 at once, the rest is left to the transport. */
  constructor(declared: number | undefined, limit: number) {
    this.#declared = declared;
    this.#limit = limit;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (declared === 0) this.end();
    else if (declared !== undefined && declared > limit) this.#fail(tooLarge(`limit is ${limit}`));
  }

  get isOver(): boolean {
    return this.#chunks === undefined;
  }

  push(chunk: Buffer): void {
    if (!this.#chunks) return;
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    if (this.#chunks.length - this.#joined >= mostPieces) this.#join(this.#chunks);
    if (this.#size > this.#limit) this.#fail(tooLarge(`limit is ${this.#limit}`));
    else if (this.#size === this.#declared) this.end();
  }

  #join(chunks: Buffer[]): void {
    chunks.push(Buffer.concat(chunks.splice(this.#joined)));
    this.#joined++;
  }

  end(): void {
    const chunks = this.#chunks;
    if (!chunks) return;
    this.#chunks = undefined;
    this.#resolve(chunks.length === 1 ? (chunks[0] ?? none) : Buffer.concat(chunks, this.#size));
  }

  /** The client is gone. */
  breakOff(): void {
    if (this.#chunks) this.#fail(cutOff());
  }

  #fail(error: Error): void {
    if (!this.#chunks) return;
    this.#chunks = undefined;
    this.#reject(error);
  }
}

/** Reads a request body to its end. */
export function readBody(source: Readable, declared: number | undefined, limit: number): Promise<Buffer> {
  const body = new WholeBody(declared, limit);
  if (body.isOver) return body.promise;
  if (source.destroyed) body.breakOff();
  const onGone = () => body.breakOff();
  // What follows is read, too, and left: the stream must come to its end.
  source
    .on('data', (chunk: Buffer) => body.push(chunk))
    .on('end', () => body.end())
    .on('error', onGone)
    .on('close', onGone);
  return body.promise;
}

/** A request body as it comes. Whoever stops reading leaves the stream open: it may carry the answer. */
export function streamBody(source: Readable): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer> };
}

/** The value of a Content-Length header. */
export function declaredLength(header: string | undefined): number | undefined {
  return header === undefined || !/^\d+$/.test(header) ? undefined : Number(header);
}

/** Answers of which nothing comes but their head: a length would be one of something else. */
export const carriesBody = (status: number): boolean => status !== 204 && status !== 304;
