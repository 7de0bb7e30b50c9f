import type { Revision } from '../../../storage/interface.js';
import type { Parts } from '../context.js';
import type { Event } from '../interface.js';

/** Milliseconds between the last bookmark and the end of a watch: a client can continue from there. */
const beforeEndMs = 2000;

/**
 * Returns a function that returns the milliseconds until the next bookmark: about a minute, not the same for all watches, and shortly before the end.
 * Undefined: no more bookmarks.
 */
// as apiserver/pkg/storage/cacher cacheWatcher.nextBookmarkTime
function bookmarkTimes(parts: Parts, timeoutSeconds: number | undefined): () => number | undefined {
  const everyMs = 54_000 + ((parts.random(1)[0] ?? 0) / 255) * 12_000;
  if (timeoutSeconds === undefined) return () => everyMs;
  const last = performance.now() + timeoutSeconds * 1000 - beforeEndMs;
  return () => {
    const left = last - performance.now();
    return left < 1 ? undefined : Math.min(everyMs, left);
  };
}

/** The bookmarks of one watch. When one is due the stream of changes is asked for its progress, and the bookmark takes its turn among the changes. */
export class Bookmarks {
  readonly #nextMs: () => number | undefined;
  #ask: (() => void) | undefined;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Parts, timeoutSeconds: number | undefined) {
    this.#nextMs = bookmarkTimes(parts, timeoutSeconds);
    this.#arm();
  }

  /** Sets the function that asks for progress. */
  readonly asked = (ask: () => void): void => {
    this.#ask = ask;
    if (this.#isDue) ask();
  };

  /** Returns the bookmark of a revision up to which everything was delivered. */
  at(revision: Revision): Event {
    this.#isDue = false;
    this.#arm();
    return { type: 'BOOKMARK', revision, initialEventsEnd: false };
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #arm(): void {
    const ms = this.#nextMs();
    if (ms === undefined) return;
    this.#timer = setTimeout(() => {
      this.#isDue = true;
      this.#ask?.();
    }, ms).unref();
  }
}
