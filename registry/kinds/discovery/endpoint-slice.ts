import type { NativeKind } from '../native-kind.js';
import { ageCell, firstFew, nameCell } from '../shared/cells.js';
import { age, name, printer, text } from '../shared/printer.js';
import type { EndpointSlice } from '../types/discovery.js';

export const endpointSlice: NativeKind = {
  group: 'discovery.k8s.io',
  kind: 'EndpointSlice',
  printer: printer<EndpointSlice>([name, text('AddressType'), text('Ports'), text('Endpoints'), age], (slice, now) => {
    const ports = (slice.ports ?? []).map(p => String(p.port ?? p.name ?? '*'));
    const addresses = (slice.endpoints ?? []).flatMap(e => e.addresses ?? []);
    return [
      nameCell(slice),
      slice.addressType ?? '',
      firstFew(ports, 3) || '<unset>',
      firstFew(addresses, 3) || '<unset>',
      ageCell(slice, now),
    ];
  }),
};
