import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { type FieldRule, reportedConditions } from './aggregate.js';
import { fieldAt, fieldIfAny, itemsOf, mapOf, textOf } from './read.js';

/** Returns whether the object has a condition of the type with the status `True` and one of the reasons, or any reason without them. */
export function hasTrueCondition(object: KubeObject, type: string, reasons?: readonly string[]): boolean {
  const conditions = itemsOf(fieldIfAny(object, 'status', 'conditions') ?? [], 'status.conditions');
  return conditions.some(
    condition =>
      fieldAt(condition, 'type') === type &&
      fieldAt(condition, 'status') === 'True' &&
      (!reasons || reasons.some(reason => fieldAt(condition, 'reason') === reason)),
  );
}

/** Returns a key that is equal for conditions that are merged; undefined if the condition is like no other. */
function mergeKey(condition: JsonObject): string | undefined {
  let key = '';
  for (const field of ['type', 'status', 'reason']) {
    const value = condition[field] ?? undefined;
    if (typeof value === 'object') return undefined;
    const text = String(value);
    key += `${typeof value} ${text.length} ${text} `;
  }
  return key;
}

/**
 * Merges the conditions of all clusters. Those with the same type, status and reason become one, whose message names each cluster. The other
 * fields of such a condition are those of the first cluster.
 */
export const mergedConditions: FieldRule = reports => {
  const conditions: JsonObject[] = [];
  const byKey = new Map<string, JsonObject>();
  for (const { cluster, condition: reported } of reportedConditions(reports)) {
    const condition = mapOf(reported, 'a condition');
    const message = `${cluster}=${textOf(condition['message'], 'the message of a condition')}`;
    const key = mergeKey(condition);
    const known = key === undefined ? undefined : byKey.get(key);
    if (known) known['message'] = `${String(known['message'])}, ${message}`;
    else {
      const merged = { ...condition, message };
      conditions.push(merged);
      if (key !== undefined) byKey.set(key, merged);
    }
  }
  return conditions;
};
