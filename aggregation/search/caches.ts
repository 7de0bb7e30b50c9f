/** Holds the mirrors of the resources and members that ResourceRegistries select. */
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { apiVersionOf, gvrText } from '../../apimachinery/meta/gvk.js';
import { MirrorBudget } from '../../client/watch/budget.js';
import type { Catalogue } from '../../registry/interface.js';
import { isClusterReady } from '../../kinds/karmada/conditions.js';
import type { Cluster, ResourceRegistry } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { keyOf } from '../../client/key.js';
import { createInformerFactory } from '../../client/runtime/mirrors/informer.js';
import type { ControllerContext, Informer, InformerFactory, WorkQueue } from '../../client/runtime/interface.js';
import type { Member, Members } from '../interface.js';
import type { Cached } from './cached.js';
import { compareTexts } from '../../lib/collections/compare-texts.js';
import { CachingClient } from './caching-client.js';
import type { Feed } from './feed.js';
import { KeptFields } from './kept-fields.js';
import { mirrorIndexers } from './mirror-indexers.js';
import { type TextIndex, TextIndexes } from './text-indexes.js';
import { kindOf, type SelectedResource, selectedResources } from './selected-resources.js';

/** The mirror of one resource in one cluster. */
export interface Collection extends SelectedResource {
  readonly cluster: string;
  readonly member: Member;
  /** Mirror of all namespaces. */
  readonly informer: Informer<Cached>;
  /** The recent changes of the informer. */
  readonly feed: Feed;
  /** The fields that the informer's index `fields` has. */
  readonly indexedFields: ReadonlySet<string>;
  /** The words of its objects; undefined if search is disabled. */
  readonly text: TextIndex | undefined;
}

export interface Caches {
  /** Resolves when the registries are known, and the mirrors of all ready clusters have been started. */
  readonly started: Promise<void>;
  /** Returns all collections in ready clusters, sorted by cluster name and resource. */
  all(): readonly Collection[];
  /** Returns the collections of all clusters, ready or not. */
  mirrored(): readonly Collection[];
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
  /** Whether the words of the objects are indexed. */
  readonly indexesText: boolean;
}

/** Maximum memory of the text indexes of all mirrors in bytes. */
const textBytes = 256 * 1024 * 1024;

/** How much more memory the mirrors of a cluster may take than those of other components: users choose what is mirrored. */
const memoryFactor = 2;

interface Mirrored {
  readonly member: Member;
  readonly client: CachingClient;
  readonly informers: InformerFactory;
  readonly stop: AbortController;
  readonly collections: Map<string, Collection>;
  /** Begins the text index of an informer; undefined if search is disabled. */
  readonly indexText: ((informer: Informer<Cached>, resource: string) => TextIndex) | undefined;
}

const sameNamespaces = (a: SelectedResource, b: SelectedResource): boolean =>
  [...(a.namespaces ?? ['*'])].sort().join() === [...(b.namespaces ?? ['*'])].sort().join();

const sameFields = (a: SelectedResource['keptPaths'], b: SelectedResource['keptPaths']): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

type Opened = Pick<Collection, 'informer' | 'feed' | 'indexedFields' | 'text'>;

function open(
  { client, informers, indexText }: Mirrored,
  { id, resource, fields, keptPaths }: SelectedResource,
): Opened {
  const kept = keptPaths && new KeptFields(keptPaths);
  const feed = client.feed(resource, { mirror: () => informer, fields, kept });
  const informer = informers.informer<Cached>(resource, { indexers: mirrorIndexers() });
  return { informer, feed, indexedFields: new Set(Object.keys(fields)), text: indexText?.(informer, id) };
}

/** Starts and stops mirrors according to the selected resources. Returns whether anything changed. */
function adjust(mirror: Mirrored, selected: ReadonlyMap<string, SelectedResource>): boolean {
  const { member, client, informers, collections } = mirror;
  let different = false;
  for (const [id, { resource, text, keptPaths }] of collections) {
    const selection = selected.get(id);
    if (selection && sameFields(keptPaths, selection.keptPaths)) continue;
    text?.stop();
    informers.release(resource);
    client.release(resource);
    collections.delete(id);
    different = true;
  }
  for (const [id, selection] of selected) {
    const known = collections.get(id);
    if (known && sameNamespaces(known, selection)) continue;
    const { informer, feed, indexedFields, text } = known ?? open(mirror, selection);
    collections.set(id, { ...selection, cluster: member.name, member, informer, feed, indexedFields, text });
    different = true;
  }
  return different;
}

class MirrorCaches implements Caches {
  readonly #context: ControllerContext;
  readonly #catalogue: Catalogue;
  readonly #members: Members;
  readonly #clusters: Informer<Cluster>;
  readonly #registries: Informer<ResourceRegistry>;
  /** The mirrors of each cluster that has any. */
  readonly #mirrored = new Map<string, Mirrored>();
  readonly #listeners = new Set<() => void>();
  readonly #text: TextIndexes | undefined;
  readonly started: Promise<void>;
  #markStarted = (): void => undefined;
  /** The clusters that have not been reconciled since the start; undefined before they are known. */
  #unvisited: Set<string> | undefined;

