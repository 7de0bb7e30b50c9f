import { deepEqual } from '../../lib/json/equality.js';
import { parseJson } from '../../lib/json/json.js';
import { annotations } from '../../api/karmada/well-known.js';
import type { Binding, BindingSpec, Placement } from '../../api/karmada/types.js';
import { isRescheduleRequired } from '../place/assign.js';
import { isWorkload } from '../../kinds/karmada/workload.js';

/** The reason to schedule a binding; undefined: its targets are still right. The first reason that applies is returned. */
export type Trigger = 'placement' | 'replicas' | 'requested' | 'duplicated' | 'terminating';

interface TriggerOptions {
  /** Components are placed as a set (gate MultiplePodTemplatesScheduling). */
  readonly placesSets?: boolean;
}

/**
 * Returns the first reason to schedule a binding; undefined if there is none. `isTerminating` reports whether a cluster is being removed.
 * as pkg/scheduler Scheduler.doScheduleBinding
 */
export function trigger(
  binding: Binding,
  isTerminating: (cluster: string) => boolean,
  options: TriggerOptions = {},
): Trigger | undefined {
  const { spec, status = {} } = binding;
  const placement = spec.placement ?? {};
  const applied = binding.metadata.annotations?.[annotations.appliedPlacement];
  if (placementChanged(placement, applied, status.schedulerObservingAffinityName ?? '')) return 'placement';
  if (replicasChanged(spec, options)) return 'replicas';
  if (isRescheduleRequired(spec, status)) return 'requested';
  const type = placement.replicaScheduling?.replicaSchedulingType ?? 'Duplicated';
  if (!isWorkload(spec) || type === 'Duplicated') return 'duplicated';
  if (spec.clusters?.some(({ name }) => isTerminating(name))) return 'terminating';
  return undefined;
}

/**
 * Compares with the placement that was last applied: only the current affinity term counts, so that changes of other terms move nothing. An
 * annotation that cannot be parsed is not the scheduler's, and is left alone. as pkg/scheduler placementChanged
 */
function placementChanged(placement: Placement, applied: string | undefined, observed: string): boolean {
  if (!applied) return true;
  let before: Placement;
  try {
    before = parseJson(applied) as Placement;
  } catch {
    return false;
  }
  const parts = ['clusterAffinity', 'clusterTolerations', 'spreadConstraints', 'replicaScheduling'] as const;
  if (parts.some(part => !deepEqual(before[part], placement[part]))) return true;
  if (!before.clusterAffinities && !placement.clusterAffinities) return false;
  const term = (p: Placement): unknown => p.clusterAffinities?.find(({ affinityName }) => affinityName === observed);
  const previous = term(before);
  const current = term(placement);
  return !previous || !current || !deepEqual(previous, current);
}

/** as pkg/util IsBindingReplicasChanged, which finds changes of components only where there is no target */
function replicasChanged(
  { placement, clusters = [], components = [], replicas = 0 }: BindingSpec,
  { placesSets = false }: TriggerOptions,
): boolean {
  const strategy = placement?.replicaScheduling;
  if (!strategy) return false;
  if (placesSets && components.length > 0 && clusters.length === 0) return true;
  if ((strategy.replicaSchedulingType ?? 'Duplicated') === 'Duplicated')
    return clusters.some(target => (target.replicas ?? 0) !== replicas);
  return clusters.reduce((sum, target) => sum + (target.replicas ?? 0), 0) !== replicas;
}
