import { LRUCache } from 'lru-cache';

/** An object may cause a burst of events, then one every five minutes (as client-go tools/record EventSourceObjectSpamFilter). */
const burst = 25;
const refillMs = 300_000;

/** May this source of events cause one more now? If so, it counts. `now`: milliseconds. */
export function createEventBudget(now: () => number): (source: string) => boolean {
  const budgets = new LRUCache<string, { tokens: number; at: number }>({ max: 4096 });
  return source => {
    const at = now();
    const budget = budgets.get(source) ?? { tokens: burst, at };
    const tokens = Math.min(burst, budget.tokens + (at - budget.at) / refillMs);
    if (tokens < 1) return false;
    budgets.set(source, { tokens: tokens - 1, at });
    return true;
  };
}
