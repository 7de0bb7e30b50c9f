import type { Condition } from '../../registry/kinds/karmada/types.js';

/** as apimachinery api/meta SetStatusCondition: the transition time moves only when the status does. The list is not changed. */
export function withCondition(
  conditions: readonly Condition[],
  next: Omit<Condition, 'lastTransitionTime'>,
  now: number,
): Condition[] {
  const old = conditions.find(({ type }) => type === next.type);
  const time = old?.status === next.status ? old.lastTransitionTime : timestamp(now);
  const condition = { ...next, lastTransitionTime: time };
  return old ? conditions.map(c => (c === old ? condition : c)) : [...conditions, condition];
}

/** Milliseconds -> what metav1.Time is on the wire: RFC 3339, whole seconds. */
export const timestamp = (now: number): string => `${new Date(now).toISOString().slice(0, 19)}Z`;
