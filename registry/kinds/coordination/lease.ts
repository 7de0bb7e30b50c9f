import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../shared/cells.js';
import { age, name, printer, text } from '../shared/printer.js';
import type { Lease } from '../types/coordination.js';

export const lease: NativeKind = {
  group: 'coordination.k8s.io',
  kind: 'Lease',
  printer: printer<Lease>([name, text('Holder'), age], (l, now) => [
    nameCell(l),
    l.spec?.holderIdentity ?? '',
    ageCell(l, now),
  ]),
};
