import { staticNameWarnings } from './webhook-rules.js';
import { mutatingBindingRules } from './policy-rules.js';
import { withGeneration } from '../../strategy/kinds.js';
import { strategy } from '../../strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../shared/cells.js';
import { age, name, printer, text } from '../shared/printer.js';
import type { MutatingAdmissionPolicyBinding } from '../types/admissionregistration.js';
import { paramRefCell } from './policy-cells.js';

export const mutatingAdmissionPolicyBinding: NativeKind = {
  group: 'admissionregistration.k8s.io',
  kind: 'MutatingAdmissionPolicyBinding',
  printer: printer<MutatingAdmissionPolicyBinding>(
    [name, text('PolicyName'), text('ParamRef'), age],
    (binding, now) => [
      nameCell(binding),
      binding.spec?.policyName ?? '',
      paramRefCell(binding.spec?.paramRef),
      ageCell(binding, now),
    ],
  ),
  strategy: strategy(withGeneration, {
    unconditionalUpdate: false,
    validateCreate: mutatingBindingRules,
    validateUpdate: mutatingBindingRules,
    warnings: [staticNameWarnings],
  }),
};
