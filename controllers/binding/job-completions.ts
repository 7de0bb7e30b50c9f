import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { divideByWeight } from '../../lib/webster.js';
import type { BindingSpec, TargetCluster } from '../../api/karmada/types.js';

/**
 * Returns the completions of a divided Job per cluster, in proportion to its replicas there; undefined if the template has no
 * completions (work queues) or every cluster runs the whole Job.
 */
export function divideCompletions(
  template: KubeObject,
  spec: BindingSpec,
  targets: readonly TargetCluster[],
): ReadonlyMap<string, number> | undefined {
  if (template.kind !== 'Job' || !spec.replicas) return undefined;
  if (spec.placement?.replicaScheduling?.replicaSchedulingType !== 'Divided') return undefined;
  const completions = (template['spec'] as { completions?: number } | undefined)?.completions;
  if (completions === undefined) return undefined;
  const weights = targets.map(({ name, replicas = 0 }) => ({ name, weight: replicas }));
  const shares = divideByWeight(completions, weights, template.metadata.uid ?? '');
  return new Map(shares.map(({ name, replicas }) => [name, replicas]));
}

/** Returns a Job with its cluster's part of the completions; the Job itself if they are not divided. */
export function withCompletions(manifest: KubeObject, completions: number | undefined): KubeObject {
  if (completions === undefined) return manifest;
  const draft = cloneJson(manifest);
  (draft['spec'] as { completions: number }).completions = completions;
  return draft;
}
