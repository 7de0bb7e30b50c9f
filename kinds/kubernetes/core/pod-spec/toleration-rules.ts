/** Validates taints, tolerations and scheduling gates. */
// as pkg/apis/core/validation ValidateTolerations, validateTaintEffect
import { checkLabelKey, checkLabelValue, checkQualifiedName } from '../../../../apimachinery/meta/names.js';
import type { Field } from '../../../shared/rules/field.js';
import type { PodSchedulingGate, Toleration } from '../../../../api/kubernetes/core.js';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const comparing = ['Lt', 'Gt'];

/** The effect of a taint is required, and must be a known one. */
export function taintEffect(effect: Field<string>): void {
  if (effect.isEmpty) effect.required();
  else if (!effects.includes(effect.value ?? '')) effect.notSupported(effects);
}

/** Checks which fields go together: an empty key needs Exists, and seconds need NoExecute. as pkg/apis/core/validation ValidateTolerations */
export function tolerations(list: Field<Toleration[]>): void {
  for (const toleration of list.items()) {
    const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration.value ?? {};
    if (key !== '') toleration.at('key').check(checkLabelKey);
    const at = toleration.at('operator');
    if (key === '' && operator !== 'Exists')
      at.invalid('operator must be Exists when `key` is empty, which means "match all values and all keys"', operator);
    if (tolerationSeconds !== undefined && effect !== 'NoExecute')
      toleration.at('effect').invalid("effect must be 'NoExecute' when `tolerationSeconds` is set", effect);
    if (operator === '' || operator === 'Equal') {
      const texts = checkLabelValue(value);
      if (texts.length > 0) at.invalid(texts.join(';'), value);
    } else if (operator === 'Exists') {
      if (value !== '') at.invalid("value must be empty when `operator` is 'Exists'", value);
    } else at.notSupported(['Equal', 'Exists', ...(comparing.includes(operator) ? comparing : [])]);
    if (effect !== '') taintEffect(toleration.at('effect'));
  }
}

/** Requires unique qualified names. as pkg/apis/core/validation validateSchedulingGates */
export function schedulingGates(list: Field<PodSchedulingGate[]>): void {
  const seen = new Set<string>();
  for (const gate of list.items()) {
    const name = gate.value?.name ?? '';
    for (const text of checkQualifiedName(name)) gate.invalid(text, name);
    if (seen.has(name)) gate.duplicate(name);
    seen.add(name);
  }
}
