import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import { clusterOfExecutionNamespace, executionNamespace, workName } from '../../api/karmada/names.js';
import type { Cluster, OverridePolicy, Work } from '../../api/karmada/types.js';
import { finalizers, isReservedNamespace, labels, resources } from '../../api/karmada/well-known.js';
import type { ApplyOverrides } from '../override/interface.js';
import { aggregateFailures, isPassing } from '../../client/runtime/failures.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { appliedOverrides, workOf } from '../work/work-of.js';
import { writeWork } from '../work/write-work.js';
import { namespaces } from '../../api/kubernetes/resources.js';

export interface NamespaceSyncOptions {
  readonly applyOverrides: ApplyOverrides;
  /** Value of `--skipped-propagating-namespaces`; each pattern matches a whole name. */
  readonly skippedNamespaces: readonly RegExp[];
}

/** Creates every user namespace in every cluster, so that resources can be propagated into it. as pkg/controllers/namespace Controller */
export function startNamespaceSync(context: ControllerContext, options: NamespaceSyncOptions): void {
  const { client, informers } = context;
  const mirror = informers.informer(namespaces);
  const clusters = informers.informer<Cluster>(resources.clusters);
  const works = informers.informer<Work>(resources.works);
  const overrides = informers.informer<OverridePolicy>(resources.clusterOverridePolicies);

  const isSynced = ({ metadata }: KubeObject): boolean => {
    const { name = '', deletionTimestamp, labels: marks } = metadata;
    if (deletionTimestamp || name === 'default' || isReservedNamespace(name)) return false;
    if (options.skippedNamespaces.some(pattern => pattern.test(name))) return false;
    return marks?.[labels.skipAutoPropagation]?.toLowerCase() !== 'true';
  };

  context.run({
    name: 'namespace-sync-controller',
    synced: [mirror, clusters, works, overrides].map(({ synced }) => synced),
    wire: queue => {
      const addAll = (): void => mirror.list().forEach(({ metadata }) => queue.add(metadata.name ?? ''));
      mirror.onChange(({ new: namespace }) => namespace && queue.add(namespace.metadata.name ?? ''));
      // Works for a cluster can be created once its execution namespace exists.
      mirror.onChange(({ key, oldCached, newCached }) => {
        if (!oldCached && newCached && clusterOfExecutionNamespace(key) !== undefined) addAll();
      });
      clusters.onChange(({ old, new: cluster }) => {
        if (!old && cluster) addAll();
      });
      overrides.onChange(({ old, new: policy }) => {
        const selectors = [old, policy].flatMap(state => state?.spec.resourceSelectors ?? []);
        const selected = selectors.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace');
        if (selected.some(({ name }) => !name)) return addAll();
        for (const { name } of selected) if (name) queue.add(name);
      });
    },
    reconcile: async name => {
      const namespace = mirror.get(name);
      // After a deletion, the garbage collector deletes the Works by their owner reference.
      if (!namespace || !isSynced(namespace)) return;
      const failures: unknown[] = [];
      for (const cluster of clusters.list()) {
        try {
          await sync(namespace, cluster);
        } catch (error) {
          const what = `sync namespace(${name}) to cluster(${cluster.metadata.name}) failed due to`;
          failures.push(isPassing(error) ? error : new Error(`${what}: ${errorText(error)}`, { cause: error }));
        }
      }
      if (failures.length > 0) throw aggregateFailures(failures);
    },
  });

  async function sync(namespace: KubeObject, cluster: Cluster): Promise<void> {
    const space = executionNamespace(cluster.metadata.name ?? '');
    if (cluster.metadata.deletionTimestamp || !mirror.get(space)) return;
    const rendered = await options.applyOverrides(namespace, cluster, overrides.list());
    const metadata = {
      name: workName('Namespace', namespace.metadata.name ?? '', ''),
      namespace: space,
      annotations: appliedOverrides(rendered),
      finalizers: [finalizers.execution],
      ownerReferences: [controllerReference(namespace)],
    };
    await writeWork(workOf(metadata, cloneJson(rendered.object)), client, works);
  }
}
