import type { Field } from '../../../shared/rules/field.js';

const policies = ['Always', 'IfNotPresent', 'Never'];

export function pullPolicy(policy: Field<string>): void {
  if (policy.isEmpty) policy.required();
  else if (!policies.includes(policy.value ?? '')) policy.notSupported(policies);
}
