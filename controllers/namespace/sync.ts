import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import { clusterOfExecutionNamespace, executionNamespace, workName } from '../../api/karmada/names.js';
import type { Cluster, OverridePolicy, Work } from '../../api/karmada/types.js';
import { finalizers, isReservedNamespace, labels, resources } from '../../api/karmada/well-known.js';
import type { ApplyOverrides } from '../override/interface.js';
import type { Client } from '../../client/interface.js';
import { splitKey } from '../../client/key.js';
import { aggregateFailures, isPassing } from '../../client/runtime/failures.js';
import type { ControllerContext, Informer, Key, KeyGrouping, WorkQueue } from '../../client/runtime/interface.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { appliedOverrides, workOf } from '../work/work-of.js';
import { writeWork } from '../work/write-work.js';
import { namespaces } from '../../api/kubernetes/resources.js';

export interface NamespaceSyncOptions {
  readonly applyOverrides: ApplyOverrides;
  /** Value of `--skipped-propagating-namespaces`; each pattern matches a whole name. */
  readonly skippedNamespaces: readonly { test(name: string): boolean }[];
}

/** A namespace in one cluster; all namespaces if the name is empty. */
const keyIn = (cluster: string, namespace = ''): Key => `${cluster}/${namespace}`;

/** The namespaces of one cluster are reconciled independently of those of others. */
const byCluster: KeyGrouping = { of: key => splitKey(key).namespace, maxWorkers: 2 };

/** Keeps a Work for each user namespace in each cluster. */
class NamespaceSync {
  readonly namespaces: Informer;
  readonly clusters: Informer<Cluster>;
  readonly works: Informer<Work>;
  readonly overrides: Informer<OverridePolicy>;
  readonly #client: Client;
  readonly #options: NamespaceSyncOptions;

  constructor({ client, informers }: ControllerContext, options: NamespaceSyncOptions) {
    this.#client = client;
    this.#options = options;
    this.namespaces = informers.informer(namespaces);
    this.clusters = informers.informer<Cluster>(resources.clusters);
    this.works = informers.informer<Work>(resources.works);
    this.overrides = informers.informer<OverridePolicy>(resources.clusterOverridePolicies);
  }

  wire(queue: WorkQueue): void {
    const addIn = (namespace: string): void => {
      for (const cluster of this.clusters.cached.keys()) queue.add(keyIn(cluster, namespace));
    };
    // The key of each cluster covers the namespaces and policies that exist at the start.
    let isStarted = false;
    this.namespaces.onChange(({ key, oldCached, new: namespace }) => {
      if (!namespace) return;
      // Works for a cluster can be created once its execution namespace exists.
      const cluster = oldCached ? undefined : clusterOfExecutionNamespace(key);
      if (cluster !== undefined) queue.add(keyIn(cluster));
      else if (isStarted && this.namespaces.hasSynced && this.#isSynced(namespace)) addIn(key);
    });
    this.clusters.onChange(({ key, oldCached, newCached }) => {
      if (!oldCached && newCached) queue.add(keyIn(key));
    });
    this.overrides.onChange(({ old, new: policy }) => {
      if (!isStarted || !this.overrides.hasSynced) return;
      const selectors = [old, policy].flatMap(state => state?.spec.resourceSelectors ?? []);
      const selected = selectors.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace');
      // A selector without a name selects all namespaces, whose key has no name.
      for (const name of new Set(selected.map(({ name = '' }) => name))) addIn(name);
    });
    isStarted = true;
  }

  async reconcile(key: Key): Promise<void> {
    const { namespace: clusterName, name } = splitKey(key);
    const cluster = this.clusters.get(clusterName);
    if (!cluster) return;
    const failures: unknown[] = [];
    for (const each of name ? [name] : [...this.namespaces.cached.keys()]) {
      const turn = yieldToEventLoop();
      if (turn) await turn;
      try {
        await this.#sync(each, cluster);
      } catch (error) {
        const what = `sync namespace(${each}) to cluster(${clusterName}) failed due to`;
        failures.push(isPassing(error) ? error : new Error(`${what}: ${errorText(error)}`, { cause: error }));
      }
    }
    if (failures.length > 0) throw aggregateFailures(failures);
  }

  #isSynced({ metadata }: KubeObject): boolean {
    const { name = '', deletionTimestamp, labels: marks } = metadata;
    if (deletionTimestamp || name === 'default' || isReservedNamespace(name)) return false;
    if (this.#options.skippedNamespaces.some(pattern => pattern.test(name))) return false;
    return marks?.[labels.skipAutoPropagation]?.toLowerCase() !== 'true';
  }

  async #sync(name: string, cluster: Cluster): Promise<void> {
    const namespace = this.namespaces.get(name);
    // After a deletion, the garbage collector deletes the Works by their owner reference.
    if (!namespace || !this.#isSynced(namespace)) return;
    const space = executionNamespace(cluster.metadata.name ?? '');
    if (cluster.metadata.deletionTimestamp || !this.namespaces.get(space)) return;
    const rendered = await this.#options.applyOverrides(namespace, cluster, this.overrides.list());
    const metadata = {
      name: workName('Namespace', name, ''),
      namespace: space,
      annotations: appliedOverrides(rendered),
      finalizers: [finalizers.execution],
      ownerReferences: [controllerReference(namespace)],
    };
    await writeWork(workOf(metadata, cloneJson(rendered.object)), this.#client, this.works);
  }
}

/** Creates every user namespace in every cluster, so that resources can be propagated into it. as pkg/controllers/namespace Controller */
export function startNamespaceSync(context: ControllerContext, options: NamespaceSyncOptions): void {
  const controller = new NamespaceSync(context, options);
  const { namespaces: mirror, clusters, works, overrides } = controller;
  context.run({
    name: 'namespace-sync-controller',
    groups: byCluster,
    synced: [mirror, clusters, works, overrides].map(({ synced }) => synced),
    describe: key => {
      const { namespace: cluster, name } = splitKey(key);
      return { cluster, ...(name ? { namespace: name } : {}) };
    },
    wire: queue => controller.wire(queue),
    reconcile: key => controller.reconcile(key),
  });
}
