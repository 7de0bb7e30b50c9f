import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../shared/cells.js';
import { age, name, printer } from '../shared/printer.js';

export const serviceAccount: NativeKind = {
  group: '',
  kind: 'ServiceAccount',
  printer: printer([name, age], (account, now) => [nameCell(account), ageCell(account, now)]),
};
