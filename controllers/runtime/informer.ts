import type { GroupVersionResource, KubeObject } from '../../openapi/interface.js';
import { StatusError } from '../../openapi/meta/status.js';
import type { Client, HeldObject, ListQuery } from '../../registry/interface.js';
import { breathe } from './breathe.js';
import { heldReader } from './held.js';
import { createIndex, type Index } from './indexer.js';
import type { Indexers, Informer, InformerFactory, InformerOptions, Key, Logger, ObjectChange } from './interface.js';
import type { Clock } from '../../storage/clock.js';

export { keyOf } from './held.js';

/** The two halves of a key. */
export function splitKey(key: Key): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

const firstRetryMs = 50;
const lastRetryMs = 30_000;

interface InformerDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

interface MutableInformer extends Informer {
  addIndexers(indexers: Indexers): void;
}

// A class: of every change of every object there is one.
class Change implements ObjectChange {
  readonly key: Key;
  readonly was: HeldObject | undefined;
  readonly is: HeldObject | undefined;

  constructor(key: Key, was: HeldObject | undefined, is: HeldObject | undefined) {
    this.key = key;
    this.was = was;
    this.is = is;
  }

  get old(): KubeObject | undefined {
    return this.was?.object;
  }

  get new(): KubeObject | undefined {
    return this.is?.object;
  }
}

const noKeys: ReadonlySet<Key> = new Set();

/** Keys by namespace, made when first asked for: most mirrors never are. */
function createNamespaces(objects: ReadonlyMap<Key, HeldObject>) {
  let known: Map<string, Set<Key>> | undefined;
  const add = (key: Key): void => {
    const { namespace } = splitKey(key);
    const keys = known?.get(namespace);
    if (keys) keys.add(key);
    else known?.set(namespace, new Set([key]));
  };
  return {
    keysIn(namespace: string): ReadonlySet<Key> {
      if (!known) {
        known = new Map();
        for (const key of objects.keys()) add(key);
      }
      return known.get(namespace) ?? noKeys;
    },
    added: add,
    removed(key: Key): void {
      const { namespace } = splitKey(key);
      const keys = known?.get(namespace);
      keys?.delete(key);
      if (keys?.size === 0) known?.delete(namespace);
    },
  };
}

/**
 * Lists, watches and, after a gap, lists again: what listeners hear is the difference, so nothing is missed and nothing is told twice.
 * In process it holds what the watch cache holds: no second copy, and nothing is parsed before somebody asks.
 */
