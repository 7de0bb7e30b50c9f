/** Milliseconds between two releases of buffers that were not used in the meantime. */
const defaultIntervalMs = 5000;

interface BufferPoolOptions {
  /** The largest number of unused buffers in the pool. */
  readonly max: number;
  /** Milliseconds after which a buffer that was not used is released. */
  readonly intervalMs?: number;
}

/**
 * A pool of buffers of one size. A buffer has one owner: the caller of `take`, until it calls `release`. The next owner may serve another user, so
 * a buffer that is released while something still reads it shows one user's bytes to another. A buffer that was not used for a whole interval is
 * given up: it was allocated under load, and may prevent the allocator from returning the memory around it to the system.
 */
export class BufferPool<B> {
  readonly #make: () => B;
  readonly #max: number;
  readonly #intervalMs: number;
  readonly #spare: B[] = [];
  /** The smallest size of the pool in this interval, which is the number of buffers that were not used. */
  #unused = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(make: () => B, { max, intervalMs = defaultIntervalMs }: BufferPoolOptions) {
    this.#make = make;
    this.#max = max;
    this.#intervalMs = intervalMs;
  }

  /** The number of buffers in the pool. */
  get size(): number {
    return this.#spare.length;
  }

  /** hot: returns a buffer of the pool, or a new one. Its bytes are those of its last use. */
  take(): B {
    const found = this.#spare.pop();
    if (this.#spare.length < this.#unused) this.#unused = this.#spare.length;
    return found ?? this.#make();
  }

  /** hot: gives a buffer back, once at most. Nothing may read or write it, or a part of it, afterwards. */
  release(buffer: B): void {
    if (this.#spare.length >= this.#max) return;
    this.#spare.push(buffer);
    this.#timer ??= setTimeout(() => this.#trim(), this.#intervalMs).unref();
  }

  #trim(): void {
    this.#spare.splice(0, this.#unused);
    this.#unused = this.#spare.length;
    this.#timer = this.#unused === 0 ? undefined : setTimeout(() => this.#trim(), this.#intervalMs).unref();
  }
}
