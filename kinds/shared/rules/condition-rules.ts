/** Validates conditions of the form that all newer kinds have. */
// as apimachinery/pkg/apis/meta/v1/validation ValidateConditions
import { checkLabelKey, regexText } from '../../../apimachinery/meta/names.js';
import type { Condition } from '../../../api/kubernetes/meta.js';
import type { Field } from './field.js';

const statuses = ['False', 'True', 'Unknown'];
const maxReasonLength = 1024;
const maxMessageLength = 32 * 1024;
const reasonPattern = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonForm = new RegExp(`^${reasonPattern}$`);
const reasonText = regexText(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reasonPattern,
  ['my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'],
);

/** Validates a list of conditions, whose types must be unique. */
export function conditions(list: Field<Condition[]>): void {
  const seen = new Set<string>();
  for (const condition of list.items()) {
    const type = condition.value?.type ?? '';
    if (seen.has(type)) condition.at('type').duplicate(type);
    seen.add(type);
    conditionOf(condition);
  }
}

function conditionOf(condition: Field<Condition>): void {
  const { reason = '', message = '' } = condition.value ?? {};
  condition.at('type').check(checkLabelKey);
  const status = condition.at('status');
  if (!statuses.includes(status.value ?? '')) status.notSupported(statuses);
  const generation = condition.at('observedGeneration');
  if ((generation.value ?? 0) < 0) generation.invalid('must be greater than or equal to zero');
  if (condition.at('lastTransitionTime').isEmpty) condition.at('lastTransitionTime').required();
  if (reason === '') condition.at('reason').required();
  else {
    if (!reasonForm.test(reason)) condition.at('reason').invalid(reasonText);
    if (Buffer.byteLength(reason) > maxReasonLength) condition.at('reason').tooLong(maxReasonLength);
  }
  if (Buffer.byteLength(message) > maxMessageLength) condition.at('message').tooLong(maxMessageLength);
}
