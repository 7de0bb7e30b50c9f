import type { ResponseStream } from '../interface.js';
import { DrainSlot } from './drain-slot.js';

/** What of a Writable is used. */
export interface Target {
  write(chunk: Buffer): boolean;
  end(): unknown;
  destroy(error?: Error): unknown;
  on(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
  readonly destroyed: boolean;
  readonly writableNeedDrain: boolean;
}

/** Milliseconds after which a client that takes nothing of what waits for it is cut off. */
export const stallTimeout = 60_000;

let lastChunks: readonly Buffer[] | undefined;
let lastJoined = Buffer.alloc(0);

/** hot: a copy costs less than a write for each; the next one who writes the same list gets the same copy. */
export function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  if (chunks.length === 1 && first) return first;
  if (chunks !== lastChunks) {
    lastChunks = chunks;
    lastJoined = Buffer.concat(chunks);
  }
  return lastJoined;
}

/** hot: one per watch. */
export class WritableResponse implements ResponseStream {
  readonly #to: Target;
  readonly #patience: number;
  readonly #slot = new DrainSlot();
  #closed = false;

  constructor(to: Target, patience = stallTimeout) {
    this.#to = to;
    this.#patience = patience;
    to.on('drain', () => this.#slot.wake());
    to.on('close', () => {
      this.#closed = true;
      this.#slot.wake();
    });
    to.on('error', () => undefined); // a client that went away; 'close' follows
  }

  get closed(): boolean {
    return this.#closed || this.#to.destroyed;
  }

  /** What is destroyed, and not closed yet, takes it and drops it. */
  write(chunk: Buffer): boolean {
    return this.#closed || this.#to.write(chunk);
  }

  writeAll(chunks: readonly Buffer[]): boolean {
    return chunks.length === 0 || this.write(joined(chunks));
  }

  drained(): Promise<void> {
    if (this.closed || !this.#to.writableNeedDrain) return Promise.resolve();
    return this.#slot.wait(this.#patience, () => this.#to.destroy(new Error('the client does not read')));
  }

  end(): void {
    if (!this.closed) this.#to.end();
  }
}
