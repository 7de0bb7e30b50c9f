import { serviceCidrChangeRules, serviceCidrRules } from './service-cidr-rules.js';
import { keepAllButStatus, resetMetadata, statusPart } from '../../../registry/strategy/parts.js';
import { withStatusOnly } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { ServiceCIDR } from '../../../api/kubernetes/networking.js';

export const serviceCidr: NativeKind = {
  group: 'networking.k8s.io',
  kind: 'ServiceCIDR',
  printer: printer<ServiceCIDR>([name, textColumn('CIDRs'), ageTextColumn], (range, now) => [
    nameCell(range),
    (range.spec?.cidrs ?? []).join(','),
    ageCell(range, now),
  ]),
  strategy: strategy(withStatusOnly, { validateCreate: serviceCidrRules, validateUpdate: serviceCidrChangeRules }),
  subresources: {
    status: statusPart({ prepareUpdate: [keepAllButStatus, resetMetadata], resetFields: ['metadata', 'spec'] }),
  },
};
