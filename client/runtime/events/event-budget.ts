import { LRUCache } from 'lru-cache';

/** Tokens of one object, and milliseconds until one is refilled. as client-go tools/record EventSourceObjectSpamFilter */
export const eventBurst = 25;
const refillMs = 300_000;

/** Returns a function that takes a token of an event source, and returns false if there is none. `now` returns milliseconds. */
export function createEventBudget(now: () => number): (source: string) => boolean {
  const budgets = new LRUCache<string, { tokens: number; at: number }>({ max: 4096 });
  return source => {
    const at = now();
    const budget = budgets.get(source) ?? { tokens: eventBurst, at };
    const tokens = Math.min(eventBurst, budget.tokens + (at - budget.at) / refillMs);
    if (tokens < 1) return false;
    budgets.set(source, { tokens: tokens - 1, at });
    return true;
  };
}
