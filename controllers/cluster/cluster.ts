import { deepEqual } from '../../openapi/meta/equality.js';
import { errorText } from '../../openapi/meta/error-text.js';
import { StatusError } from '../../openapi/meta/status.js';
import { findCondition, isClusterReady } from '../../registry/kinds/karmada/conditions.js';
import { executionNamespace } from '../../registry/kinds/karmada/names.js';
import type { Binding, Cluster, Taint, Work } from '../../registry/kinds/karmada/types.js';
import { finalizers, labels, resources, taintKeys } from '../../registry/kinds/karmada/well-known.js';
import { timestamp } from '../runtime/conditions.js';
import { keyOf } from '../runtime/informer.js';
import type { ControllerContext, EventRecorder, Informer, Result } from '../runtime/interface.js';
import { addFinalizer, find, removeFinalizer, updateObject } from '../runtime/update.js';
import { namespaces } from '../../registry/kinds/native-resources.js';

const checkAgainMs = 10_000;

interface ClusterDeps {
  readonly context: ControllerContext;
  readonly recorder: EventRecorder;
  readonly works: Informer<Work>;
  readonly bindings: readonly Informer<Binding>[];
  readonly spaces: Informer;
}

/** Gives every cluster its place for Works, taints it by its health, and sees it off in order (inventory CTL-010, CTL-012). */
export function startClusterController(context: ControllerContext): void {
  const { informers } = context;
  const clusters = informers.informer<Cluster>(resources.clusters);
  const targets = { target: ({ spec }: Binding): string[] => spec.clusters?.map(({ name }) => name) ?? [] };
  const deps: ClusterDeps = {
    context,
    recorder: context.recorder('cluster-controller'),
    works: informers.informer<Work>(resources.works),
    bindings: [
      informers.informer<Binding>(resources.resourceBindings, { indexers: targets }),
      informers.informer<Binding>(resources.clusterResourceBindings, { indexers: targets }),
    ],
    spaces: informers.informer(namespaces),
  };
  context.run({
    name: 'cluster-controller',
    synced: [clusters, deps.works, deps.spaces, ...deps.bindings].map(({ synced }) => synced),
    wire: queue => {
      clusters.onChange(({ new: cluster }) => cluster && queue.add(keyOf(cluster)));
      // What holds up the removal of a cluster has gone: its namespace, or a binding's target.
      deps.spaces.onChange(({ old, new: space }) => {
        const name = old?.metadata.name ?? '';
        if (!space)
          for (const cluster of clusters.list())
            if (executionNamespace(keyOf(cluster)) === name) queue.add(keyOf(cluster));
      });
      for (const bindings of deps.bindings)
        bindings.onChange(({ old, new: binding }) => {
          const left =
            old?.spec.clusters?.filter(({ name }) => !binding?.spec.clusters?.some(c => c.name === name)) ?? [];
          for (const { name } of left) if (clusters.get(name)?.metadata.deletionTimestamp) queue.add(name);
        });
    },
    reconcile: async key => {
      const cluster = clusters.get(key);
      if (!cluster) return;
      return cluster.metadata.deletionTimestamp ? removeCluster(cluster, deps) : syncCluster(cluster, deps);
    },
  });
}

async function syncCluster(found: Cluster, deps: ClusterDeps): Promise<Result> {
  const { client, clock } = deps.context;
  const cluster = await addFinalizer(client, resources.clusters, found, finalizers.cluster);
  await ensureSpace(cluster, deps);
  const wanted = taintsByHealth(cluster, clock.now());
  await updateObject(client, resources.clusters, cluster, draft => {
    const taints = wanted(draft.spec.taints ?? []);
    if (!deepEqual(taints, draft.spec.taints ?? [])) draft.spec.taints = taints;
  });
  return undefined;
}

/** The namespace `karmada-es-NAME`, which says that it is ours. */
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

/** Ready: neither taint; not ready, or never heard of: not-ready; unknown: unreachable. Only NoSchedule: eviction is for policies to order. */
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

/** First what it was told to run, then whatever still points at it, then the cluster itself. */
async function removeCluster(cluster: Cluster, deps: ClusterDeps): Promise<Result> {
  const { client } = deps.context;
  const name = cluster.metadata.name ?? '';
  const space = executionNamespace(name);
  // An agent that is gone cannot take down what it has put up.
  if (cluster.spec.syncMode === 'Pull' && !isClusterReady(cluster))
    for (const work of deps.works.list(space))
      await removeFinalizer(client, resources.works, work, finalizers.execution);
  if (deps.spaces.get(space)) {
    try {
      if (!deps.spaces.get(space)?.metadata.deletionTimestamp) await client.delete(namespaces, { name: space });
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 404)) {
        const text = errorText(error);
        deps.recorder.event(cluster, 'Warning', 'RemoveExecutionSpaceFailed', text);
        throw error;
      }
    }
    return { againAfter: checkAgainMs };
  }
  if (deps.bindings.some(bindings => bindings.byIndex('target', name).length > 0)) return { againAfter: checkAgainMs };
  deps.recorder.event(
    cluster,
    'Normal',
    'RemoveExecutionSpaceSucceed',
    `Removed execution space for cluster(${name}).`,
  );
  await removeFinalizer(client, resources.clusters, cluster, finalizers.cluster);
  return undefined;
}
