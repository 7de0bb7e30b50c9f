import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../shared/cells.js';
import { age, name, printer, text } from '../shared/printer.js';
import type { Secret } from '../types/core.js';

export const secret: NativeKind = {
  group: '',
  kind: 'Secret',
  printer: printer<Secret>([name, text('Type'), text('Data'), age], (s, now) => [
    nameCell(s),
    s.type ?? '',
    Object.keys(s.data ?? {}).length,
    ageCell(s, now),
  ]),
  selectableFields: { type: object => (object as Secret).type ?? '' },
};
