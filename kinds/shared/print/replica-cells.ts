/** The columns that a ReplicaSet and a ReplicationController share. as pkg/printers/internalversion printReplicaSet, printReplicationController */
import type { ReplicaSet } from '../../../api/kubernetes/apps.js';
import type { ReplicationController } from '../../../api/kubernetes/core.js';
import { ageTextColumn, containerColumns, integerColumn, name, wide } from '../../../registry/printer.js';
import { ageCell, containerCells, nameCell } from './cells.js';

export const replicaColumns = [
  name,
  integerColumn('Desired'),
  integerColumn('Current'),
  integerColumn('Ready'),
  ageTextColumn,
  ...containerColumns,
  wide('Selector'),
];

/** Returns the cells; `selector` is the text of the last one. */
export const replicaCells = (object: ReplicaSet | ReplicationController, selector: string, now: Date) => [
  nameCell(object),
  object.spec?.replicas ?? 0,
  object.status?.replicas ?? 0,
  object.status?.readyReplicas ?? 0,
  ageCell(object, now),
  ...containerCells(object.spec?.template?.spec?.containers),
  selector,
];
