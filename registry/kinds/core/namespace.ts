import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../shared/cells.js';
import { age, name, printer, text } from '../shared/printer.js';
import type { Namespace } from '../types/core.js';

export const namespace: NativeKind = {
  group: '',
  kind: 'Namespace',
  printer: printer<Namespace>([name, text('Status'), age], (ns, now) => [
    nameCell(ns),
    ns.status?.phase ?? '',
    ageCell(ns, now),
  ]),
  selectableFields: { 'status.phase': object => (object as Namespace).status?.phase ?? '' },
};
