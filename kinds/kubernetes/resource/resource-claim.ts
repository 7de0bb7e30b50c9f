import { keepAllButStatus, resetMetadata, statusPart } from '../../../registry/strategy/parts.js';
import { withStatusOnly } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { ResourceClaim } from '../../../api/kubernetes/resource.js';
import { checkAdminAccess } from './admin-access.js';
import { dropFreed } from './freed-devices.js';
import { resourceClaimChangeRules, resourceClaimRules, resourceClaimStatusRules } from './resource-claim-rules.js';

export const resourceClaim: NativeKind = {
  group: 'resource.k8s.io',
  kind: 'ResourceClaim',
  printer: printer<ResourceClaim>([name, textColumn('State'), ageTextColumn], (claim, now) => [
    nameCell(claim),
    state(claim),
    ageCell(claim, now),
  ]),
  strategy: strategy(withStatusOnly, {
    begin: checkAdminAccess,
    returnsDeleted: true,
    validateCreate: resourceClaimRules,
    validateUpdate: resourceClaimChangeRules,
    metadataRepeats: ['change', 'whole'],
  }),
  subresources: {
    status: statusPart({
      prepareUpdate: [keepAllButStatus, resetMetadata, dropFreed],
      validateUpdate: resourceClaimStatusRules,
      resetFields: ['metadata', 'spec'],
    }),
  },
};

function state({ metadata, status }: ResourceClaim): string {
  const deleted = metadata.deletionTimestamp !== undefined;
  if (!status?.allocation) return deleted ? 'deleted' : 'pending';
  const reserved = (status.reservedFor ?? []).length > 0;
  return [...(deleted ? ['deleted'] : []), 'allocated', ...(reserved ? ['reserved'] : [])].join(',');
}
