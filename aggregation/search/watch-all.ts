import type { WatchQuery } from '../../client/interface.js';
import type { RequestScope, ObjectEvent } from '../../registry/pipeline/interface.js';
import { type Cached, withVersion } from './cached.js';
import type { Caches, Collection } from './caches.js';
import { CatchUp, type SeenChange } from './catch-up.js';
import type { FeedChange } from './feed.js';
import type { HeldObjects } from './held-lists.js';
import { checkWatchOfAll } from './read-options.js';
import { isWithin, type MirrorSelection, mirrorSelection, resourceOf } from './selection.js';
import { openSources, type WatchSource, stopSource } from './sources.js';
import { readVersions, type Versions } from './versions.js';
import { WatchWaiter } from './watch-waiter.js';

/** Returns a bookmark with the versions of all clusters. */
const bookmark = (versions: Versions, initialEventsEnd: boolean): ObjectEvent => ({
  type: 'BOOKMARK',
  revision: versions.toString(),
  initialEventsEnd,
});

/** Returns the identity of the set of mirrors; a watch ends when it changes. */
const shape = (collections: readonly Collection[]): readonly unknown[] => collections.map(({ feed }) => feed);

const sameShape = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((each, i) => each === b[i]);

type Sees = (collection: Collection) => (object: Cached) => boolean;

/** Returns which objects of a collection the watcher sees: those in its namespace, in the namespaces of the registries and in its selection. */
const visibility =
  (call: RequestScope, selection: MirrorSelection): Sees =>
  collection =>
  object => {
    const { namespace } = object.metadata;
    const isInNamespace = call.namespace === '' || namespace === call.namespace;
    return isInNamespace && isWithin(collection, namespace) && selection.matches(object);
  };

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
  source: WatchSource,
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

/** Yields the existing objects of the sources that the watcher sees. Each source holds its own until they were sent. */
function* initialObjects(sources: readonly WatchSource[], held: HeldObjects, sees: Sees): Generator<Cached, void> {
  for (const source of sources) {
    const isVisible = sees(source.collection);
    for (const object of source.initial) if (isVisible(object)) yield object;
    source.initial = [];
    held.release(source.heldBytes);
  }
}

/** What a watch reads. */
interface WatchDeps {
  readonly caches: Caches;
  readonly held: HeldObjects;
}

/**
 * Yields the changes of all clusters; every event has the versions of all clusters. Ends when a cluster is added or removed or has been
 * listed again, so that clients start a new watch.
 */
export async function* watchAll(
  { caches, held }: WatchDeps,
  call: RequestScope,
  query: WatchQuery,
): AsyncGenerator<ObjectEvent, void> {
  checkWatchOfAll(query);
  const resource = resourceOf(call);
  const selection = mirrorSelection(call, query);
  const versions = readVersions(query.resourceVersion);
  const collections = caches.collections(resource);
  await Promise.all(collections.map(({ informer }) => informer.attempted));
  const initialShape = shape(collections);
  const timeoutMs = (query.timeoutSeconds ?? 0) * 1000 || Infinity;
  const waiting = new WatchWaiter(caches, collections, { signal: call.signal, timeoutMs });
  const { ended } = waiting;
  let sources: readonly WatchSource[] = [];
  const sees = visibility(call, selection);
  const event = ({ type, object }: Pick<SeenChange, 'type' | 'object'>): ObjectEvent => {
    if (!object || type === 'BOOKMARK') return bookmark(versions, false);
    const stored = withVersion(object, versions.toString());
    return { type, stored, revision: stored.revision };
  };
  try {
    const { sendInitialEvents } = query;
    const opening = { versions, selection, sendInitialEvents, held, onChange: waiting.wakeUp };
    sources = await openSources(collections, opening, ended);
    for (const { collection, from } of sources) versions.set(collection.cluster, from);
    const isVisible = sendInitialEvents === false ? () => () => false : sees;
    for (const object of initialObjects(sources, held, isVisible)) yield event({ type: 'ADDED', object });
    if (sendInitialEvents === true && query.allowWatchBookmarks) yield bookmark(versions, true);
    while (!ended.aborted) {
      waiting.reset();
      let busy = false;
      for (const source of sources) {
        const visible = sees(source.collection);
        for (let seen = nextOf(source, visible, versions); seen; seen = nextOf(source, visible, versions)) {
          busy = true;
          if (seen !== 'unseen' && (seen.type !== 'BOOKMARK' || query.allowWatchBookmarks)) yield event(seen);
          if (ended.aborted) return;
        }
        if (source.changes.ended) return;
      }
      if (waiting.takeClustersChange() && !sameShape(initialShape, shape(caches.collections(resource)))) return;
      if (!busy) await waiting.wait();
    }
  } catch (error) {
    if (!ended.aborted || error !== ended.reason) throw error;
  } finally {
    waiting.stop();
    for (const source of sources) stopSource(source);
  }
}
