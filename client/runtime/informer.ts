import type { Logger } from '../../lib/logging/interface.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { isUnreachable } from '../../lib/logging/cause.js';
import { Troubles } from '../../lib/logging/trouble.js';
import { objectKey } from '../../apimachinery/meta/gvk.js';
import { qualified, StatusError } from '../../apimachinery/errors/status.js';
import type { Budget } from '../watch/budget.js';
import { follow } from '../watch/follow.js';
import type { Client, CachedObject, ListQuery } from '../interface.js';
import { createIndex, type Index } from './indexer.js';
import type { Indexers, Informer, InformerFactory, InformerOptions, Key, ObjectChange } from './interface.js';
import type { Clock } from '../../lib/clock.js';

/** Returns the key of an object: `namespace/name`, or `name` if cluster-scoped. */
export const keyOf = ({ metadata: { namespace, name = '' } }: KubeObject): Key => objectKey(namespace, name);

/** Splits a key into namespace and name. */
export function splitKey(key: Key): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Maximum backoff in milliseconds: the server may be remote, and many clients may be retrying. */
const maxRetryMs = 30_000;

interface InformerDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Memory budget of all mirrors together; absent for no limit. */
  readonly budget?: Budget;
  /** Fields of all log lines, such as the cluster. */
  readonly fields?: object;
}

interface MutableInformer extends Informer {
  addIndexers(indexers: Indexers): void;
}

// A class, because instances with getters on the prototype are cheap and there is one per change of every object.
class Change implements ObjectChange {
  readonly key: Key;
  readonly was: CachedObject | undefined;
  readonly is: CachedObject | undefined;

  constructor(key: Key, was: CachedObject | undefined, is: CachedObject | undefined) {
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

/** Index of keys by namespace, built at the first use, since most mirrors never need it. */
function createNamespaces(objects: ReadonlyMap<Key, CachedObject>) {
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

/** Starts a mirror that is shared by all its users, each with its own indexers. */
function startInformer(
  resource: GroupVersionResource,
  selection: ListQuery,
  deps: InformerDeps & { readonly troubles: Troubles },
  stop: AbortSignal,
): MutableInformer {
  const { client, clock, log, budget } = deps;
  const indexes = new Map<string, Index>();
  const listeners = new Set<(change: ObjectChange) => void>();
  const followed = follow(resource, {
    ...{ client, selection, clock, maxRetryMs, signal: stop, ...(budget && { budget }) },
    onChange: apply,
    onError(err) {
      const fields = { ...deps.fields, resource: qualified(resource.resource, resource.group) };
      log.debug({ ...fields, err }, 'a watch failed');
      // An unreachable member or store is reported elsewhere, once for all watches. A kind that is not served is not a failure.
      if (!isUnreachable(err) && !(err instanceof StatusError && err.code === 404))
        deps.troubles.failed(fields.resource, err, fields);
    },
    onEvent: () => deps.troubles.worked(qualified(resource.resource, resource.group)),
  });
  const { objects } = followed;
  const namespaces = createNamespaces(objects);
  let hasSynced = false;
  const synced = followed.synced.then(
    () => void (hasSynced = true),
    () => undefined, // A stopped informer resolves, so that nothing waits for it forever.
  );

  // hot: once per change and mirror.
  function apply(key: Key, was: CachedObject | undefined, is: CachedObject | undefined): void {
    if (!was) namespaces.added(key);
    else if (!is) namespaces.removed(key);
    for (const index of indexes.values()) index.replace(key, is);
    if (listeners.size === 0) return;
    const change = new Change(key, was, is);
    for (const listener of listeners) listener(change);
  }

  const objectsAt = (keys: Iterable<Key>): KubeObject[] => {
    const found: KubeObject[] = [];
    for (const key of keys) {
      const cached = objects.get(key);
      if (cached) found.push(cached.object);
    }
    return found;
  };

  function indexOf(name: string): Index {
    const index = indexes.get(name);
    if (!index) throw new Error(`informer of ${resource.resource} has no index ${name}`);
    return index;
  }

  return {
    cached: objects,
    get: key => objects.get(key)?.object,
    list: namespace => objectsAt(namespace ? namespaces.keysIn(namespace) : objects.keys()),
    keysIn: namespace => namespaces.keysIn(namespace),
    byIndex: (name, value) => objectsAt(indexOf(name).keys(value)),
    isIndexed: (name, key) => indexOf(name).has(key),
    onChange(listener) {
      for (const [key, cached] of objects) listener(new Change(key, undefined, cached));
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
        for (const [key, cached] of objects) index.replace(key, cached);
        indexes.set(name, index);
      }
    },
  };
}

/** Creates informers over one client, shared by resource and selection; they stop with the signal. */
export function createInformerFactory(deps: InformerDeps): InformerFactory {
  const troubles = new Troubles({
    ...{ log: deps.log, now: () => deps.clock.now() },
    fails: 'a resource cannot be watched; it is tried again',
    works: 'a resource can be watched again',
  });
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
        entry = { resource, stop, informer: startInformer(resource, selection, { ...deps, troubles }, signal) };
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
