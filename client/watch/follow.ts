/** The one loop that keeps a mirror of a resource: it lists, watches and, after a gap, lists again. */
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { StatusError, hasReason } from '../../apimachinery/errors/status.js';
import { type Clock, systemClock } from '../../lib/clock.js';
import type { Client, CachedObject, ListQuery } from '../interface.js';
import { eachInTurns } from '../../lib/time-slice.js';
import type { Budget } from './budget.js';
import { cachedReader } from './cached-reader.js';

export interface FollowOptions {
  readonly client: Client;
  /** Which of the objects; absent: all. */
  readonly selection?: ListQuery;
  /**
   * Told of every object that was there at the start and then of every change, in order: of the key `namespace/name` (or `name`), of
   * what stood there and of what stands there now. The mirror has it already. Must not throw; must return at once.
   */
  readonly onChange: (key: string, was: CachedObject | undefined, is: CachedObject | undefined) => void;
  /** A list or a watch failed and is tried again. A gap in what the server remembers is no failure. */
  readonly onError: (error: unknown) => void;
  /** Called with every event of a watch: it works. */
  readonly onWell?: () => void;
  readonly clock?: Clock;
  /** Where the mirror's memory is counted. A list or an event that does not fit is a failure. Absent: nothing is counted. */
  readonly budget?: Budget;
  /** The longest pause before something that failed is tried again. Absent: a second, for a server in this process. */
  readonly lastRetryMs?: number;
  readonly signal: AbortSignal;
}

export interface Followed {
  /** The mirror. In process it holds what the watch cache holds: no second copy, and nothing is parsed before somebody asks. */
  readonly objects: ReadonlyMap<string, CachedObject>;
  /** All that was there at the start has been told; rejects when the signal comes first. */
  readonly synced: Promise<void>;
  /** The signal came and everything has ended. */
  readonly done: Promise<void>;
}

const firstRetryMs = 50;

/** What is told is the difference, also after a gap: nothing is missed and nothing is told twice. */
export function follow(resource: GroupVersionResource, options: FollowOptions): Followed {
  const { client, selection = {}, onChange, onError, clock = systemClock, lastRetryMs = 1000, signal } = options;
  const { budget, onWell } = options;
  const reader = cachedReader(client);
  const objects = new Map<string, CachedObject>();
  let markSynced = (): void => undefined;
  let markEnded = (_: Error): void => undefined;
  const synced = new Promise<void>((resolve, reject) => {
    markSynced = resolve;
    markEnded = reject;
  });
  // Who does not wait for it must not die of it.
  synced.catch(() => undefined);

  /** Bytes of the budget that the mirror has. */
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

  /** One that was made anew under the name of another: the other went first. */
  function applyAfterGap(key: string, is: CachedObject): void {
    const was = objects.get(key);
    if (was && was.revision !== is.revision && was.object.metadata.uid !== is.object.metadata.uid)
      apply(key, undefined);
    apply(key, is);
  }

  /** What has gone goes first: names may have passed to others. */
  async function relist(): Promise<string> {
    let listed = 0;
    const take = (bytes: number): void => {
      budget?.take(bytes);
      listed += bytes;
    };
    // While a list arrives it is in memory beside the mirror; from then on only what becomes part of the mirror counts.
    const list = reader.list(resource, selection, take).finally(() => budget?.take(-listed));
    const { items, resourceVersion } = await list;
    // Another server decides how many there are: each loop is as long as its list.
    const standing = new Set<string>();
    await eachInTurns(items, ({ key }) => standing.add(key));
    await eachInTurns(objects.keys(), key => standing.has(key) || apply(key, undefined));
    await eachInTurns(items, ({ key, cached }) => applyAfterGap(key, cached));
    return resourceVersion;
  }

  /** Where the mirror stands: what a broken watch goes on from. undefined: only a list can tell. */
  let position: string | undefined;
  let retryMs = firstRetryMs;

  async function watch(from: string): Promise<void> {
    const query = { ...selection, resourceVersion: from, allowWatchBookmarks: true };
    const began = clock.now();
    for await (const event of reader.watch(resource, query, signal)) {
      // A server that ends every watch at once, with or without an event, is asked less and less often.
      if (retryMs !== firstRetryMs && clock.now() - began >= lastRetryMs) retryMs = firstRetryMs;
      onWell?.();
      position = event.resourceVersion || position;
      if (event.type !== 'BOOKMARK') apply(event.key, event.type === 'DELETED' ? undefined : event.cached);
    }
  }

  async function failed(error: unknown): Promise<void> {
    // That the past is forgotten is the way of all servers.
    if (!hasReason(error, 'Expired') && !hasReason(error, 'Gone')) onError(error);
    if (!(error instanceof StatusError)) return;
    // An answer of the server means that it does not know our position any more; a broken connection does not.
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
      // Also after a watch that the server ended: it may end every one at once.
      await clock.sleep(retryMs, signal);
      retryMs = Math.min(retryMs * 2, lastRetryMs);
    }
    budget?.take(-taken);
    markEnded(new Error(`${resource.resource} are not followed any more`));
  }

  return { objects, synced, done: run() };
}
