/** Holds the mirrors of the resources and members that ResourceRegistries select. */
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { apiVersionOf, gvrText } from '../../apimachinery/meta/gvk.js';
import { Budget } from '../../client/watch/budget.js';
import type { Catalogue } from '../../registry/interface.js';
import { isClusterReady } from '../../kinds/karmada/conditions.js';
import type { Cluster, ResourceRegistry } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { createInformerFactory, keyOf } from '../../client/runtime/informer.js';
import type { ControllerContext, Informer, InformerFactory } from '../../client/runtime/interface.js';
import type { Member, Members } from '../interface.js';
import type { Cached } from './cached.js';
import { type CachingClient, cachingClient } from './caching-client.js';
import type { Feed } from './feed.js';
import { kindOf, type SelectedResource, selectedResources } from './selected-resources.js';

/** The mirror of one resource in one cluster. */
export interface Collection extends SelectedResource {
  readonly cluster: string;
  readonly member: Member;
  /** Mirror of all namespaces. */
  readonly informer: Informer<Cached>;
  /** The recent changes of the informer. */
  readonly feed: Feed;
}

export interface Caches {
  /** Returns the collections of a resource in ready clusters, sorted by cluster name. */
  collections(resource: GroupVersionResource): readonly Collection[];
  /** Reports whether any registry selects the resource, for any clusters. */
  has(resource: GroupVersionResource): boolean;
  /** Calls the listener whenever a mirror of a cluster starts or stops. Returns a function to unsubscribe. */
  onChange(listener: () => void): () => void;
}

interface CachesDeps {
  readonly catalogue: Catalogue;
  readonly members: Members;
}

/** Maximum memory of the mirrors of one cluster in bytes. */
const clusterBytes = 1024 * 1024 * 1024;

interface Mirrored {
  readonly member: Member;
  readonly client: CachingClient;
  readonly informers: InformerFactory;
  readonly stop: AbortController;
  readonly collections: Map<string, Collection>;
}

const sameNamespaces = (a: SelectedResource, b: SelectedResource): boolean =>
  [...(a.namespaces ?? ['*'])].sort().join() === [...(b.namespaces ?? ['*'])].sort().join();

function open({ client, informers }: Mirrored, resource: GroupVersionResource): Pick<Collection, 'informer' | 'feed'> {
  const feed = client.feed(resource, () => informer);
  const informer = informers.informer<Cached>(resource);
  return { informer, feed };
}

/** Starts and stops mirrors according to the selected resources. Returns whether anything changed. */
function adjust(mirror: Mirrored, selected: ReadonlyMap<string, SelectedResource>): boolean {
  const { member, client, informers, collections } = mirror;
  let different = false;
  for (const [id, { resource }] of collections) {
    if (selected.has(id)) continue;
    informers.release(resource);
    client.release(resource);
    collections.delete(id);
    different = true;
  }
  for (const [id, selection] of selected) {
    const known = collections.get(id);
    if (known && sameNamespaces(known, selection)) continue;
    const { informer, feed } = known ?? open(mirror, selection.resource);
    collections.set(id, { ...selection, cluster: member.name, member, informer, feed });
    different = true;
  }
  return different;
}

/** Starts the mirrors and adjusts them to changes of clusters and registries, without restarting unaffected ones. */
export function startCaches(context: ControllerContext, { catalogue, members }: CachesDeps): Caches {
  const clusters = context.informers.informer<Cluster>(resources.clusters);
  const registries = context.informers.informer<ResourceRegistry>(resources.resourceRegistries);
  const mirrored = new Map<string, Mirrored>();
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };

  function drop(name: string): void {
    const mirror = mirrored.get(name);
    if (!mirror) return;
    mirrored.delete(name);
    mirror.stop.abort();
    for (const { resource } of mirror.collections.values()) mirror.client.release(resource);
    notify();
  }

  function begin(member: Member): Mirrored {
    const stop = new AbortController();
    const signal = AbortSignal.any([context.signal, member.signal, stop.signal]);
    const client = cachingClient(member.client, member.name);
    const informers = createInformerFactory({
      ...{ client: client.client, clock: context.clock, log: context.log, signal },
      budget: new Budget(clusterBytes),
    });
    const mirror = { member, client, informers, stop, collections: new Map<string, Collection>() };
    mirrored.set(member.name, mirror);
    return mirror;
  }

  async function reconcile(name: string): Promise<void> {
    const cluster = clusters.get(name);
    const selected = cluster && selectedResources(cluster, registries.list(), catalogue);
    if (!cluster || cluster.metadata.deletionTimestamp || !selected || selected.size === 0) {
      drop(name);
      if (!cluster) await members.forget(name);
      return;
    }
    // A cluster that was never ready may not be reachable at all; one that was is retried until it is.
    if (!mirrored.has(name) && !isClusterReady(cluster)) return;
    const member = await members.connect(cluster);
    if (mirrored.get(name)?.member !== member) drop(name);
    if (adjust(mirrored.get(name) ?? begin(member), selected)) notify();
  }

  context.run({
    name: 'search-cache-controller',
    synced: [clusters.synced, registries.synced],
    reconcile,
    wire(queue) {
      clusters.onChange(({ old, new: cluster }) => {
        const either = cluster ?? old;
        if (!either) return;
        queue.add(keyOf(either));
        if (old && cluster && isClusterReady(old) !== isClusterReady(cluster)) notify();
      });
      const all = (): void => {
        for (const cluster of clusters.list()) queue.add(keyOf(cluster));
      };
      registries.onChange(all);
      // The CRD of a selected kind may be created after the registry.
      context.signal.addEventListener('abort', catalogue.onChange(all));
    },
  });

  const ready = (name: string): boolean => {
    const cluster = clusters.get(name);
    return cluster !== undefined && isClusterReady(cluster);
  };

  return {
    collections(resource) {
      const id = gvrText(resource);
      const found: Collection[] = [];
      for (const [name, { collections }] of mirrored) {
        const collection = collections.get(id);
        if (collection && ready(name)) found.push(collection);
      }
      return found.sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
    },
    has(resource) {
      const kind = kindOf(catalogue, resource);
      const apiVersion = apiVersionOf(resource);
      return registries
        .list()
        .some(({ spec }) => spec.resourceSelectors?.some(s => s.kind === kind && s.apiVersion === apiVersion));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
