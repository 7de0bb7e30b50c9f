import { LRUCache } from 'lru-cache';

/** Milliseconds for which an owner counts as slow after its last late outcome, if it has had no quick one since. */
const slowForMs = 5 * 60_000;

/** Owners that are remembered as slow. */
const maxSlow = 1_000;

/** Knows the owners (webhooks and customizations) whose calls take long, also while they have no call. */
export class SlowOwners {
  readonly #slowMs: number;
  /** Owner -> the number of its calls that have not ended and have taken longer than `slowMs` already. */
  readonly #overdue = new Map<string, number>();
  readonly #slow = new LRUCache<string, true>({ max: maxSlow, ttl: slowForMs });

  /** `slowMs`: milliseconds after which a call makes its owner slow. */
  constructor(slowMs: number) {
    this.#slowMs = slowMs;
  }

  /** Reports whether a call of the owner takes long, or the last one took long. */
  has(owner: string): boolean {
    return this.#overdue.has(owner) || this.#slow.has(owner);
  }

  /** Returns the result of a call. The time that a call waits in the queue counts, too: the caller waits for it. */
  async measured<T>(owner: string, call: () => Promise<T>): Promise<T> {
    const began = performance.now();
    let isOverdue = false;
    const timer = setTimeout(() => {
      isOverdue = true;
      this.#count(owner, 1);
    }, this.#slowMs);
    try {
      return await call();
    } finally {
      clearTimeout(timer);
      const isQuick = performance.now() - began < this.#slowMs;
      if (isOverdue) this.#count(owner, -1);
      else if (isQuick && !this.#overdue.has(owner)) this.#slow.delete(owner);
    }
  }

  #count(owner: string, change: 1 | -1): void {
    const count = (this.#overdue.get(owner) ?? 0) + change;
    if (count > 0) this.#overdue.set(owner, count);
    else this.#overdue.delete(owner);
    this.#slow.set(owner, true);
  }
}
