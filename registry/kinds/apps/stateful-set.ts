import type { NativeKind } from '../native-kind.js';
import { ageCell, containerCells, nameCell } from '../shared/cells.js';
import { age, containerColumns, name, printer, text } from '../shared/printer.js';
import type { StatefulSet } from '../types/apps.js';

export const statefulSet: NativeKind = {
  group: 'apps',
  kind: 'StatefulSet',
  printer: printer<StatefulSet>([name, text('Ready'), age, ...containerColumns], (set, now) => [
    nameCell(set),
    `${set.status?.readyReplicas ?? 0}/${set.spec?.replicas ?? 0}`,
    ageCell(set, now),
    ...containerCells(set.spec?.template?.spec?.containers),
  ]),
};
