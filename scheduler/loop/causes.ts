import type { Binding, Placement } from '../../api/karmada/types.js';
import { annotations } from '../../api/karmada/well-known.js';
import { isWorkload } from '../../kinds/karmada/workload.js';
import { deepEqual } from '../../lib/json/equality.js';
import { parseJson } from '../../lib/json/json.js';
import { type Trigger, trigger } from './trigger.js';

const parts = [
  'clusterAffinity',
  'clusterAffinities',
  'clusterTolerations',
  'spreadConstraints',
  'replicaScheduling',
] as const;

/** Returns the parts of a placement that differ from the one that was applied last. */
function changedParts(placement: Placement, applied: string): string[] {
  const before = parseJson(applied) as Placement;
  return parts.filter(part => !deepEqual(before[part], placement[part]));
}

function placementCause({ spec, metadata }: Binding): string {
  const applied = metadata.annotations?.[annotations.appliedPlacement];
  if (!applied) return 'no placement has been applied yet';
  const changed = changedParts(spec.placement ?? {}, applied);
  return `the placement has changed since it was applied${changed.length > 0 ? `: ${changed.join(', ')}` : ''}`;
}

const texts: Readonly<Record<Trigger, (binding: Binding) => string>> = {
  placement: placementCause,
  replicas: ({ spec: { replicas = 0, clusters = [] } }) =>
    `the clusters have ${clusters.reduce((sum, target) => sum + (target.replicas ?? 0), 0)} replicas, and ${replicas} are wanted`,
  requested: ({ spec }) => `a reschedule was requested at ${spec.rescheduleTriggeredAt}`,
  duplicated: ({ spec }) =>
    isWorkload(spec)
      ? 'every cluster gets all replicas, which is decided at each change'
      : 'the resource has no replicas, which is decided at each change',
  terminating: () => 'a target cluster is being deleted',
};

/** Returns a trigger in words. */
export const triggerText = (why: Trigger, binding: Binding): string => texts[why](binding);

/** Returns why the scheduler decides about a binding (again); empty if it does not. */
export function causes(binding: Binding, isTerminating: (cluster: string) => boolean, placesSets: boolean): string[] {
  const why = trigger(binding, isTerminating, { placesSets });
  return why ? [triggerText(why, binding)] : [];
}
