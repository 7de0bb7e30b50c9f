import type { ResponseStream } from '../interface.js';
import { DrainSlot } from './drain-slot.js';

/** The part of Writable that is used. */
export interface Target {
  write(chunk: Buffer): boolean;
  end(): unknown;
  destroy(error?: Error): unknown;
  on(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
  readonly destroyed: boolean;
  readonly writableNeedDrain: boolean;
}

/** Milliseconds after which a client that does not read any of its pending data is disconnected. */
export const stallTimeout = 60_000;

let lastChunks: readonly Buffer[] | undefined;
let lastJoined = Buffer.alloc(0);

/** Returns the chunks in one buffer. hot: a copy costs less than a write of each; the next client that gets the same list gets the same copy. */
export function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  if (chunks.length === 1 && first) return first;
  if (chunks !== lastChunks) {
    lastChunks = chunks;
    lastJoined = Buffer.concat(chunks);
  }
  return lastJoined;
}

/** hot: one per watch. A body that is written to a Writable. */
export class WritableResponse implements ResponseStream {
  readonly #target: Target;
  readonly #stallTimeoutMs: number;
  readonly #slot = new DrainSlot();
  #closed = false;

  constructor(target: Target, stallTimeoutMs = stallTimeout) {
    this.#target = target;
    this.#stallTimeoutMs = stallTimeoutMs;
    target.on('drain', () => this.#slot.wake());
    target.on('close', () => {
      this.#closed = true;
      this.#slot.wake();
    });
    target.on('error', () => undefined); // The client has disconnected; 'close' follows.
  }

  get closed(): boolean {
    return this.#closed || this.#target.destroyed;
  }

  /** Writes a chunk. A target that is destroyed but not closed yet drops it. */
  write(chunk: Buffer): boolean {
    return this.#closed || this.#target.write(chunk);
  }

  writeAll(chunks: readonly Buffer[]): boolean {
    return chunks.length === 0 || this.write(joined(chunks));
  }

  drained(): Promise<void> {
    if (this.closed || !this.#target.writableNeedDrain) return Promise.resolve();
    return this.#slot.wait(this.#stallTimeoutMs, () => this.#target.destroy(new Error('the client does not read')));
  }

  end(): void {
    if (!this.closed) this.#target.end();
  }
}
