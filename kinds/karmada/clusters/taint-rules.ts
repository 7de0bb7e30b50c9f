import { valueFault } from '../../../apimachinery/errors/faults.js';
import { checkLabelKey, checkLabelValue } from '../../../apimachinery/meta/names.js';
import type { Field } from '../../shared/rules/field.js';
import type { Taint } from '../../../api/karmada/types.js';

/** The effects that Karmada acts on; PreferNoSchedule is not one of them. */
const effects = ['NoSchedule', 'NoExecute'];

/** Validates the taints of a cluster. as pkg/util/lifted ValidateClusterTaints */
export function taints(list: Field<Taint[]>): void {
  const seen = new Set<string>();
  for (const taint of list.items()) {
    const { key, effect } = taint.value ?? {};
    taint.at('key').check(checkLabelKey);
    const value = taint.at('value');
    const wrong = checkLabelValue(value.value ?? '');
    if (wrong.length > 0) value.invalid(wrong.join(';'));
    if (!effect) taint.at('effect').required();
    else if (!effects.includes(effect)) taint.at('effect').notSupported(effects);
    const text = 'taints must be unique by key and effect pair';
    if (seen.has(`${effect} ${key}`)) taint.add(valueFault('FieldValueDuplicate', taint.path, taint.value, text));
    seen.add(`${effect} ${key}`);
  }
}