function startInformer(
  resource: GroupVersionResource,
  selection: ListQuery,
  deps: InformerDeps,
  stop: AbortSignal,
): MutableInformer {
  const reader = heldReader(deps.client);
  const objects = new Map<Key, HeldObject>();
  const namespaces = createNamespaces(objects);
  const indexes = new Map<string, Index>();
  const listeners = new Set<(change: ObjectChange) => void>();
  let markSynced = (): void => undefined;
  const synced = new Promise<void>(resolve => (markSynced = resolve));
  let hasSynced = false;

  // hot: once per change and mirror.
  function apply(key: Key, next: HeldObject | undefined): void {
    const old = objects.get(key);
    if (old?.revision === next?.revision) return;
    if (next) objects.set(key, next);
    else objects.delete(key);
    if (!old) namespaces.added(key);
    else if (!next) namespaces.removed(key);
    for (const index of indexes.values()) index.replace(key, next);
    if (listeners.size === 0) return;
    const change = new Change(key, old, next);
    for (const listener of listeners) listener(change);
  }

  /** One that was made anew under the name of another: the other went first. */
  function applyAfterGap(key: Key, next: HeldObject): void {
    const old = objects.get(key);
    if (old && old.revision !== next.revision && old.object.metadata.uid !== next.object.metadata.uid)
      apply(key, undefined);
    apply(key, next);
  }

  async function relist(): Promise<string> {
    const { items, resourceVersion } = await reader.list(resource, selection);
    const gone = new Set(objects.keys());
    for (const { key, held } of items) {
      gone.delete(key);
      applyAfterGap(key, held);
      const pause = breathe();
      if (pause) await pause;
    }
    for (const key of gone) apply(key, undefined);
    return resourceVersion;
  }

  /** Where the mirror stands: what a broken watch goes on from. undefined: only a list can tell. */
  let position: string | undefined;

  async function follow(from: string, onEvent: () => void): Promise<void> {
    const query = { ...selection, resourceVersion: from, allowWatchBookmarks: true };
    for await (const event of reader.watch(resource, query, stop)) {
      onEvent();
      position = event.resourceVersion || position;
      if (event.type !== 'BOOKMARK') apply(event.key, event.type === 'DELETED' ? undefined : event.held);
    }
  }

  async function run(): Promise<void> {
    let retryMs = firstRetryMs;
    while (!stop.aborted) {
      try {
        if (position === undefined) {
          position = await relist();
          hasSynced = true;
          markSynced();
        }
        await follow(position, () => (retryMs = firstRetryMs));
      } catch (error) {
        if (stop.aborted) break;
        deps.log.debug({ resource: resource.resource, group: resource.group, err: error }, 'watch failed');
        // An answer of the server means that it does not know our position any more; a broken connection does not.
        if (error instanceof StatusError) position = undefined;
        if (error instanceof StatusError && error.code === 404)
          for (const key of [...objects.keys()]) apply(key, undefined);
        await deps.clock.sleep(retryMs, stop);
        retryMs = Math.min(retryMs * 2, lastRetryMs);
      }
    }
    markSynced();
  }

  const objectsAt = (keys: Iterable<Key>): KubeObject[] => {
    const found: KubeObject[] = [];
    for (const key of keys) {
      const held = objects.get(key);
      if (held) found.push(held.object);
    }
    return found;
  };

  function indexOf(name: string): Index {
    const index = indexes.get(name);
    if (!index) throw new Error(`informer of ${resource.resource} has no index ${name}`);
    return index;
  }

  void run();
  return {
    held: objects,
    get: key => objects.get(key)?.object,
    list: namespace => objectsAt(namespace ? namespaces.keysIn(namespace) : objects.keys()),
    keysIn: namespace => namespaces.keysIn(namespace),
    byIndex: (name, value) => objectsAt(indexOf(name).keys(value)),
    isIndexed: (name, key) => indexOf(name).has(key),
    onChange(listener) {
      for (const [key, held] of objects) listener(new Change(key, undefined, held));
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    synced,
    get hasSynced() {
      return hasSynced;
    },
    addIndexers(indexers) {
      for (const [name, values] of Object.entries(indexers)) {
        if (indexes.has(name)) continue;
        const index = createIndex(values);
        for (const [key, held] of objects) index.replace(key, held);
        indexes.set(name, index);
      }
    },
  };
}

/** Informers over one client, shared by resource and selection; they end with the signal. */
export function createInformerFactory(deps: InformerDeps): InformerFactory {
  const running = new Map<
    string,
    { resource: GroupVersionResource; informer: MutableInformer; stop: AbortController }
  >();
  return {
    informer<T = KubeObject>(resource: GroupVersionResource, options: InformerOptions<T> = {}): Informer<T> {
      const { indexers, ...selection } = options;
      const id = JSON.stringify([
        resource.group,
        resource.version,
        resource.resource,
        selection.namespace ?? '',
        selection.labelSelector ?? '',
        selection.fieldSelector ?? '',
      ]);
      let entry = running.get(id);
      if (!entry) {
        const stop = new AbortController();
        const signal = AbortSignal.any([deps.signal, stop.signal]);
        entry = { resource, stop, informer: startInformer(resource, selection, deps, signal) };
        running.set(id, entry);
      }
      if (indexers) entry.informer.addIndexers(indexers as unknown as Indexers);
      return entry.informer as unknown as Informer<T>;
    },
    release(resource) {
      for (const [id, entry] of running) {
        const same =
          entry.resource.group === resource.group &&
          entry.resource.version === resource.version &&
          entry.resource.resource === resource.resource;
        if (!same) continue;
        entry.stop.abort();
        running.delete(id);
      }
    },
  };
}
