import type { Pod } from '../../openapi/gen/core-v1.js';
import { isConditionTrue } from '../../apimachinery/meta/conditions.js';

export type { Pod };

/** Returns whether the Pod is being deleted. */
export const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** Returns whether the Pod has ended and will not run again. */
export const isFinished = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Returns whether the Pod counts as a replica. as pkg/controller IsPodActive */
export const isActive = (pod: Pod): boolean => !isTerminating(pod) && !isFinished(pod);

/** Returns whether the Pod has the condition Ready. */
export const isReady = ({ status }: Pod): boolean => isConditionTrue(status?.conditions, 'Ready');

/** Returns whether the Pod is neither running nor known to be unschedulable: its next state is milliseconds away. */
export function isStarting({ spec, status }: Pod): boolean {
  const phase = status?.phase ?? 'Pending';
  if (phase !== 'Pending') return false;
  return Boolean(spec?.nodeName) || !status?.conditions?.some(c => c.type === 'PodScheduled' && c.status === 'False');
}