  constructor(context: ControllerContext, { catalogue, members, indexesText }: CachesDeps) {
    this.#context = context;
    this.#catalogue = catalogue;
    this.#members = members;
    this.started = new Promise(resolve => (this.#markStarted = resolve));
    context.signal.addEventListener('abort', this.#markStarted);
    this.#text = indexesText ? new TextIndexes(textBytes, context.log) : undefined;
    this.#clusters = context.informers.informer<Cluster>(resources.clusters);
    this.#registries = context.informers.informer<ResourceRegistry>(resources.resourceRegistries);
  }

  /** Keeps the mirrors up to date until the context's signal aborts. */
  run(): void {
    this.#context.run({
      name: 'search-cache-controller',
      synced: [this.#clusters.synced, this.#registries.synced],
      reconcile: name => this.#reconcile(name).finally(() => this.#visited(name)),
      wire: queue => this.#wire(queue),
    });
    void Promise.all([this.#clusters.synced, this.#registries.synced]).then(() => {
      const ready = this.#clusters.list().filter(isClusterReady);
      this.#unvisited = new Set(ready.map(({ metadata }) => metadata.name ?? ''));
      for (const name of this.#mirrored.keys()) this.#unvisited.delete(name);
      this.#visited('');
    });
  }

  mirrored(): readonly Collection[] {
    return [...this.#mirrored.values()].flatMap(({ collections }) => [...collections.values()]);
  }

  all(): readonly Collection[] {
    const found: Collection[] = [];
    for (const [name, { collections }] of this.#mirrored) if (this.#isReady(name)) found.push(...collections.values());
    return found.sort((a, b) => compareTexts(a.cluster, b.cluster) || compareTexts(a.id, b.id));
  }

  collections(resource: GroupVersionResource): readonly Collection[] {
    const id = gvrText(resource);
    const found: Collection[] = [];
    for (const [name, { collections }] of this.#mirrored) {
      const collection = collections.get(id);
      if (collection && this.#isReady(name)) found.push(collection);
    }
    return found.sort((a, b) => compareTexts(a.cluster, b.cluster));
  }

  has(resource: GroupVersionResource): boolean {
    const kind = kindOf(this.#catalogue, resource);
    const apiVersion = apiVersionOf(resource);
    return this.#registries
      .list()
      .some(({ spec }) => spec.resourceSelectors?.some(s => s.kind === kind && s.apiVersion === apiVersion));
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #wire(queue: WorkQueue): void {
    this.#clusters.onChange(({ old, new: cluster }) => {
      const either = cluster ?? old;
      if (!either) return;
      queue.add(keyOf(either));
      if (old && cluster && isClusterReady(old) !== isClusterReady(cluster)) this.#notify();
    });
    const all = (): void => {
      for (const cluster of this.#clusters.list()) queue.add(keyOf(cluster));
    };
    this.#registries.onChange(all);
    // The CRD of a selected kind may be created after the registry.
    this.#context.signal.addEventListener('abort', this.#catalogue.onChange(all));
  }

  /** A cluster that cannot be connected counts, too: requests do not wait for it. */
  #visited(name: string): void {
    this.#unvisited?.delete(name);
    if (this.#unvisited?.size === 0) this.#markStarted();
  }

  async #reconcile(name: string): Promise<void> {
    const cluster = this.#clusters.get(name);
    const selected = cluster && selectedResources(cluster, this.#registries.list(), this.#catalogue);
    if (!cluster || cluster.metadata.deletionTimestamp || !selected || selected.size === 0) {
      this.#drop(name);
      if (!cluster) await this.#members.forget(name);
      return;
    }
    // A cluster that was never ready may not be reachable at all; one that was is retried until it is.
    if (!this.#mirrored.has(name) && !isClusterReady(cluster)) return;
    const member = await this.#members.connect(cluster);
    if (this.#mirrored.get(name)?.member !== member) this.#drop(name);
    if (adjust(this.#mirrored.get(name) ?? this.#begin(member), selected)) this.#notify();
  }

  #begin(member: Member): Mirrored {
    const { clock, log, signal } = this.#context;
    const stop = new AbortController();
    const client = new CachingClient(member.client, member.name);
    const informers = createInformerFactory({
      ...{ client, clock, log, fields: { cluster: member.name } },
      signal: AbortSignal.any([signal, member.signal, stop.signal]),
      budget: new MirrorBudget(member.memoryLimit * memoryFactor),
    });
    const text = this.#text;
    const indexText =
      text &&
      ((informer: Informer<Cached>, resource: string): TextIndex =>
        text.follow(informer, { cluster: member.name, resource }));
    const mirror = { member, client, informers, stop, collections: new Map<string, Collection>(), indexText };
    this.#mirrored.set(member.name, mirror);
    return mirror;
  }

  #drop(name: string): void {
    const mirror = this.#mirrored.get(name);
    if (!mirror) return;
    this.#mirrored.delete(name);
    mirror.stop.abort();
    for (const { resource, text } of mirror.collections.values()) {
      text?.stop();
      mirror.client.release(resource);
    }
    this.#notify();
  }

  #isReady(name: string): boolean {
    const cluster = this.#clusters.get(name);
    return cluster !== undefined && isClusterReady(cluster);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Returns the mirrors. `run` starts them, and adjusts them to changes of clusters and registries, without restarting unaffected ones. */
export const createCaches = (context: ControllerContext, deps: CachesDeps): Caches & { run(): void } =>
  new MirrorCaches(context, deps);
