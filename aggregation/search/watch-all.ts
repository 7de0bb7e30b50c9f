import { internal } from '../../apimachinery/errors/status.js';
import { timerMs } from '../../lib/timer.js';
import type { WatchQuery } from '../../client/interface.js';
import type { RequestScope, ObjectEvent } from '../../registry/pipeline/interface.js';
import { type Cached, withVersion } from './cached.js';
import type { Caches, Collection } from './caches.js';
import { CatchUp, type SeenChange } from './catch-up.js';
import { type Cursor, type FeedChange, isOlder } from './feed.js';
import { requestAll } from './member-reads.js';
import { isWithin, memberQuery, type MirrorSelection, mirrorSelection, resourceOf } from './selection.js';
import { readVersions, type Versions } from './versions.js';

interface Source {
  readonly collection: Collection;
  /** Where the changes come from. */
  changes: Cursor | CatchUp;
  /** The resourceVersion at which they begin. */
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

/** Returns the version of a state of a mirror: it may have an object whose change is not in the feed yet. */
export const versionOf = (position: string, objects: readonly Cached[]): string => {
  let version = position;
  for (const { metadata } of objects)
    if (isOlder(version, metadata.resourceVersion ?? '')) version = metadata.resourceVersion ?? '';
  return version;
};

interface Opening {
  readonly selection: MirrorSelection;
  readonly wantsInitial: boolean;
  /** Called when a source that reads from its member has more. */
  readonly onChange: () => void;
}

/** Opens a source whose mirror keeps a part of the objects only: all comes from the member. */
async function openMember(collection: Collection, version: string, opening: Opening): Promise<Source> {
  const { selection, wantsInitial, onChange } = opening;
  const isInitial = version === '' || version === '0' || wantsInitial;
  const { items, version: from } = isInitial
    ? await requestAll(collection, memberQuery(selection))
    : { items: [], version };
  return { collection, from, changes: new CatchUp(collection, from, selection, onChange), initial: items };
}

async function openSource(collection: Collection, version: string, opening: Opening): Promise<Source> {
  const { selection, wantsInitial, onChange } = opening;
  const { feed, informer, cluster } = collection;
  const { position } = feed;
  if (position === undefined) throw internal(`the cache of cluster ${cluster} is not ready`);
  if (collection.keptPaths) return openMember(collection, version, opening);
  if (version === '' || version === '0' || wantsInitial) {
    const initial = informer.list();
    const from = versionOf(position, initial);
    return { collection, from, changes: feed.cursor(from), initial };
  }
  const changes = feed.has(version) ? feed.cursor(version) : new CatchUp(collection, version, selection, onChange);
  return { collection, from: version, changes, initial: [] };
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

/** Returns a change as a watcher with a selector sees it; undefined if it does not. */
function seenAs(change: FeedChange, sees: (object: Cached) => boolean): SeenChange | undefined {
  const { type, version, object, old } = change;
  if (type === 'BOOKMARK') return { type, version, object };
  if (!object) return undefined;
  const before = old !== undefined && sees(old);
  if (type === 'DELETED') return before || sees(object) ? { type, version, object } : undefined;
  const now = sees(object);
  if (now) return { type: before ? 'MODIFIED' : 'ADDED', version, object };
  return before ? { type: 'DELETED', version, object: old } : undefined;
}

/** Returns the next change of a source as the watcher sees it, 'unseen' for one that it does not see; undefined if there is none yet. */
function nextOf(
  source: Source,
  sees: (object: Cached) => boolean,
  versions: Versions,
): SeenChange | 'unseen' | undefined {
  const { collection, changes } = source;
  const { cluster, feed } = collection;
  if (!(changes instanceof CatchUp)) {
    const change = changes.next();
    if (!change) return undefined;
    versions.set(cluster, change.version);
    return seenAs(change, sees) ?? 'unseen';
  }
  const change = changes.next();
  if (change) {
    versions.set(cluster, change.version);
    // The member has applied the selectors, but does not know the namespaces of the registries.
    return change.object && !isWithin(collection, change.object.metadata.namespace) ? 'unseen' : change;
  }
  if (collection.keptPaths || !feed.has(changes.version)) return undefined;
  changes.stop();
  source.changes = feed.cursor(changes.version);
  return nextOf(source, sees, versions);
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
  const selection = mirrorSelection(call, query);
  const versions = readVersions(query.resourceVersion);
  const collections = caches.collections(resource);
  await Promise.all(collections.map(({ informer }) => informer.attempted));
  const wantsInitial = query.sendInitialEvents === true;
  const initialShape = shape(collections);
  const waiting = waiter(caches, collections, call.signal);
  const sources: Source[] = [];
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
      const isInNamespace = call.namespace === '' || namespace === call.namespace;
      return isInNamespace && isWithin(collection, namespace) && selection.matches(object);
    };
  const event = ({ type, object }: Pick<SeenChange, 'type' | 'object'>): ObjectEvent => {
    if (!object || type === 'BOOKMARK') return bookmark(versions, false);
    const stored = withVersion(object, versions.toString());
    return { type, stored, revision: stored.revision };
  };
  try {
    const opening = { selection, wantsInitial, onChange: waiting.wakeUp };
    for (const each of collections) sources.push(await openSource(each, versions.get(each.cluster), opening));
    for (const { collection, from } of sources) versions.set(collection.cluster, from);
    if (query.sendInitialEvents !== false)
      for (const { collection, initial } of sources)
        for (const object of initial) if (sees(collection)(object)) yield event({ type: 'ADDED', object });
    if (wantsInitial && query.allowWatchBookmarks) yield bookmark(versions, true);
    while (!call.signal.aborted && !timedOut) {
      waiting.reset();
      let busy = false;
      for (const source of sources) {
        const visible = sees(source.collection);
        for (let seen = nextOf(source, visible, versions); seen; seen = nextOf(source, visible, versions)) {
          busy = true;
          if (seen !== 'unseen' && (seen.type !== 'BOOKMARK' || query.allowWatchBookmarks)) yield event(seen);
          if (call.signal.aborted || timedOut) return;
        }
        if (source.changes.ended) return;
      }
      if (waiting.changed() && !sameShape(initialShape, shape(caches.collections(resource)))) return;
      if (!busy) await waiting.wait();
    }
  } finally {
    clearTimeout(timer);
    waiting.stop();
    for (const { changes } of sources) if (changes instanceof CatchUp) changes.stop();
  }
}
