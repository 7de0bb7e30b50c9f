import type { Field } from '../../../shared/rules/field.js';

const policies = ['Always', 'IfNotPresent', 'Never'];

/** Validates an image pull policy. as pkg/apis/core/validation validatePullPolicy */
export function pullPolicy(policy: Field<string>): void {
  if (policy.isEmpty) policy.required();
  else if (!policies.includes(policy.value ?? '')) policy.notSupported(policies);
}
