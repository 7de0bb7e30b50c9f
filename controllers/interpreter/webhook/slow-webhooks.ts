import { LRUCache } from 'lru-cache';

/** Milliseconds for which a webhook counts as slow after its last late answer, if it has not answered quickly since. */
const slowForMs = 5 * 60_000;

/** Webhooks that are remembered as slow. */
const maxSlow = 1_000;

/** Knows which webhooks take long to answer, also while they have no call. */
export class SlowWebhooks {
  readonly #slowMs: number;
  /** Webhook -> the number of its calls that have not ended and have taken longer than `slowMs` already. */
  readonly #overdue = new Map<string, number>();
  readonly #slow = new LRUCache<string, true>({ max: maxSlow, ttl: slowForMs });

  /** `slowMs`: milliseconds after which a call makes its webhook slow. */
  constructor(slowMs: number) {
    this.#slowMs = slowMs;
  }

  /** Reports whether a call of the webhook takes long, or the last one took long. */
  has(webhook: string): boolean {
    return this.#overdue.has(webhook) || this.#slow.has(webhook);
  }

  /** Returns the result of a call. The time that a call waits in the queue counts, too: the caller waits for it. */
  async measured<T>(webhook: string, call: () => Promise<T>): Promise<T> {
    const began = performance.now();
    let isOverdue = false;
    const timer = setTimeout(() => {
      isOverdue = true;
      this.#count(webhook, 1);
    }, this.#slowMs);
    try {
      return await call();
    } finally {
      clearTimeout(timer);
      const isQuick = performance.now() - began < this.#slowMs;
      if (isOverdue) this.#count(webhook, -1);
      else if (isQuick && !this.#overdue.has(webhook)) this.#slow.delete(webhook);
    }
  }

  #count(webhook: string, change: 1 | -1): void {
    const count = (this.#overdue.get(webhook) ?? 0) + change;
    if (count > 0) this.#overdue.set(webhook, count);
    else this.#overdue.delete(webhook);
    this.#slow.set(webhook, true);
  }
}
