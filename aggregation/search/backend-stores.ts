/** Runs the backend stores of ResourceRegistries: each gets the objects that its registry selects. as pkg/search/controller.go */
// differs: Karmada has one backend store per cluster, that of any of its registries, with all objects that any registry selects
import { createHash } from 'node:crypto';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import { resources } from '../../api/karmada/well-known.js';
import { secrets } from '../../api/kubernetes/resources.js';
import type { Cluster, ResourceRegistry } from '../../api/karmada/types.js';
import { findRecent } from '../../client/recent.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, Informer, WorkQueue } from '../../client/runtime/interface.js';
import type { Catalogue } from '../../registry/interface.js';
import type { OpenSearchSettings, Source } from '../search-backends/interface.js';
import type { OpenSearchStore } from '../search-backends/open-search-store.js';
import type { Caches, Collection } from './caches.js';
import { type SelectedResource, selectedResources } from './selected-resources.js';
import { isWithin } from './selection.js';
import { secretText } from '../../kinds/kubernetes/core/config/secret-text.js';

interface BackendDeps {
  readonly caches: Caches;
  readonly catalogue: Catalogue;
}

interface Running {
  readonly store: OpenSearchStore;
  readonly fingerprint: string;
  /** The sources by collection and namespaces. */
  sources: ReadonlyMap<string, KnownSource>;
}

interface KnownSource {
  readonly collection: Collection['informer'];
  readonly source: Source;
}

function sourceOf({ cluster, id, resource, kind, informer }: Collection, selection: SelectedResource): Source {
  const get = (key: string): ReturnType<Source['get']> => {
    const cached = informer.get(key);
    if (!cached || !isWithin(selection, cached.metadata.namespace)) return undefined;
    const { uid = '', resourceVersion: version = '' } = cached.metadata;
    // A getter, since the object is parsed on first use.
    return {
      uid,
      version,
      get object() {
        return cached.object;
      },
    };
  };
  return {
    ...{ id: `${cluster} ${id}`, cluster, apiVersion: apiVersionOf(resource), kind, get, synced: informer.synced },
    get hasSynced() {
      return informer.hasSynced;
    },
    includes: namespace => isWithin(selection, namespace),
    keys: () => informer.cached.keys(),
    onChange(listener) {
      return informer.onLaterChange(({ key, old, new: now }) => {
        const { namespace } = (now ?? old)?.metadata ?? {};
        if (isWithin(selection, namespace)) listener(key, [old?.metadata.uid, now?.metadata.uid]);
      });
    },
  };
}

const fingerprintOf = (settings: OpenSearchSettings): string =>
  createHash('sha256').update(JSON.stringify(settings)).digest('base64');

class BackendStores {
  readonly #context: ControllerContext;
  readonly #deps: BackendDeps;
  readonly #registries: Informer<ResourceRegistry>;
  readonly #clusters: Informer<Cluster>;
  readonly #running = new Map<string, Running>();

  constructor(context: ControllerContext, deps: BackendDeps) {
    this.#context = context;
    this.#deps = deps;
    this.#registries = context.informers.informer<ResourceRegistry>(resources.resourceRegistries);
    this.#clusters = context.informers.informer<Cluster>(resources.clusters);
  }

