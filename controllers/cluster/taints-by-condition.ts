import type { Condition, Taint } from '../../api/karmada/types.js';

export interface ConditionMatch {
  conditionType: string;
  operator: string;
  statusValues: string[];
}

/** Returns whether all of `matches` hold; false for an empty list. A condition that the cluster does not have does not match. */
export function conditionsMatch(conditions: readonly Condition[], matches: readonly ConditionMatch[]): boolean {
  if (matches.length === 0) return false;
  return matches.every(({ conditionType, operator, statusValues }) => {
    const condition = conditions.find(({ type }) => type === conditionType);
    if (!condition) return false;
    const named = statusValues.includes(condition.status);
    return operator === 'In' ? named : operator === 'NotIn' && !named;
  });
}

const same = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/**
 * Returns the present taints with those of `more` that are missing. A taint with the same key and effect counts as present, whatever its value.
 * `time` is the time of the addition, as RFC 3339 text.
 */
export function addTaints(present: readonly Taint[], more: readonly Taint[], time: string): Taint[] {
  const missing = more.filter(taint => !present.some(other => same(taint, other)));
  return [
    ...present,
    ...missing.map(({ key, value, effect }) => ({ key, ...(value ? { value } : {}), effect, timeAdded: time })),
  ];
}

/** Returns the present taints without those that have key and effect in common with one of `removed`. */
export const removeTaints = (present: readonly Taint[], removed: readonly Taint[]): Taint[] =>
  present.filter(taint => !removed.some(other => same(taint, other)));

/** Describes the taints of a cluster in the message of an Event. */
export function taintsText(taints: readonly Taint[]): string {
  if (taints.length === 0) return 'cluster now does not have taints';
  const texts = taints.map(
    ({ key, value, effect }) => `{Key:${key},${value ? `Value:${value},` : ''}Effect:${effect}}`,
  );
  return `cluster now has taints([${texts.join(',')}])`;
}
