import { deepEqual } from '../../lib/json/equality.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import { executionNamespace } from '../../api/karmada/names.js';
import type { Binding, Cluster, Taint, Work } from '../../api/karmada/types.js';
import { finalizers, labels, resources, taintKeys } from '../../api/karmada/well-known.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, ReconcileResult } from '../../client/runtime/interface.js';
import { find } from '../../client/find.js';
import { addFinalizer, updateObject } from '../../client/runtime/update.js';
import { targetIndexers } from '../eviction/targets.js';
import { taintsText } from './taints-by-condition.js';
import { type ClusterDeps, RemovalWaits, removeCluster } from './remove-cluster.js';
import { namespaces } from '../../api/kubernetes/resources.js';

/**
 * Creates the execution namespace of every cluster, taints the cluster by its health, and cleans up in order when it is removed.
 * as pkg/controllers/cluster Controller
 */
export function startClusterController(context: ControllerContext): void {
  const { informers } = context;
  const clusters = informers.informer<Cluster>(resources.clusters);
  const deps: ClusterDeps = {
    context,
    waits: new RemovalWaits(context),
    recorder: context.recorder('cluster-controller'),
    works: informers.informer<Work>(resources.works),
    bindings: [
      informers.informer<Binding>(resources.resourceBindings, { indexers: targetIndexers }),
      informers.informer<Binding>(resources.clusterResourceBindings, { indexers: targetIndexers }),
    ],
    spaces: informers.informer(namespaces),
  };
  context.run({
    name: 'cluster-controller',
    synced: [clusters, deps.works, deps.spaces, ...deps.bindings].map(({ synced }) => synced),
    wire: queue => {
      /** The names of the clusters that are being removed, so that changes of bindings cost nothing without such a cluster. */
      const leaving = new Set<string>();
      clusters.onChange(({ key, new: cluster }) => {
        if (cluster?.metadata.deletionTimestamp) leaving.add(key);
        else leaving.delete(key);
        if (cluster) queue.add(key);
      });
      // A removal waits for the execution namespace and for bindings that target the cluster; their changes wake it.
      deps.spaces.onChange(({ old, new: space }) => {
        const name = old?.metadata.name ?? '';
        if (!space)
          for (const cluster of clusters.list())
            if (executionNamespace(keyOf(cluster)) === name) queue.add(keyOf(cluster));
      });
      for (const bindings of deps.bindings)
        bindings.onChange(({ old, new: binding }) => {
          // The message about what the removal waits for may have changed, also when the binding still targets the cluster.
          if (leaving.size === 0) return;
          for (const state of [old, binding])
            for (const { name } of state?.spec.clusters ?? []) if (leaving.has(name)) queue.add(name);
        });
    },
    reconcile: async key => {
      const cluster = clusters.get(key);
      if (!cluster) return deps.waits.done(key);
      return cluster.metadata.deletionTimestamp ? removeCluster(cluster, deps) : syncCluster(cluster, deps);
    },
  });
}

async function syncCluster(found: Cluster, deps: ClusterDeps): Promise<ReconcileResult> {
  const { client, clock } = deps.context;
  const cluster = await addFinalizer(client, resources.clusters, found, finalizers.cluster);
  await ensureSpace(cluster, deps);
  const wanted = taintsByHealth(cluster, clock.now());
  const isSettled = ({ spec: { taints = [] } }: Cluster): boolean => deepEqual(wanted(taints), taints);
  // hot: after every status of every cluster. A draft would copy the cluster with all APIs that its status lists.
  if (isSettled(cluster)) return undefined;
  const tainted = await updateObject(client, resources.clusters, cluster, draft => {
    if (!isSettled(draft)) draft.spec.taints = wanted(draft.spec.taints ?? []);
  });
  if (tainted !== cluster) {
    const message = `Taint cluster succeed: ${taintsText(tainted.spec.taints ?? [])}.`;
    deps.recorder.event(cluster, 'Normal', 'TaintClusterSucceed', message);
  }
  return undefined;
}

/** Creates the execution namespace `karmada-es-NAME` with the system label, or adds the label to an existing one. */
async function ensureSpace(cluster: Cluster, { context, recorder, spaces }: ClusterDeps): Promise<void> {
  const name = executionNamespace(cluster.metadata.name ?? '');
  const present = spaces.get(name) ?? (await find(context.client, namespaces, { name }));
  if (present?.metadata.labels?.[labels.system] === 'true') return;
  try {
    if (present)
      await updateObject(context.client, namespaces, present, ({ metadata }) => {
        (metadata.labels ??= {})[labels.system] = 'true';
      });
    else {
      const metadata = { name, labels: { [labels.system]: 'true' } };
      await context.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    }
  } catch (error) {
    const text = errorText(error);
    recorder.event(cluster, 'Warning', 'CreateExecutionSpaceFailed', text);
    throw error;
  }
  const message = `Created execution space(${name}) for cluster(${cluster.metadata.name}).`;
  recorder.event(cluster, 'Normal', 'CreateExecutionSpaceSucceed', message);
}

/**
 * Returns a function from the present taints to the wanted ones: none of ours if Ready, `unreachable` if Unknown, else `not-ready`. The
 * effect is only NoSchedule, since eviction is left to ClusterTaintPolicies.
 */
function taintsByHealth(cluster: Cluster, now: number): (present: readonly Taint[]) => Taint[] {
  const status = findCondition(cluster.status?.conditions, 'Ready')?.status ?? 'False';
  const key = status === 'True' ? undefined : status === 'Unknown' ? taintKeys.unreachable : taintKeys.notReady;
  const ours = ({ key, effect }: Taint): boolean =>
    effect === 'NoSchedule' && (key === taintKeys.unreachable || key === taintKeys.notReady);
  return present => {
    const kept = present.filter(taint => !ours(taint) || taint.key === key);
    if (key === undefined || kept.some(taint => ours(taint))) return kept;
    return [...kept, { key, effect: 'NoSchedule', timeAdded: timestamp(now) }];
  };
}
