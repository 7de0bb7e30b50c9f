import { formatTime } from '../../../../lib/go/time.js';
import type { Pod, PodCondition } from '../../../../api/kubernetes/core.js';

/** Returns the condition of a type; undefined before it is first set. as pkg/api/v1/pod GetPodCondition */
export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find(condition => condition.type === type);
}

/** Sets the pod's condition of the type, keeping its time if its status is unchanged. The pod's existing list is not modified. */
// as pkg/api/v1/pod UpdatePodCondition
export function setPodCondition(pod: Pod, condition: Omit<PodCondition, 'lastTransitionTime'>, now: Date): void {
  const conditions = [...(pod.status?.conditions ?? [])];
  const at = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[at];
  const time = old && old.status === condition.status ? old.lastTransitionTime : formatTime(now);
  const wanted: PodCondition = { ...condition, ...(time && { lastTransitionTime: time }) };
  if (old) conditions[at] = wanted;
  else conditions.push(wanted);
  pod.status = { ...pod.status, conditions };
}
