/** Bindings of policies to the objects they apply to: the same for both kinds of policies except for the rules. */
import type { LongValidate } from '../../../registry/interface.js';
import { withGeneration } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type {
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBinding,
} from '../../../api/kubernetes/admissionregistration.js';
import { paramRefCell } from './policy-cells.js';
import { validateMutatingBinding, validateValidatingBinding } from './policy-rules.js';
import { staticNameWarnings } from './webhook-rules.js';

export const validatingAdmissionPolicyBinding = policyBinding(
  'ValidatingAdmissionPolicyBinding',
  validateValidatingBinding,
);
export const mutatingAdmissionPolicyBinding = policyBinding('MutatingAdmissionPolicyBinding', validateMutatingBinding);

function policyBinding(kind: string, validateLong: LongValidate): NativeKind {
  return {
    group: 'admissionregistration.k8s.io',
    kind,
    printer: printer<MutatingAdmissionPolicyBinding | ValidatingAdmissionPolicyBinding>(
      [name, textColumn('PolicyName'), textColumn('ParamRef'), ageTextColumn],
      (binding, now) => [
        nameCell(binding),
        binding.spec?.policyName ?? '',
        paramRefCell(binding.spec?.paramRef),
        ageCell(binding, now),
      ],
    ),
    strategy: strategy(withGeneration, {
      unconditionalUpdate: false,
      validateLong,
      warnings: [staticNameWarnings],
      metadataRepeats: ['whole'],
      plainFinalizers: 'allow',
    }),
  };
}
