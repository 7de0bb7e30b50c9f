import { internal } from '../../apimachinery/errors/status.js';
import { timerMs } from '../../lib/timer.js';
import type { WatchQuery } from '../../client/interface.js';
import type { RequestScope, ObjectEvent } from '../../registry/pipeline/interface.js';
import { type Cached, withVersion } from './cached.js';
import type { Caches, Collection } from './caches.js';
import type { FeedChange, Cursor } from './feed.js';
import { isWithin, mirrorSelection, resourceOf } from './selection.js';
import { readVersions, type Versions } from './versions.js';

interface Source {
  readonly collection: Collection;
  readonly cursor: Cursor;
  /** The resourceVersion at which the cursor begins. */
  readonly from: string;
  /** Existing objects to send first. */
  readonly initial: readonly Cached[];
}

/** Returns a bookmark with the versions of all clusters. */
const bookmark = (versions: Versions, initialEventsEnd: boolean): ObjectEvent => ({
  type: 'BOOKMARK',
  revision: versions.toString(),
  initialEventsEnd,
});

function openSource(collection: Collection, version: string, wantsInitial: boolean): Source {
  const { feed, informer, cluster } = collection;
  const { position } = feed;
  if (position === undefined) throw internal(`the cache of cluster ${cluster} is not ready`);
  const fromNow = version === '' || version === '0' || wantsInitial;
  const from = fromNow ? position : version;
  return { collection, from, cursor: feed.cursor(from), initial: fromNow ? informer.list() : [] };
}

/** Returns the identity of the set of mirrors; a watch ends when it changes. */
const shape = (collections: readonly Collection[]): readonly unknown[] => collections.map(({ feed }) => feed);

const sameShape = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((each, i) => each === b[i]);

/** Returns a waiter for the next change of any source or of the set of clusters, for the timeout, and for the end of the request. */
function waiter(caches: Caches, collections: readonly Collection[], signal: AbortSignal) {
  let woken = false;
  let changed = false;
  let wake = (): void => undefined;
  const wakeUp = (): void => {
    woken = true;
    wake();
  };
  const onClustersChange = (): void => {
    changed = true;
    wakeUp();
  };
  const stops = [caches.onChange(onClustersChange), ...collections.map(({ feed }) => feed.onChange(wakeUp))];
  signal.addEventListener('abort', wakeUp);
  return {
    /** Called before the sources are read, so that no wake-up is missed. */
    reset: () => void (woken = false),
    wait: () => (woken ? Promise.resolve() : new Promise<void>(resolve => (wake = resolve))),
    wakeUp,
    /** Reports whether the set of clusters may have changed since the previous call. */
    changed(): boolean {
      const before = changed;
      changed = false;
      return before;
    },
    stop() {
      for (const stop of stops) stop();
      signal.removeEventListener('abort', wakeUp);
    },
  };
}

type SeenEvent = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Cached } | undefined;

/** Returns the event that a watcher with a selector sees for a change; undefined for none. */
function seenAs(change: FeedChange, sees: (object: Cached) => boolean): SeenEvent {
  const { object, old } = change;
  if (!object || change.type === 'BOOKMARK') return undefined;
  const before = old !== undefined && sees(old);
  if (change.type === 'DELETED') return before || sees(object) ? { type: 'DELETED', object } : undefined;
  const now = sees(object);
  if (now) return { type: before ? 'MODIFIED' : 'ADDED', object };
  return before ? { type: 'DELETED', object: old } : undefined;
}

/**
 * Yields the changes of all clusters; every event has the versions of all clusters. Ends when a cluster is added or removed or has been
 * listed again, so that clients start a new watch.
 */
export async function* watchAll(
  caches: Caches,
  call: RequestScope,
  query: WatchQuery,
): AsyncGenerator<ObjectEvent, void> {
  const resource = resourceOf(call);
  const { matches } = mirrorSelection(call, query);
  const versions = readVersions(query.resourceVersion);
  const collections = caches.collections(resource);
  const wantsInitial = query.sendInitialEvents === true;
  const sources = collections.map(each => openSource(each, versions.get(each.cluster), wantsInitial));
  const initialShape = shape(collections);
  const waiting = waiter(caches, collections, call.signal);
  let timedOut = false;
  const timer = setTimeout(
    () => {
      timedOut = true;
      waiting.wakeUp();
    },
    timerMs((query.timeoutSeconds ?? 0) * 1000 || Infinity),
  );
  timer.unref();
  const sees =
    (collection: Collection) =>
    (object: Cached): boolean => {
      const { namespace } = object.metadata;
      return (
        (call.namespace === '' || namespace === call.namespace) && isWithin(collection, namespace) && matches(object)
      );
    };
  const event = (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Cached): ObjectEvent => {
    const stored = withVersion(object, versions.toString());
    return { type, stored, revision: stored.revision };
  };
  try {
    for (const { collection, from } of sources) versions.set(collection.cluster, from);
    if (query.sendInitialEvents !== false)
      for (const { collection, initial } of sources)
        for (const object of initial) if (sees(collection)(object)) yield event('ADDED', object);
    if (wantsInitial && query.allowWatchBookmarks) yield bookmark(versions, true);
    while (!call.signal.aborted && !timedOut) {
      waiting.reset();
      let busy = false;
      for (const { collection, cursor } of sources) {
        const visible = sees(collection);
        for (let change = cursor.next(); change; change = cursor.next()) {
          busy = true;
          versions.set(collection.cluster, change.version);
          const seen = seenAs(change, visible);
          if (seen) yield event(seen.type, seen.object);
          else if (change.type === 'BOOKMARK' && query.allowWatchBookmarks) yield bookmark(versions, false);
          if (call.signal.aborted || timedOut) return;
        }
        if (cursor.ended) return;
      }
      if (waiting.changed() && !sameShape(initialShape, shape(caches.collections(resource)))) return;
      if (!busy) await waiting.wait();
    }
  } finally {
    clearTimeout(timer);
    waiting.stop();
  }
}
