import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type { Client } from '../interface.js';
import type { Condition } from '../../api/karmada/types.js';
import { updateObject } from './update.js';

/** The time is known when it is written. */
export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

/** as apimachinery api/meta SetStatusCondition: the transition time moves only when the status does. The list is not changed. */
export function withCondition(conditions: readonly Condition[], next: NewCondition, now: number): Condition[] {
  const old = conditions.find(({ type }) => type === next.type);
  const time = old?.status === next.status ? old.lastTransitionTime : timestamp(now);
  const condition = { ...next, lastTransitionTime: time };
  return old ? conditions.map(c => (c === old ? condition : c)) : [...conditions, condition];
}

/** Several at once; see `withCondition`. */
export const withConditions = (
  conditions: readonly Condition[] = [],
  wanted: readonly NewCondition[],
  now: number,
): Condition[] => wanted.reduce<Condition[]>((all, next) => withCondition(all, next, now), [...conditions]);

/** Writes conditions into the status of an object; see `updateObject`. */
export const putConditions = <T extends KubeObject & { status?: { conditions?: Condition[] } }>(
  client: Client,
  resource: GroupVersionResource,
  object: T,
  wanted: readonly NewCondition[],
  now: number,
): Promise<T> =>
  updateObject(
    client,
    resource,
    object,
    draft => {
      const status = (draft.status ??= {});
      status.conditions = withConditions(status.conditions, wanted, now);
    },
    { subresource: 'status' },
  );

/** Milliseconds -> what metav1.Time is on the wire: RFC 3339, whole seconds. */
export const timestamp = (now: number): string => `${new Date(now).toISOString().slice(0, 19)}Z`;
