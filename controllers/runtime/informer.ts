import type { GroupVersionResource, KubeObject } from '../../openapi/interface.js';
import { StatusError } from '../../openapi/meta/status.js';
import type { Client, ListQuery } from '../../registry/interface.js';
import { createIndex, type Index } from './indexer.js';
import type { Indexers, Informer, InformerFactory, InformerOptions, Key, Logger, ObjectChange } from './interface.js';
import type { Clock } from '../../storage/clock.js';

/** `namespace/name`, or `name` for cluster-scoped objects. */
export function keyOf(object: KubeObject): Key {
  const { namespace, name = '' } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}

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

/** Lists, watches and, after a gap, lists again: what listeners hear is the difference, so nothing is missed and nothing is told twice. */
function startInformer(
  resource: GroupVersionResource,
  selection: ListQuery,
  deps: InformerDeps,
  stop: AbortSignal,
): MutableInformer {
  const objects = new Map<Key, KubeObject>();
  const namespaces = createIndex(object => [object.metadata.namespace ?? '']);
  const indexes = new Map<string, Index>();
  const listeners = new Set<(change: ObjectChange) => void>();
  let markSynced = (): void => undefined;
  const synced = new Promise<void>(resolve => (markSynced = resolve));
  let hasSynced = false;

  function apply(key: Key, next: KubeObject | undefined): void {
    const old = objects.get(key);
    if (old === next) return;
    if (old && next && old.metadata.resourceVersion === next.metadata.resourceVersion) return;
    if (next) objects.set(key, next);
    else objects.delete(key);
    namespaces.replace(key, old, next);
    for (const index of indexes.values()) index.replace(key, old, next);
    for (const listener of listeners) listener({ old, new: next });
  }

  async function relist(): Promise<string> {
    const list = await deps.client.list(resource, selection);
    const seen = new Set<Key>();
    for (const object of list.items) {
      const key = keyOf(object);
      seen.add(key);
      apply(key, object);
    }
    for (const key of [...objects.keys()]) if (!seen.has(key)) apply(key, undefined);
    return list.metadata.resourceVersion ?? '';
  }

  /** Where the mirror stands: what a broken watch goes on from. undefined: only a list can tell. */
  let position: string | undefined;

  async function follow(from: string, onEvent: () => void): Promise<void> {
    const query = { ...selection, resourceVersion: from, allowWatchBookmarks: true };
    for await (const event of deps.client.watch(resource, query, stop)) {
      onEvent();
      position = event.object.metadata.resourceVersion ?? position;
      if (event.type !== 'BOOKMARK') apply(keyOf(event.object), event.type === 'DELETED' ? undefined : event.object);
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

  void run();
  return {
    get: key => objects.get(key),
    list: namespace => (namespace ? namespaces.get(namespace) : [...objects.values()]),
    byIndex(name, value) {
      const index = indexes.get(name);
      if (!index) throw new Error(`informer of ${resource.resource} has no index ${name}`);
      return index.get(value);
    },
    onChange(listener) {
      for (const object of objects.values()) listener({ old: undefined, new: object });
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
        for (const [key, object] of objects) index.replace(key, undefined, object);
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
