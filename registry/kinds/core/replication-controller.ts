import type { NativeKind } from '../native-kind.js';
import { ageCell, containerCells, labelsCell, nameCell } from '../shared/cells.js';
import { age, containerColumns, integer, name, printer, wide } from '../shared/printer.js';
import type { ReplicationController } from '../types/core.js';

export const replicationController: NativeKind = {
  group: '',
  kind: 'ReplicationController',
  storagePrefix: '/registry/controllers',
  selectableFields: { 'status.replicas': object => String((object as ReplicationController).status?.replicas ?? 0) },
  printer: printer<ReplicationController>(
    [name, integer('Desired'), integer('Current'), integer('Ready'), age, ...containerColumns, wide('Selector')],
    (rc, now) => [
      nameCell(rc),
      rc.spec?.replicas ?? 0,
      rc.status?.replicas ?? 0,
      rc.status?.readyReplicas ?? 0,
      ageCell(rc, now),
      ...containerCells(rc.spec?.template?.spec?.containers),
      labelsCell(rc.spec?.selector),
    ],
  ),
};
