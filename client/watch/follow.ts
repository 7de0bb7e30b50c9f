/** The loop that keeps a mirror of a resource up to date: it lists, watches and, after a gap, lists again. */
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { StatusError, hasReason } from '../../apimachinery/errors/status.js';
import { type Clock, systemClock } from '../../lib/clock.js';
import type { CachedObject, CachedReader, ListerWatcher, ListQuery } from '../interface.js';
import { eachInTurns } from '../../lib/time-slice.js';
import type { MirrorBudget } from './budget.js';
import { cachedReader } from './cached-reader.js';

export interface FollowOptions {
  readonly client: ListerWatcher;
  /** Selects objects; absent for all. */
  readonly selection?: ListQuery;
  /**
   * Called for every object of the first list and then for every change, in order, with the key `namespace/name` (or `name`), the
   * previous and the new state. The mirror is updated before. Must not throw; must return at once.
   */
  readonly onChange: (key: string, oldCached: CachedObject | undefined, newCached: CachedObject | undefined) => void;
  /** Called when a list or a watch fails, before it is retried. An expired resourceVersion is not a failure. */
  readonly onError: (error: unknown) => void;
  /** Called for every event of a watch, as a sign that the watch works. */
  readonly onEvent?: () => void;
  readonly clock?: Clock;
  /** Budget for the mirror's memory. A list or an event that exceeds it is a failure. Absent for no limit. */
  readonly budget?: MirrorBudget;
  /** Maximum backoff in milliseconds. The default of one second is for a server in this process. */
  readonly maxRetryMs?: number;
  readonly signal: AbortSignal;
}

/** Counts the lists of a mirror, the first one included. */
export interface Lists {
  /** How many were begun. */
  readonly begun: number;
  /** The number of the last one that is in the mirror; 0 before the first. It has everything that was written before it began. */
  readonly applied: number;
}

interface Followed {
  /** The mirror. In process, it shares the objects of the watch cache, which are parsed on first use. */
  readonly objects: ReadonlyMap<string, CachedObject>;
  readonly lists: Lists;
  /** Resolves when the first list is in the mirror; rejects if the signal aborts before. */
  readonly synced: Promise<void>;
  /** Resolves when the signal has aborted and the loop has ended. */
  readonly done: Promise<void>;
}

const minRetryMs = 50;

/** Mirrors a resource. `onChange` gets the differences, also after a gap: no change is missed or reported twice. */
export function follow(resource: GroupVersionResource, options: FollowOptions): Followed {
  const reflector = new Reflector(resource, options);
  const { objects, lists, synced } = reflector;
  return { objects, lists, synced, done: reflector.run() };
}

/** A mirror and its loop. as client-go tools/cache Reflector */
class Reflector {
  readonly objects = new Map<string, CachedObject>();
  readonly lists = { begun: 0, applied: 0 };
  readonly synced: Promise<void>;
  readonly #resource: GroupVersionResource;
  readonly #selection: ListQuery;
  readonly #options: FollowOptions;
  readonly #clock: Clock;
  readonly #maxRetryMs: number;
  readonly #reader: CachedReader;
  readonly #budget: MirrorBudget | undefined;
  /** Bytes that the mirror has taken from the budget. */
  #taken = 0;
  /** The resourceVersion of the mirror, from which a broken watch resumes; undefined if a new list is needed. */
  #position: string | undefined;
  #retryMs = minRetryMs;
  #markSynced = (): void => undefined;
  #markEnded = (_: Error): void => undefined;

  constructor(resource: GroupVersionResource, options: FollowOptions) {
    const { client, selection = {}, clock = systemClock, maxRetryMs = 1000, budget } = options;
    this.#resource = resource;
    this.#selection = selection;
    this.#options = options;
    this.#clock = clock;
    this.#maxRetryMs = maxRetryMs;
    this.#reader = cachedReader(client);
    this.#budget = budget;
    this.synced = new Promise<void>((resolve, reject) => {
      this.#markSynced = resolve;
      this.#markEnded = reject;
    });
    // Prevents an unhandled rejection if the caller does not await it.
    this.synced.catch(() => undefined);
  }

