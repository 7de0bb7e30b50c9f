import { timerMs } from '../../lib/timer.js';
import type { Caches, Collection } from './caches.js';

interface WaiterOptions {
  /** Aborts when the request ends. */
  readonly signal: AbortSignal;
  /** Infinity: the watch has no timeout. */
  readonly timeoutMs: number;
}

/** Waits for the next change of any source or of the set of clusters, for the timeout of a watch, and for the end of its request. */
export class WatchWaiter {
  /** Aborts when the request or the time of the watch has ended. */
  readonly ended: AbortSignal;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #stops: readonly (() => void)[];
  #isWoken = false;
  #haveClustersChanged = false;
  #wake = (): void => undefined;

  constructor(caches: Caches, collections: readonly Collection[], { signal, timeoutMs }: WaiterOptions) {
    this.#signal = signal;
    this.#stops = [
      caches.onChange(() => {
        this.#haveClustersChanged = true;
        this.wakeUp();
      }),
      ...collections.map(({ feed }) => feed.onChange(this.wakeUp)),
    ];
    signal.addEventListener('abort', this.wakeUp);
    const timeUp = new AbortController();
    this.ended = AbortSignal.any([signal, timeUp.signal]);
    this.#timer = setTimeout(() => {
      timeUp.abort();
      this.wakeUp();
    }, timerMs(timeoutMs));
    this.#timer.unref();
  }

  /** Forgets earlier wake-ups. It is called before the sources are read, so that no later one is missed. */
  reset(): void {
    this.#isWoken = false;
  }

  /** Resolves at the first wake-up since the last reset, at once if there was one. */
  wait(): Promise<void> {
    return this.#isWoken ? Promise.resolve() : new Promise(resolve => (this.#wake = resolve));
  }

  readonly wakeUp = (): void => {
    this.#isWoken = true;
    this.#wake();
  };

  /** Reports whether the set of clusters may have changed since the previous call. */
  takeClustersChange(): boolean {
    const before = this.#haveClustersChanged;
    this.#haveClustersChanged = false;
    return before;
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const stop of this.#stops) stop();
    this.#signal.removeEventListener('abort', this.wakeUp);
  }
}
