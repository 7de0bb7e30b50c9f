import type { Clock } from '../../lib/clock.js';
import type { Key } from '../../client/runtime/interface.js';
import type { EvictionPace } from './disruption.js';

/**
 * Grants evictions one after the other, at the given pace. Keys that have to wait are granted in the order in which they came. An eviction counts when
 * it is granted, and no more if it turns out not to be needed.
 */
export class EvictionPacer {
  readonly #clock: Clock;
  readonly #wake: (key: Key) => void;
  readonly #waiting = new Set<Key>();
  readonly #granted = new Set<Key>();
  #pace: EvictionPace = { intervalMs: 0, notBefore: Infinity };
  #lastGrant = -Infinity;
  #timer: AbortController | undefined;
  #isClosed = false;

  /** `wake` is called for a key that was refused and is granted now. Until `setPace` is called, nothing is granted. */
  constructor(clock: Clock, wake: (key: Key) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Yields the keys that are due: those that are granted and not done, and those that wait. */
  *due(): Iterable<Key> {
    yield* this.#granted;
    yield* this.#waiting;
  }

  get depth(): number {
    return this.#waiting.size + this.#granted.size;
  }

  setPace(pace: EvictionPace): void {
    if (pace.intervalMs === this.#pace.intervalMs && pace.notBefore === this.#pace.notBefore) return;
    this.#pace = pace;
    this.#serve();
  }

  /** Returns whether the key may be evicted now; if not, `wake` is called later. Each grant must be followed by `evicted` or `withdraw`. */
  mayEvict(key: Key): boolean {
    if (this.#granted.has(key)) return this.#holdsOn(key);
    // If others wait already, the timer is set: thousands of keys come at once.
    const isFirst = this.#waiting.size === 0;
    this.#waiting.add(key);
    if (isFirst) this.#serve(key);
    return this.#granted.has(key);
  }

  /** Removes a key whose eviction is done. */
  evicted(key: Key): void {
    this.#granted.delete(key);
  }

  /** Removes a key that needs no eviction any more. A grant is passed on to the next key. */
  withdraw(key: Key): void {
    this.#waiting.delete(key);
    if (!this.#granted.delete(key)) return;
    this.#lastGrant = -Infinity;
    this.#serve();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.abort();
  }

  /** Takes a grant back when evictions were paused meanwhile: its retry may come long after it. */
  #holdsOn(key: Key): boolean {
    if (this.#clock.now() >= this.#pace.notBefore) return true;
    this.#granted.delete(key);
    this.#waiting.add(key);
    this.#serve();
    return false;
  }

  /** Grants what may be granted now, and sets the timer for the next one. `wake` is not called for `asking`. */
  #serve(asking?: Key): void {
    this.#timer?.abort();
    this.#timer = undefined;
    if (this.#isClosed) return;
    for (const key of this.#waiting) {
      const now = this.#clock.now();
      const at = Math.max(this.#lastGrant + this.#pace.intervalMs, this.#pace.notBefore);
      if (at > now) {
        if (at < Infinity) this.#serveAfter(at - now);
        return;
      }
      this.#lastGrant = now;
      this.#waiting.delete(key);
      this.#granted.add(key);
      if (key !== asking) this.#wake(key);
    }
  }

  #serveAfter(milliseconds: number): void {
    const timer = (this.#timer = new AbortController());
    void this.#clock.sleep(milliseconds, timer.signal).then(() => {
      if (!timer.signal.aborted) this.#serve();
    });
  }
}