  run(): void {
    const secretsInformer = this.#context.informers.informer(secrets);
    this.#context.run({
      name: 'search-backend-controller',
      synced: [this.#registries.synced, this.#clusters.synced, secretsInformer.synced],
      reconcile: name => this.#reconcile(name),
      wire: queue => this.#wire(queue, secretsInformer),
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map(name => this.#close(name)));
  }

  #wire(queue: WorkQueue, secretsInformer: Informer): void {
    this.#registries.onChange(({ key }) => queue.add(key));
    const all = (): void => {
      for (const { metadata, spec } of this.#registries.list()) if (spec.backendStore) queue.add(metadata.name ?? '');
    };
    this.#context.signal.addEventListener('abort', this.#deps.caches.onChange(all));
    // Registries select clusters by their labels, too.
    this.#clusters.onChange(all);
    secretsInformer.onChange(({ key }) => {
      for (const registry of this.#registries.list()) {
        const { secretRef } = registry.spec.backendStore?.openSearch ?? {};
        if (secretRef && key === `${secretRef.namespace}/${secretRef.name}`) queue.add(keyOf(registry));
      }
    });
  }

  async #reconcile(name: string): Promise<void> {
    const registry = this.#registries.get(name);
    const settings = registry && !registry.metadata.deletionTimestamp && (await this.#settingsOf(registry));
    if (!registry || !settings) return this.#close(name);
    const fingerprint = fingerprintOf(settings);
    if (this.#running.get(name)?.fingerprint !== fingerprint) await this.#close(name);
    // The client takes a tenth of a second to load, which no server without a backend store should spend.
    const { OpenSearchStore } = await import('../search-backends/open-search-store.js');
    const { log, clock, meter, signal } = this.#context;
    if (signal.aborted) return;
    let running = this.#running.get(name);
    if (!running) {
      running = {
        store: new OpenSearchStore(settings, {
          ...{ log, clock, meter, registry: name },
          isSelected: owner => this.#isSelected(owner),
        }),
        fingerprint,
        sources: new Map(),
      };
      this.#running.set(name, running);
    }
    running.sources = this.#sourcesOf(registry, running.sources);
    running.store.follow([...running.sources.values()].map(({ source }) => source));
  }

  async #close(name: string): Promise<void> {
    const running = this.#running.get(name);
    this.#running.delete(name);
    await running?.store.close();
  }

  #isSelected({ cluster, apiVersion, kind }: Pick<Source, 'cluster' | 'apiVersion' | 'kind'>): boolean {
    const isOwner = (each: Collection): boolean =>
      each.cluster === cluster && each.kind === kind && apiVersionOf(each.resource) === apiVersion;
    return this.#deps.caches.mirrored().some(isOwner);
  }

  /** Returns undefined without a store. As in Karmada, a Secret that is missing or has no username means a store without authentication. */
  async #settingsOf({ spec }: ResourceRegistry): Promise<OpenSearchSettings | undefined> {
    const { addresses = [], secretRef: { namespace, name } = {} } = spec.backendStore?.openSearch ?? {};
    if (addresses.length === 0) return undefined;
    const secret = namespace && name ? await findRecent(this.#context.client, secrets, { namespace, name }) : undefined;
    const [username, password, ca] = ['username', 'password', 'caBundle'].map(key => secretText(secret, key) ?? '');
    return { addresses, username: username ?? '', password: password ?? '', ca: ca ?? '' };
  }

  /** Returns the sources of a registry; those that have not changed are the known ones. */
  #sourcesOf(registry: ResourceRegistry, known: Running['sources']): Running['sources'] {
    const { caches, catalogue } = this.#deps;
    const sources = new Map<string, KnownSource>();
    for (const collection of caches.mirrored()) {
      const cluster = this.#clusters.get(collection.cluster);
      const selection = cluster && selectedResources(cluster, [registry], catalogue).get(collection.id);
      if (!selection) continue;
      const namespaces = selection.namespaces ? [...selection.namespaces].sort() : '*';
      const id = JSON.stringify([collection.cluster, collection.id, namespaces]);
      const { informer } = collection;
      const before = known.get(id);
      const isSame = before?.collection === informer;
      sources.set(id, isSame ? before : { collection: informer, source: sourceOf(collection, selection) });
    }
    return sources;
  }
}

/** Starts the backend stores. Returns a function that ends them. */
export function startBackendStores(context: ControllerContext, deps: BackendDeps): () => Promise<void> {
  const stores = new BackendStores(context, deps);
  stores.run();
  return () => stores.close();
}
