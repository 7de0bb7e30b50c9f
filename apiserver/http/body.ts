import type { Readable } from 'node:stream';
import { badRequest, tooLarge } from '../../apimachinery/errors/status.js';

const none = Buffer.alloc(0);

/** Returns the 400 for a body that ends before its length. as io.ErrUnexpectedEOF */
export const cutOff = () => badRequest('unexpected EOF');

/** Number of pieces after which they are joined: a client may send a body byte by byte, and each piece holds the buffer that it was read into. */
const maxPieces = 256;

/** Collects a request body. hot: most bodies come in one chunk, and are complete once they have the length of Content-Length. */
export class WholeBody {
  readonly promise: Promise<Buffer>;
  readonly #declared: number | undefined;
  readonly #limit: number;
  #chunks: Buffer[] | undefined = [];
  #size = 0;
  /** The number of leading chunks that are joined pieces. */
  #joined = 0;
  #resolve: (body: Buffer) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  /** The promise rejects with 413 as soon as there are more than `limit` bytes; the transport handles the rest. */
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
    if (this.#chunks.length - this.#joined >= maxPieces) this.#join(this.#chunks);
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

  /** Rejects the promise because the client is gone. */
  breakOff(): void {
    if (this.#chunks) this.#fail(cutOff());
  }

  #fail(error: Error): void {
    if (!this.#chunks) return;
    this.#chunks = undefined;
    this.#reject(error);
  }
}

/** Pieces of a body after which the next ones wait for a later turn of the event loop: one read of the socket may bring ten thousand. */
const maxPiecesOfTurn = 1024;

function rest(source: Readable): void {
  source.pause();
  setImmediate(() => source.resume());
}

/** Reads a request body to its end. */
export function readBody(source: Readable, declared: number | undefined, limit: number): Promise<Buffer> {
  const body = new WholeBody(declared, limit);
  if (body.isOver) return body.promise;
  if (source.destroyed) body.breakOff();
  const onGone = () => body.breakOff();
  let pieces = 0;
  // Further chunks are read and dropped, so that the stream reaches its end.
  source
    .on('data', (chunk: Buffer) => {
      body.push(chunk);
      if (++pieces % maxPiecesOfTurn === 0) rest(source);
    })
    .on('end', () => body.end())
    .on('error', onGone)
    .on('close', onGone);
  return body.promise;
}

/** Returns a request body as it arrives. A reader that stops early leaves the stream open, since its socket may carry the answer. */
export function streamBody(source: Readable): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer> };
}

/** Returns the value of a Content-Length header; undefined when it is missing or no number. */
export function declaredLength(header: string | undefined): number | undefined {
  return header === undefined || !/^\d+$/.test(header) ? undefined : Number(header);
}

/** Reports whether an answer with this status has a body. Without a body it must not have a Content-Length. */
export const carriesBody = (status: number): boolean => status !== 204 && status !== 304;
