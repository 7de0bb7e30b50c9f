import v8 from 'node:v8';

/** A value whose bytes are in a buffer while they are used, and in less memory afterwards. */
export interface BytesHolder {
  /** The number of the period in which the bytes were last used (`RecentBytes.now`). */
  usedAt: number;
  /** Releases the buffer. The bytes can still be read, at the cost of a copy. */
  compact(): void;
}

interface RecentBytesOptions {
  /** Milliseconds of a period. */
  readonly periodMs?: number;
  /** Reports whether V8's heap has room for compacted values. */
  readonly hasRoom?: () => boolean;
}

/** Bytes that were not used for this number of periods are compacted. */
const idlePeriods = 3;
/** Time for which compaction may block the event loop at once, in milliseconds. */
const sliceMs = 1;
/** The number of values between two readings of the clock. */
const stride = 32;

/** A process close to its heap limit must not move more into the heap. */
function heapHasRoom(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = v8.getHeapStatistics();
  return used < limit / 2;
}

/**
 * Values whose bytes are in buffers because they were written or read recently.
 *
 * A buffer of a few kilobytes comes from the C allocator. Buffers that live for minutes keep whole arenas resident that are otherwise free, and
 * the allocator cannot move them. So a value that is not used releases its buffer and keeps a string of one byte per character, which V8 moves
 * when it compacts its heap, and which has 20 bytes of overhead instead of some 500.
 */
export class RecentBytes {
  readonly #periodMs: number;
  readonly #hasRoom: () => boolean;
  /** Values by the period in which they were noted, the oldest first. */
  #periods: BytesHolder[][] = [[]];
  #current: BytesHolder[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** The number of the current period. */
  now = 0;

  constructor({ periodMs = 2000, hasRoom = heapHasRoom }: RecentBytesOptions = {}) {
    this.#periodMs = periodMs;
    this.#hasRoom = hasRoom;
    this.#periods = [this.#current];
  }

  /** hot: once for every version that is written. Registers a value whose bytes are now in a buffer. */
  note(holder: BytesHolder): void {
    holder.usedAt = this.now;
    this.#current.push(holder);
    if (this.#timer === undefined && !this.#isClosed)
      this.#timer = setTimeout(() => this.#nextPeriod(), this.#periodMs).unref();
  }

  #nextPeriod(): void {
    this.now++;
    this.#current = [];
    this.#periods.push(this.#current);
    const oldest = this.#periods.length > idlePeriods ? this.#periods.shift() : undefined;
    if (oldest !== undefined && this.#hasRoom()) this.#compact(oldest, 0);
    else this.#wait(); // without room, values keep their buffers until they are used again
  }

  #wait(): void {
    this.#timer = undefined;
    if (this.#isClosed || this.#periods.every(holders => holders.length === 0)) return;
    this.#timer = setTimeout(() => this.#nextPeriod(), this.#periodMs).unref();
  }

  /** Compacts values in time slices, between which the event loop does other work. */
  #compact(holders: BytesHolder[], from: number): void {
    if (this.#isClosed) return;
    const until = performance.now() + sliceMs;
    let at = from;
    while (at < holders.length) {
      const end = Math.min(at + stride, holders.length);
      for (; at < end; at++) this.#visit(holders[at]);
      if (at < holders.length && performance.now() >= until) {
        setImmediate(() => this.#compact(holders, at)).unref();
        return;
      }
    }
    this.#wait();
  }

  #visit(holder: BytesHolder | undefined): void {
    if (holder === undefined) return;
    if (this.now - holder.usedAt >= idlePeriods - 1) holder.compact();
    else this.#current.push(holder);
  }

  /** Stops compaction. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#periods = [this.#current];
    this.#current.length = 0;
  }
}
