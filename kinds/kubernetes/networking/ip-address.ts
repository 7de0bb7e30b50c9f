import { addressNameFaults, ipAddressChangeRules, ipAddressRules } from './ip-address-rules.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { name, printer, textColumn } from '../../../registry/printer.js';
import type { IPAddress } from '../../../api/kubernetes/networking.js';

export const ipAddress: NativeKind = {
  group: 'networking.k8s.io',
  kind: 'IPAddress',
  // One more cell than columns, as upstream.
  printer: printer<IPAddress>([name, textColumn('ParentRef')], (ip, now) => [
    nameCell(ip),
    parent(ip),
    ageCell(ip, now),
  ]),
  strategy: strategy({
    nameFaults: addressNameFaults,
    validateCreate: ipAddressRules,
    validateUpdate: ipAddressChangeRules,
    metadataRepeats: ['change', 'whole'],
  }),
};

function parent({ spec }: IPAddress): string {
  const ref = spec?.parentRef;
  if (!ref) return '<none>';
  const resource = ref.group ? `${ref.resource}.${ref.group}` : (ref.resource ?? '');
  return [resource.toLowerCase(), ...(ref.namespace ? [ref.namespace] : []), ref.name ?? ''].join('/');
}
