import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { executionNamespace, workName } from '../../api/karmada/names.js';
import type { Binding, BindingSpec, TargetCluster, Work } from '../../api/karmada/types.js';
import { annotations, finalizers, labels } from '../../api/karmada/well-known.js';
import type { Overridden } from '../override/interface.js';
import { appliedOverrides, workOf } from '../work/work-of.js';

/** Returns the clusters that get a Work: the binding's targets, then the targets of the bindings that require it. */
export function targetClusters(spec: BindingSpec): TargetCluster[] {
  const targets = new Map<string, TargetCluster>();
  for (const target of [...(spec.clusters ?? []), ...(spec.requiredBy ?? []).flatMap(by => by.clusters ?? [])])
    if (!targets.has(target.name)) targets.set(target.name, target);
  return [...targets.values()];
}

/**
 * Returns the clusters where a Work may exist, including those with a graceful eviction; Works elsewhere are orphans.
 * as pkg/util/helper ObtainBindingSpecExistingClusters
 */
export function existingClusters(spec: BindingSpec): Set<string> {
  const names = new Set(targetClusters(spec).map(({ name }) => name));
  for (const task of spec.gracefulEvictionTasks ?? []) if (task.purgeMode !== 'Directly') names.add(task.fromCluster);
  return names;
}

/** Returns the clusters whose copy must be gone before another one is created. */
export const purgedClusters = (spec: BindingSpec): Set<string> =>
  new Set((spec.gracefulEvictionTasks ?? []).filter(t => t.purgeMode === 'Directly').map(t => t.fromCluster));

function isSuspended({ suspension }: BindingSpec, cluster: string): boolean {
  return (
    Boolean(suspension?.dispatching) || (suspension?.dispatchingOnClusters?.clusterNames?.includes(cluster) ?? false)
  );
}

/** Returns the template's annotation if it is valid, else the policy's setting, else abort. */
function conflictResolution(manifest: KubeObject, spec: BindingSpec): 'overwrite' | 'abort' {
  const annotation = manifest.metadata.annotations?.[annotations.conflictResolution];
  if (annotation === 'overwrite' || annotation === 'abort') return annotation;
  return spec.conflictResolution === 'Overwrite' ? 'overwrite' : 'abort';
}

/**
 * Returns the Work for one cluster, from a manifest with its replicas and overrides already in it. The permanent id of
 * the Work and the record of managed keys are put in by admission.
 */
export function renderWork(binding: Binding, rendered: Overridden, cluster: string): Work {
  const manifest = cloneJson(rendered.object);
  const { name = '', namespace } = manifest.metadata;
  const namespaced = binding.metadata.namespace !== undefined;
  const idLabel = namespaced ? labels.resourceBindingId : labels.clusterResourceBindingId;
  const id = binding.metadata.labels?.[idLabel] ?? '';
  const bindingNotes: Record<string, string> = namespaced
    ? {
        [annotations.resourceBindingNamespace]: binding.metadata.namespace ?? '',
        [annotations.resourceBindingName]: binding.metadata.name ?? '',
      }
    : { [annotations.clusterResourceBindingName]: binding.metadata.name ?? '' };
  const resolution = conflictResolution(manifest, binding.spec);
  const metadata = {
    name: workName(manifest.kind, name, namespace ?? ''),
    namespace: executionNamespace(cluster),
    labels: { [idLabel]: id },
    annotations: {
      ...bindingNotes,
      [annotations.conflictResolution]: resolution,
      ...appliedOverrides(rendered),
    },
    finalizers: [finalizers.execution],
  };
  const { generation = 0 } = manifest.metadata;
  Object.assign((manifest.metadata.annotations ??= {}), bindingNotes, {
    ...(generation > 0 ? { [annotations.templateGeneration]: String(generation) } : {}),
    [annotations.conflictResolution]: resolution,
  });
  (manifest.metadata.labels ??= {})[idLabel] = id;
  const work = workOf(metadata, manifest);
  work.spec.suspendDispatching = isSuspended(binding.spec, cluster);
  work.spec.preserveResourcesOnDeletion = binding.spec.preserveResourcesOnDeletion ?? false;
  return work;
}
