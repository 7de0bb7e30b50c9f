import type { Condition, Taint } from '../../api/karmada/types.js';

export interface ConditionMatch {
  conditionType: string;
  operator: string;
  statusValues: string[];
}

/** Do all of these hold? A condition that the cluster does not have matches nothing; nothing asked for is never so. */
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

/** The taints with those of a policy, but for what is there already, whatever its value. `time` as on the wire. */
export function addTaints(present: readonly Taint[], more: readonly Taint[], time: string): Taint[] {
  const missing = more.filter(taint => !present.some(other => same(taint, other)));
  return [
    ...present,
    ...missing.map(({ key, value, effect }) => ({ key, ...(value ? { value } : {}), effect, timeAdded: time })),
  ];
}

export const removeTaints = (present: readonly Taint[], gone: readonly Taint[]): Taint[] =>
  present.filter(taint => !gone.some(other => same(taint, other)));

/** Taints for people, in events. */
export function taintsShown(taints: readonly Taint[]): string {
  if (taints.length === 0) return 'cluster now does not have taints';
  const shown = taints.map(
    ({ key, value, effect }) => `{Key:${key},${value ? `Value:${value},` : ''}Effect:${effect}}`,
  );
  return `cluster now has taints([${shown.join(',')}])`;
}
