import { staticNameWarnings } from './webhook-rules.js';
import { validateValidatingPolicy, validatingPolicyStatusRules } from './policy-rules.js';
import { keepAllButStatus, resetMetadata, statusPart } from '../../../registry/strategy/parts.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, integerColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { ValidatingAdmissionPolicy } from '../../../api/kubernetes/admissionregistration.js';
import { paramKindCell } from './policy-cells.js';

export const validatingAdmissionPolicy: NativeKind = {
  group: 'admissionregistration.k8s.io',
  kind: 'ValidatingAdmissionPolicy',
  printer: printer<ValidatingAdmissionPolicy>(
    [name, integerColumn('Validations'), textColumn('ParamKind'), ageTextColumn],
    (policy, now) => [
      nameCell(policy),
      (policy.spec?.validations ?? []).length,
      paramKindCell(policy.spec?.paramKind),
      ageCell(policy, now),
    ],
  ),
  strategy: strategy(rulesWithStatus, {
    unconditionalUpdate: false,
    validateLong: validateValidatingPolicy,
    warnings: [staticNameWarnings],
    metadataRepeats: ['whole'],
    plainFinalizers: 'allow',
  }),
  subresources: {
    status: statusPart({
      prepareUpdate: [keepAllButStatus, resetMetadata],
      validateUpdate: validatingPolicyStatusRules,
      metadataRepeats: [],
      resetFields: ['spec', 'metadata'],
    }),
  },
};
