import type { NativeKind } from '../native-kind.js';
import { ageCell, containerCells, labelsCell, nameCell, selectorCell } from '../shared/cells.js';
import { age, containerColumns, integer, name, printer, text, wide } from '../shared/printer.js';
import type { DaemonSet } from '../types/apps.js';

export const daemonSet: NativeKind = {
  group: 'apps',
  kind: 'DaemonSet',
  printer: printer<DaemonSet>(
    [
      name,
      integer('Desired'),
      integer('Current'),
      integer('Ready'),
      integer('Up-to-date'),
      integer('Available'),
      text('Node Selector'),
      age,
      ...containerColumns,
      wide('Selector'),
    ],
    (set, now) => [
      nameCell(set),
      set.status?.desiredNumberScheduled ?? 0,
      set.status?.currentNumberScheduled ?? 0,
      set.status?.numberReady ?? 0,
      set.status?.updatedNumberScheduled ?? 0,
      set.status?.numberAvailable ?? 0,
      labelsCell(set.spec?.template?.spec?.nodeSelector),
      ageCell(set, now),
      ...containerCells(set.spec?.template?.spec?.containers),
      selectorCell(set.spec?.selector),
    ],
  ),
};
