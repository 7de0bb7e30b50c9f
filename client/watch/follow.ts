/** The loop that keeps a mirror of a resource up to date: it lists, watches and, after a gap, lists again. */
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { StatusError, hasReason } from '../../apimachinery/errors/status.js';
import { type Clock, systemClock } from '../../lib/clock.js';
import type { Client, CachedObject, ListQuery } from '../interface.js';
import { eachInTurns } from '../../lib/time-slice.js';
import type { Budget } from './budget.js';
import { cachedReader } from './cached-reader.js';

export interface FollowOptions {
  readonly client: Client;
  /** Selects objects; absent for all. */
  readonly selection?: ListQuery;
  /**
   * Called for every object of the first list and then for every change, in order, with the key `namespace/name` (or `name`), the
   * previous and the new state. The mirror is updated before. Must not throw; must return at once.
   */
  readonly onChange: (key: string, was: CachedObject | undefined, is: CachedObject | undefined) => void;
  /** Called when a list or a watch fails, before it is retried. An expired resourceVersion is not a failure. */
  readonly onError: (error: unknown) => void;
  /** Called for every event of a watch, as a sign that the watch works. */
  readonly onEvent?: () => void;
  readonly clock?: Clock;
  /** Budget for the mirror's memory. A list or an event that exceeds it is a failure. Absent for no limit. */
  readonly budget?: Budget;
  /** Maximum backoff in milliseconds. The default of one second is for a server in this process. */
  readonly maxRetryMs?: number;
  readonly signal: AbortSignal;
}

export interface Followed {
  /** The mirror. In process, it shares the objects of the watch cache, which are parsed on first use. */
  readonly objects: ReadonlyMap<string, CachedObject>;
  /** Resolves when the first list is in the mirror; rejects if the signal aborts before. */
  readonly synced: Promise<void>;
  /** Resolves when the signal has aborted and the loop has ended. */
  readonly done: Promise<void>;
}

const minRetryMs = 50;

/** Mirrors a resource. `onChange` gets the differences, also after a gap: no change is missed or reported twice. */
export function follow(resource: GroupVersionResource, options: FollowOptions): Followed {
  const { client, selection = {}, onChange, onError, clock = systemClock, maxRetryMs = 1000, signal } = options;
  const { budget, onEvent } = options;
  const reader = cachedReader(client);
  const objects = new Map<string, CachedObject>();
  let markSynced = (): void => undefined;
  let markEnded = (_: Error): void => undefined;
  const synced = new Promise<void>((resolve, reject) => {
    markSynced = resolve;
    markEnded = reject;
  });
  // Prevents an unhandled rejection if the caller does not await it.
  synced.catch(() => undefined);

  /** Bytes that the mirror has taken from the budget. */
  let taken = 0;

  // hot: once per change and mirror.
  function apply(key: string, is: CachedObject | undefined): void {
    const was = objects.get(key);
    if (was?.revision === is?.revision) return;
    const more = (is?.size ?? 0) - (was?.size ?? 0);
    budget?.take(more);
    taken += more;
    if (is) objects.set(key, is);
    else objects.delete(key);
    onChange(key, was, is);
  }

  /** Applies an object of a list after a gap. An object with another uid under the same name is a deletion and a creation. */
  function applyAfterGap(key: string, is: CachedObject): void {
    const was = objects.get(key);
    if (was && was.revision !== is.revision && was.object.metadata.uid !== is.object.metadata.uid)
      apply(key, undefined);
    apply(key, is);
  }

  /** Lists and applies the differences. Deletions are applied first, since their names may be in use again. */
  async function relist(): Promise<string> {
    let listed = 0;
    const take = (bytes: number): void => {
      budget?.take(bytes);
      listed += bytes;
    };
    // While a list arrives, it takes memory in addition to the mirror; afterwards only the mirror counts.
    const list = reader.list(resource, selection, take).finally(() => budget?.take(-listed));
    const { items, resourceVersion } = await list;
    // A remote server decides the length of the list, so the loops are time-sliced.
    const listedKeys = new Set<string>();
    await eachInTurns(items, ({ key }) => listedKeys.add(key));
    await eachInTurns(objects.keys(), key => listedKeys.has(key) || apply(key, undefined));
    await eachInTurns(items, ({ key, cached }) => applyAfterGap(key, cached));
    return resourceVersion;
  }

  /** The resourceVersion of the mirror, from which a broken watch resumes; undefined if a new list is needed. */
  let position: string | undefined;
  let retryMs = minRetryMs;

  async function watch(from: string): Promise<void> {
    const query = { ...selection, resourceVersion: from, allowWatchBookmarks: true };
    const began = clock.now();
    for await (const event of reader.watch(resource, query, signal)) {
      // The backoff is reset only after a watch has lasted, since a server may end every watch at once.
      if (retryMs !== minRetryMs && clock.now() - began >= maxRetryMs) retryMs = minRetryMs;
      onEvent?.();
      position = event.resourceVersion || position;
      if (event.type !== 'BOOKMARK') apply(event.key, event.type === 'DELETED' ? undefined : event.cached);
    }
  }

  async function failed(error: unknown): Promise<void> {
    // An expired resourceVersion is normal: it only needs a new list.
    if (!hasReason(error, 'Expired') && !hasReason(error, 'Gone')) onError(error);
    if (!(error instanceof StatusError)) return;
    // An error status of the server means that the position may be invalid; a broken connection does not.
    position = undefined;
    if (error.code === 404) await eachInTurns(objects.keys(), key => apply(key, undefined));
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        if (position === undefined) {
          position = await relist();
          markSynced();
        }
        await watch(position);
      } catch (error) {
        if (signal.aborted) break;
        await failed(error);
      }
      // The pause applies also after a watch that the server ended, since it may end every watch at once.
      await clock.sleep(retryMs, signal);
      retryMs = Math.min(retryMs * 2, maxRetryMs);
    }
    budget?.take(-taken);
    markEnded(new Error(`${resource.resource} are not followed any more`));
  }

  return { objects, synced, done: run() };
}
