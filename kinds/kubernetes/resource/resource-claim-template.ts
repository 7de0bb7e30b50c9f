import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer } from '../../../registry/printer.js';
import { checkAdminAccess } from './admin-access.js';
import { resourceClaimTemplateRules } from './resource-claim-rules.js';

export const resourceClaimTemplate: NativeKind = {
  group: 'resource.k8s.io',
  kind: 'ResourceClaimTemplate',
  printer: printer([name, ageTextColumn], (template, now) => [nameCell(template), ageCell(template, now)]),
  strategy: strategy({
    begin: checkAdminAccess,
    returnsDeleted: true,
    validateCreate: resourceClaimTemplateRules,
    validateUpdate: resourceClaimTemplateRules,
    metadataRepeats: ['change', 'whole'],
  }),
};
