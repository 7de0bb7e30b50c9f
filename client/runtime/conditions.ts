import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type { Client } from '../interface.js';
import type { Condition } from '../../api/karmada/types.js';
import { formatTime } from '../../lib/go/time.js';
import { updateObject } from './update.js';

/** A condition to write; the transition time is set by the write. */
export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

/** Returns the list with the condition. The transition time changes only with the status. as apimachinery api/meta SetStatusCondition */
export function withCondition(conditions: readonly Condition[], next: NewCondition, now: number): Condition[] {
  const old = conditions.find(({ type }) => type === next.type);
  const time = old?.status === next.status ? old.lastTransitionTime : timestamp(now);
  const condition = { ...next, lastTransitionTime: time };
  return old ? conditions.map(c => (c === old ? condition : c)) : [...conditions, condition];
}

/** Returns a copy of the list with several conditions; see `withCondition`. */
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

/** Formats milliseconds since the epoch as metav1.Time: RFC 3339 in whole seconds. */
export const timestamp = (now: number): string => formatTime(now);
