/** Milliseconds between two looks for buffers that were not needed in the meantime. */
const defaultIntervalMs = 5000;

export interface BufferPoolOptions {
  /** The most buffers that are kept. */
  readonly max: number;
  /** Milliseconds after which a buffer that was not needed is let go. */
  readonly intervalMs?: number;
}

/**
 * Keeps buffers of one size for their next use. A buffer that nothing needed for a whole interval is let go: it was made while much was under
 * way, and lies among memory that the allocator could give back to the system.
 */
export class BufferPool<B> {
  readonly #make: () => B;
  readonly #max: number;
  readonly #intervalMs: number;
  readonly #spare: B[] = [];
  /** The smallest size of the pool in this interval: nothing needed these buffers. */
  #unused = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(make: () => B, { max, intervalMs = defaultIntervalMs }: BufferPoolOptions) {
    this.#make = make;
    this.#max = max;
    this.#intervalMs = intervalMs;
  }

  /** The number of buffers that are kept now. */
  get size(): number {
    return this.#spare.length;
  }

  /** hot: returns a kept buffer, or a new one. Its bytes are those of its last use. */
  take(): B {
    const found = this.#spare.pop();
    if (this.#spare.length < this.#unused) this.#unused = this.#spare.length;
    return found ?? this.#make();
  }

  /** hot: gives a buffer back. The caller must not read or write it, or a part of it, afterwards. */
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
