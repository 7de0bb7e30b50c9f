import { staticNameWarnings } from './webhook-rules.js';
import { validateMutatingPolicy } from './policy-rules.js';
import { withGeneration } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, integerColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { MutatingAdmissionPolicy } from '../../../api/kubernetes/admissionregistration.js';
import { paramKindCell } from './policy-cells.js';

export const mutatingAdmissionPolicy: NativeKind = {
  group: 'admissionregistration.k8s.io',
  kind: 'MutatingAdmissionPolicy',
  printer: printer<MutatingAdmissionPolicy>(
    [name, integerColumn('Mutations'), textColumn('ParamKind'), ageTextColumn],
    (policy, now) => [
      nameCell(policy),
      (policy.spec?.mutations ?? []).length,
      paramKindCell(policy.spec?.paramKind),
      ageCell(policy, now),
    ],
  ),
  strategy: strategy(withGeneration, {
    unconditionalUpdate: false,
    validateLong: validateMutatingPolicy,
    warnings: [staticNameWarnings],
    metadataRepeats: ['whole'],
    plainFinalizers: 'allow',
  }),
};
