import { internal } from '../../apimachinery/errors/status.js';
import { timerMs } from '../../lib/timer.js';
import type { WatchQuery } from '../../client/interface.js';
import type { RequestScope, Event, Stored } from '../../registry/pipeline/interface.js';
import { type Cached, withVersion } from './cached.js';
import type { Caches, Collection } from './caches.js';
import type { Change, Cursor } from './feed.js';
import { isWithin, matcherOf, resourceOf } from './selection.js';
import { readVersions, type Versions } from './versions.js';

interface Source {
  readonly collection: Collection;
  readonly cursor: Cursor;
  /** The version at which it begins. */
  readonly from: string;
  /** What is told before anything else: the objects that are there. */
  readonly initial: readonly Cached[];
}

/** A bookmark says where the watch stands in all clusters; the handler writes it as text. */
const bookmark = (versions: Versions, initialEventsEnd: boolean): Event => ({
  type: 'BOOKMARK',
  revision: versions.toString() as unknown as Stored['revision'],
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

/** Whose mirrors there are; a watch that knows others is over. */
const shape = (collections: readonly Collection[]): readonly unknown[] => collections.map(({ feed }) => feed);

const sameShape = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((each, i) => each === b[i]);

/** Resolves with the next sign of life of any source, of the set of clusters, of the clock or of the asker. */
function waiter(caches: Caches, collections: readonly Collection[], signal: AbortSignal) {
  let woken = false;
  let moved = false;
  let wake = (): void => undefined;
  const tell = (): void => {
    woken = true;
    wake();
  };
  const onMove = (): void => {
    moved = true;
    tell();
  };
  const stops = [caches.onChange(onMove), ...collections.map(({ feed }) => feed.onChange(tell))];
  signal.addEventListener('abort', tell);
  return {
    /** Taken before looking, so that nothing is missed. */
    reset: () => void (woken = false),
    wait: () => (woken ? Promise.resolve() : new Promise<void>(resolve => (wake = resolve))),
    tell,
    /** Whether the set of clusters may be another one since this was asked before. */
    moved(): boolean {
      const before = moved;
      moved = false;
      return before;
    },
    stop() {
      for (const stop of stops) stop();
      signal.removeEventListener('abort', tell);
    },
  };
}

type Told = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Cached } | undefined;

/** What a change is to somebody who sees a selection only. */
function seenAs(change: Change, sees: (object: Cached) => boolean): Told {
  const { object, old } = change;
  if (!object || change.type === 'BOOKMARK') return undefined;
  const before = old !== undefined && sees(old);
  if (change.type === 'DELETED') return before || sees(object) ? { type: 'DELETED', object } : undefined;
  const now = sees(object);
  if (now) return { type: before ? 'MODIFIED' : 'ADDED', object };
  return before ? { type: 'DELETED', object: old } : undefined;
}

/**
 * The changes of all clusters in one stream; every event carries where the whole stands. Ends, so that clients look anew, when a cluster
 * comes or goes or had to be listed again.
 */
export async function* watchAll(caches: Caches, call: RequestScope, query: WatchQuery): AsyncGenerator<Event, void> {
  const resource = resourceOf(call);
  const matches = matcherOf(call, query);
  const versions = readVersions(query.resourceVersion);
  const collections = caches.collections(resource);
  const wantsInitial = query.sendInitialEvents === true;
  const sources = collections.map(each => openSource(each, versions.get(each.cluster), wantsInitial));
  const born = shape(collections);
  const waiting = waiter(caches, collections, call.signal);
  let late = false;
  const timer = setTimeout(
    () => {
      late = true;
      waiting.tell();
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
  const event = (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Cached): Event => {
    const stored = withVersion(object, versions.toString());
    return { type, stored, revision: stored.revision };
  };
  try {
    for (const { collection, from } of sources) versions.set(collection.cluster, from);
    if (query.sendInitialEvents !== false)
      for (const { collection, initial } of sources)
        for (const object of initial) if (sees(collection)(object)) yield event('ADDED', object);
    if (wantsInitial && query.allowWatchBookmarks) yield bookmark(versions, true);
    while (!call.signal.aborted && !late) {
      waiting.reset();
      let busy = false;
      for (const { collection, cursor } of sources) {
        const visible = sees(collection);
        for (let change = cursor.next(); change; change = cursor.next()) {
          busy = true;
          versions.set(collection.cluster, change.version);
          const told = seenAs(change, visible);
          if (told) yield event(told.type, told.object);
          else if (change.type === 'BOOKMARK' && query.allowWatchBookmarks) yield bookmark(versions, false);
          if (call.signal.aborted || late) return;
        }
        if (cursor.ended) return;
      }
      if (waiting.moved() && !sameShape(born, shape(caches.collections(resource)))) return;
      if (!busy) await waiting.wait();
    }
  } finally {
    clearTimeout(timer);
    waiting.stop();
  }
}
