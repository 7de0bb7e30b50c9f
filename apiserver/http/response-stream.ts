import type { ResponseStream } from '../interface.js';
import type { ChunkCopies } from './chunk-copies.js';
import { DrainSlot } from './drain-slot.js';

/** The part of a Writable that a response uses. */
export interface ByteSink {
  write(chunk: Buffer): boolean;
  end(): unknown;
  destroy(error?: Error): unknown;
  on(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
  readonly destroyed: boolean;
  readonly writableNeedDrain: boolean;
  /** Bytes that were written and not sent. */
  readonly writableLength: number;
}

/** Milliseconds after which a client that does not read any of its pending data is disconnected. */
export const defaultStallTimeoutMs = 60_000;

/** hot: the body of a response over HTTP/1.1. The target refers to chunks until the socket has sent them. */
export class WritableResponse implements ResponseStream {
  readonly #target: ByteSink;
  readonly #copies: ChunkCopies;
  readonly #stallTimeoutMs: number;
  readonly #slot = new DrainSlot();
  #closed = false;

  constructor(target: ByteSink, copies: ChunkCopies, stallTimeoutMs = defaultStallTimeoutMs) {
    this.#target = target;
    this.#copies = copies;
    this.#stallTimeoutMs = stallTimeoutMs;
    target.on('drain', () => this.#slot.wake(this.#isFree));
    target.on('close', () => {
      this.#closed = true;
      this.#slot.wake(false);
    });
    target.on('error', () => undefined); // The client is gone, and 'close' follows.
  }

  get closed(): boolean {
    return this.#closed || this.#target.destroyed;
  }

  /** Chunks on their way to a client that is gone may still be read. */
  get #isFree(): boolean {
    return !this.closed && this.#target.writableLength === 0;
  }

  /** Writes as in ResponseStream. A target that is destroyed, and not closed yet, drops the chunk. */
  write(chunk: Buffer): boolean {
    return this.#closed || this.#target.write(chunk);
  }

  writeAll(chunks: readonly Buffer[]): boolean {
    return chunks.length === 0 || this.write(this.#copies.joined(chunks));
  }

  drained(): Promise<boolean> {
    if (this.closed || !this.#target.writableNeedDrain) return Promise.resolve(this.#isFree);
    return this.#slot.wait(this.#stallTimeoutMs, () => this.#target.destroy(new Error('the client does not read')));
  }

  end(): void {
    if (!this.closed) this.#target.end();
  }
}
