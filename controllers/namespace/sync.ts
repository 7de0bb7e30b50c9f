import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import { clusterOfExecutionNamespace, executionNamespace, workName } from '../../api/karmada/names.js';
import type { Cluster, OverridePolicy, Work } from '../../api/karmada/types.js';
import { finalizers, isReservedNamespace, labels, resources } from '../../api/karmada/well-known.js';
import type { ApplyOverrides } from '../override/interface.js';
import { MirroredOverrides } from '../override/mirrored-overrides.js';
import { hasOtherRules, isForCluster, isSameTarget, rulesOf } from '../override/cluster-targets.js';
import { specificationChanged } from '../policy/change.js';
import type { Client } from '../../client/interface.js';
import { generationChanged } from '../../client/runtime/generation.js';
import { splitKey } from '../../client/key.js';
import { aggregateFailures, isPassing } from '../../client/runtime/failures.js';
import type {
  ControllerContext,
  Informer,
  Key,
  KeyGrouping,
  ObjectChange,
  ReconcileResult,
  WorkQueue,
} from '../../client/runtime/interface.js';
import { walk } from '../../client/runtime/mirrors/walk.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { appliedOverrides, workOf } from '../work/work-of.js';
import { writeWork } from '../work/write-work.js';
import { namespaces } from '../../api/kubernetes/resources.js';

interface NamespaceSyncOptions {
  readonly applyOverrides: ApplyOverrides;
  /** Value of `--skipped-propagating-namespaces`; each pattern matches a whole name. */
  readonly skippedNamespaces: readonly { test(name: string): boolean }[];
}

/** The number of namespaces that one reconciliation of all namespaces of a cluster visits. */
const stepSize = 32;

/** The number of keys in the queue from which on a key of a cluster stands for all its namespaces, so that the queue does not grow without a bound. */
const maxQueued = 100_000;

/** The number of namespaces that a policy may name. One that names more is handled like one that selects all. */
const maxNames = 64;

/** The number of failures of one pass that are reported. */
const maxFailures = 10;

/** The progress of a reconciliation of all namespaces of a cluster. */
class Pass {
  readonly names: Iterator<string>;
  readonly failures: unknown[] = [];
  /** All namespaces are due again: another pass follows. */
  isStale = false;

  constructor(names: Iterator<string>) {
    this.names = names;
  }
}

/** Returns the names of the namespaces that a policy selects, without duplicates; '' stands for all. */
function namesIn({ spec: { resourceSelectors = [] } }: OverridePolicy): readonly string[] {
  if (resourceSelectors.length === 0) return [''];
  const selected = resourceSelectors.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace');
  return [...new Set(selected.map(({ name = '' }) => name))];
}

/** A namespace in one cluster; all namespaces if the name is empty. */
const keyIn = (cluster: string, namespace = ''): Key => `${cluster}/${namespace}`;

/** The namespaces of one cluster are reconciled independently of those of others. */
const byCluster: KeyGrouping = { of: key => splitKey(key).namespace, maxWorkers: 1 };

/** Keeps a Work for each user namespace in each cluster. */
class NamespaceSync {
  readonly namespaces: Informer;
  readonly clusters: Informer<Cluster>;
  readonly works: Informer<Work>;
  readonly overrides: Informer<OverridePolicy>;
  readonly #client: Client;
  readonly #options: NamespaceSyncOptions;
  readonly #policies: MirroredOverrides;
  /** The passes through all namespaces that have begun, by cluster. */
  readonly #passes = new Map<string, Pass>();
  #queue: WorkQueue | undefined;

  constructor({ client, informers }: ControllerContext, options: NamespaceSyncOptions) {
    this.#client = client;
    this.#options = options;
    this.namespaces = informers.informer(namespaces);
    this.clusters = informers.informer<Cluster>(resources.clusters);
    this.works = informers.informer<Work>(resources.works);
    this.#policies = new MirroredOverrides(informers);
    this.overrides = this.#policies.clusterOverrides;
  }

