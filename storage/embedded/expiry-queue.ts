import type { Revision } from '../interface.js';

interface ExpiryEntry {
  readonly at: number;
  readonly key: string;
  /** The entry is about the value of this revision; a later write has its own deadline, or none. */
  readonly revision: Revision;
}

/** A binary heap with the earliest deadline first. */
export class ExpiryQueue {
  readonly #heap: ExpiryEntry[] = [];

  get next(): ExpiryEntry | undefined {
    return this.#heap[0];
  }

  add(deadline: ExpiryEntry): void {
    const heap = this.#heap;
    let hole = heap.push(deadline) - 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.at <= deadline.at) break;
      heap[hole] = above;
      hole = parent;
    }
    heap[hole] = deadline;
  }

  /** Removes and returns the earliest entry. */
  take(): ExpiryEntry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const sinking = heap.pop();
    if (first === undefined || sinking === undefined || heap.length === 0) return first;
    let hole = 0;
    for (;;) {
      const left = 2 * hole + 1;
      const child = (heap[left + 1]?.at ?? Infinity) < (heap[left]?.at ?? Infinity) ? left + 1 : left;
      const below = heap[child];
      if (below === undefined || below.at >= sinking.at) break;
      heap[hole] = below;
      hole = child;
    }
    heap[hole] = sinking;
    return first;
  }
}
