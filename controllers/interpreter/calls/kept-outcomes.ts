import { LRUCache } from 'lru-cache';
import { jsonText } from '../../../lib/json/json.js';

export type CallOutcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Milliseconds since the last use after which an outcome is dropped. A reconciliation that needs several outcomes has all of them in the end: each
 * attempt uses those that are there, and is made twice a minute at least.
 */
const defaultMs = 60_000;

/** `maxSize` and the sizes are in UTF-16 units of JSON. */
const limits = { max: 10_000, maxSize: 32 * 1024 * 1024, updateAgeOnGet: true };

/** Size of a kept outcome in addition to its JSON. */
const overhead = 200;

/** Returns whether the call was rejected. */
export const isFailure = (outcome: CallOutcome): outcome is { readonly error: unknown } => 'error' in outcome;

const sizeOf = (outcome: CallOutcome): number => overhead + (isFailure(outcome) ? 0 : jsonText(outcome.value).length);

/** Outcomes of calls that workers have left, by call. They are dropped by a timer, which runs only while there are some. */
export class KeptOutcomes {
  readonly #outcomes: LRUCache<string, CallOutcome>;
  readonly #signal: AbortSignal;
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;

  /** When `signal` aborts, all outcomes are dropped, and none is kept any more. */
  constructor(signal: AbortSignal, ms = defaultMs) {
    this.#outcomes = new LRUCache({ ...limits, ttl: ms });
    this.#signal = signal;
    this.#ms = ms;
    signal.addEventListener('abort', () => this.#clear(), { once: true });
  }

  get size(): number {
    return this.#outcomes.size;
  }

  /** Returns a kept outcome. A failure is returned once, so that the attempt after the next one makes the call again. */
  take(call: string): CallOutcome | undefined {
    const outcome = this.#outcomes.get(call);
    if (outcome && isFailure(outcome)) this.#outcomes.delete(call);
    return outcome;
  }

  set(call: string, outcome: CallOutcome): void {
    if (this.#signal.aborted) return;
    this.#outcomes.set(call, outcome, { size: sizeOf(outcome) });
    this.#timer ??= setInterval(() => this.#purge(), this.#ms / 2).unref();
  }

  /** Drops the outcomes of the calls whose names begin with `prefix`. */
  drop(prefix: string): void {
    for (const call of [...this.#outcomes.keys()]) if (call.startsWith(prefix)) this.#outcomes.delete(call);
    this.#stopIfEmpty();
  }

  #purge(): void {
    this.#outcomes.purgeStale();
    this.#stopIfEmpty();
  }

  #clear(): void {
    this.#outcomes.clear();
    this.#stopIfEmpty();
  }

  #stopIfEmpty(): void {
    if (this.#outcomes.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