  wire(queue: WorkQueue): void {
    this.#queue = queue;
    // The key of each cluster covers the namespaces and policies that exist at the start.
    let isStarted = false;
    this.namespaces.onChange(change => {
      if (!change.newCached) return;
      // Works for a cluster can be created once its execution namespace exists.
      const cluster = change.oldCached ? undefined : clusterOfExecutionNamespace(change.key);
      if (cluster !== undefined) this.#addAll(cluster);
      else if (isStarted && this.namespaces.hasSynced) this.#namespaceChanged(change);
    });
    this.clusters.onChange(change => {
      if (!change.newCached) this.#passes.delete(change.key);
      else if (!change.oldCached) this.#addAll(change.key);
      else this.#clusterChanged(change);
    });
    this.overrides.onChange(change => {
      if (!isStarted || !this.overrides.hasSynced || !generationChanged(change)) return;
      for (const state of [change.old, change.new]) if (state) void this.#policyChanged(state);
    });
    isStarted = true;
  }

  /** Adds all namespaces of a cluster, with low priority: a single namespace that has changed comes first. */
  #addAll(cluster: string): void {
    const pass = this.#passes.get(cluster);
    if (pass) pass.isStale = true;
    this.#queue?.addLow(keyIn(cluster));
  }

  #namespaceChanged({ key, old, new: namespace }: ObjectChange): void {
    const queue = this.#queue;
    if (!queue || !namespace || !this.#isSynced(namespace) || (old && !specificationChanged(old, namespace))) return;
    for (const cluster of this.clusters.cached.keys()) {
      if (queue.length < maxQueued) queue.add(keyIn(cluster, key));
      else this.#addAll(cluster);
    }
  }

  #clusterChanged({ old, new: cluster }: ObjectChange<Cluster>): void {
    if (old && cluster && !isSameTarget(old, cluster)) void this.#targetChanged(old, cluster);
  }

  /** Adds the namespaces of policies that have other rules for the cluster than before. */
  async #targetChanged(old: Cluster, cluster: Cluster): Promise<void> {
    for await (const policy of walk(this.overrides))
      if (hasOtherRules(policy, old, cluster)) this.#addSelected(cluster, namesIn(policy));
  }

  /** Adds the namespaces that a policy selects, in the clusters that it has rules for. */
  async #policyChanged(policy: OverridePolicy): Promise<void> {
    const names = namesIn(policy);
    if (names.length === 0) return;
    for await (const cluster of walk(this.clusters))
      if (rulesOf(policy).some(rule => isForCluster(rule, cluster))) this.#addSelected(cluster, names);
  }

  #addSelected({ metadata: { name: cluster = '' } }: Cluster, names: readonly string[]): void {
    const queue = this.#queue;
    if (!queue) return;
    const isMany = names.length > maxNames || queue.length + names.length > maxQueued;
    if (isMany || names.includes('')) this.#addAll(cluster);
    else for (const name of names) queue.addLow(keyIn(cluster, name));
  }

  async reconcile(key: Key): Promise<ReconcileResult> {
    const { namespace: clusterName, name } = splitKey(key);
    const cluster = this.clusters.get(clusterName);
    if (!cluster) return;
    return name ? this.#syncOne(name, cluster) : this.#syncNext(clusterName, cluster);
  }

  /** Syncs the next namespaces of a pass, and adds the key for those that follow. Throws the failures of a pass at its end. */
  async #syncNext(clusterName: string, cluster: Cluster): Promise<ReconcileResult> {
    const pass = this.#passes.get(clusterName) ?? new Pass(this.namespaces.cached.keys());
    this.#passes.set(clusterName, pass);
    for (let i = 0; i < stepSize; i++) {
      const next = pass.names.next();
      if (next.done) return this.#endPass(clusterName, pass);
      const turn = yieldToEventLoop();
      if (turn) await turn;
      try {
        await this.#syncOne(next.value, cluster);
      } catch (error) {
        if (pass.failures.length < maxFailures) pass.failures.push(error);
      }
    }
    this.#queue?.addLow(keyIn(clusterName));
    return { isPartial: true };
  }

  /** Ends a pass. One that has failed is repeated after a delay, unless all namespaces are due again. */
  #endPass(clusterName: string, { failures, isStale }: Pass): void {
    this.#passes.delete(clusterName);
    if (isStale) this.#queue?.addLow(keyIn(clusterName));
    if (failures.length > 0) throw aggregateFailures(failures);
  }

  async #syncOne(name: string, cluster: Cluster): Promise<void> {
    try {
      await this.#sync(name, cluster);
    } catch (error) {
      if (isPassing(error)) throw error;
      const what = `sync namespace(${name}) to cluster(${cluster.metadata.name}) failed due to`;
      throw new Error(`${what}: ${errorText(error)}`, { cause: error });
    }
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
    const rendered = await this.#options.applyOverrides(namespace, cluster, this.#policies);
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