  /** Lists and watches until the signal aborts. Called once. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      try {
        if (this.#position === undefined) {
          this.#position = await this.#relist();
          this.#markSynced();
        }
        await this.#watch(this.#position);
      } catch (error) {
        if (signal.aborted) break;
        await this.#failed(error);
      }
      // The pause applies also after a watch that the server ended, since it may end every watch at once.
      await this.#clock.sleep(this.#retryMs, signal);
      this.#retryMs = Math.min(this.#retryMs * 2, this.#maxRetryMs);
    }
    this.#budget?.take(-this.#taken);
    this.#markEnded(new Error(`${this.#resource.resource} are not followed any more`));
  }

  /** Lists and applies the differences. Deletions are applied first, since their names may be in use again. */
  async #relist(): Promise<string> {
    const number = ++this.lists.begun;
    let listed = 0;
    const take = (bytes: number): void => {
      this.#budget?.take(bytes);
      listed += bytes;
    };
    // While a list arrives, it takes memory in addition to the mirror; afterwards only the mirror counts.
    const list = this.#reader.list(this.#resource, this.#selection, take).finally(() => this.#budget?.take(-listed));
    const { items, resourceVersion } = await list;
    // A remote server decides the length of the list, so the loops are time-sliced.
    const listedKeys = new Set<string>();
    await eachInTurns(items, ({ key }) => listedKeys.add(key));
    await eachInTurns(this.objects.keys(), key => listedKeys.has(key) || this.#apply(key, undefined));
    await eachInTurns(items, ({ key, cached }) => this.#applyAfterGap(key, cached));
    this.lists.applied = number;
    return resourceVersion;
  }

  async #watch(from: string): Promise<void> {
    const { signal, onEvent } = this.#options;
    const query = { ...this.#selection, resourceVersion: from, allowWatchBookmarks: true };
    const began = this.#clock.now();
    for await (const event of this.#reader.watch(this.#resource, query, signal)) {
      // The backoff is reset only after a watch has lasted, since a server may end every watch at once.
      if (this.#retryMs !== minRetryMs && this.#clock.now() - began >= this.#maxRetryMs) this.#retryMs = minRetryMs;
      onEvent?.();
      this.#position = event.resourceVersion || this.#position;
      if (event.type !== 'BOOKMARK') this.#apply(event.key, event.type === 'DELETED' ? undefined : event.cached);
    }
  }

  async #failed(error: unknown): Promise<void> {
    // An expired resourceVersion of a watch is normal: it only needs a new list.
    const isExpired = this.#position !== undefined && (hasReason(error, 'Expired') || hasReason(error, 'Gone'));
    if (error instanceof StatusError) {
      // An error status of the server means that the position may be invalid; a broken connection does not.
      this.#position = undefined;
      if (error.code === 404 && this.objects.size > 0 && (await this.#isGone())) await this.#clear();
    }
    if (!isExpired && !this.#options.signal.aborted) this.#options.onError(error);
  }

  /** Reports whether the resource is not served any more. A 404 of a remote server alone may come from a proxy before it. */
  async #isGone(): Promise<boolean> {
    if (!this.#reader.lacks) return true;
    try {
      return await this.#reader.lacks(this.#resource);
    } catch {
      return false; // Without an answer it is not known, and asked again after the next 404.
    }
  }

  async #clear(): Promise<void> {
    const { signal } = this.#options;
    if (!signal.aborted) await eachInTurns(this.objects.keys(), key => this.#apply(key, undefined));
  }

  // hot: once per change and mirror.
  #apply(key: string, newCached: CachedObject | undefined): void {
    const oldCached = this.objects.get(key);
    if (oldCached?.revision === newCached?.revision) return;
    const more = (newCached?.size ?? 0) - (oldCached?.size ?? 0);
    this.#budget?.take(more);
    this.#taken += more;
    if (newCached) this.objects.set(key, newCached);
    else this.objects.delete(key);
    this.#options.onChange(key, oldCached, newCached);
  }

  /** Applies an object of a list after a gap. An object with another uid under the same name is a deletion and a creation. */
  #applyAfterGap(key: string, newCached: CachedObject): void {
    const oldCached = this.objects.get(key);
    if (
      oldCached &&
      oldCached.revision !== newCached.revision &&
      oldCached.object.metadata.uid !== newCached.object.metadata.uid
    )
      this.#apply(key, undefined);
    this.#apply(key, newCached);
  }
}
