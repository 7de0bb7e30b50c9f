import type { Revision } from '../../../storage/interface.js';
import type { PipelineDeps } from '../context.js';
import type { ObjectEvent } from '../interface.js';

/** Milliseconds between the last bookmark and the end of a watch, so that the client can resume from there. */
const beforeEndMs = 2000;

/**
 * Returns a function that returns the milliseconds until the next bookmark; undefined if there is none. The interval is about a minute, and
 * differs between watches; the last bookmark is sent shortly before the end.
 */
// as apiserver/pkg/storage/cacher cacheWatcher.nextBookmarkTime
function bookmarkTimes(deps: PipelineDeps, timeoutSeconds: number | undefined): () => number | undefined {
  const everyMs = 54_000 + ((deps.random(1)[0] ?? 0) / 255) * 12_000;
  if (timeoutSeconds === undefined) return () => everyMs;
  const last = performance.now() + timeoutSeconds * 1000 - beforeEndMs;
  return () => {
    const left = last - performance.now();
    return left < 1 ? undefined : Math.min(everyMs, left);
  };
}

/** The bookmarks of one watch. When one is due, progress is requested from the stream of changes, which delivers it in order. */
export class Bookmarks {
  readonly #nextMs: () => number | undefined;
  #requestProgress: (() => void) | undefined;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: PipelineDeps, timeoutSeconds: number | undefined) {
    this.#nextMs = bookmarkTimes(deps, timeoutSeconds);
    this.#arm();
  }

  /** Sets the function that requests progress. */
  readonly onProgressSource = (requestProgress: () => void): void => {
    this.#requestProgress = requestProgress;
    if (this.#isDue) requestProgress();
  };

  /** Returns the bookmark of a revision up to which all changes have been delivered. */
  at(revision: Revision): ObjectEvent {
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
      this.#requestProgress?.();
    }, ms).unref();
  }
}
