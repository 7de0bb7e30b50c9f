import {
  persistentVolumeChangeRules,
  persistentVolumeRules,
  persistentVolumeWarnings,
} from './persistent-volume-rules.js';
import { goTime } from '../../../shared/go-text/go-time.js';
import type { Prepare } from '../../../../registry/interface.js';
import { keepAllButStatus, keepStatus, statusPart } from '../../../../registry/strategy/parts.js';
import { strategy } from '../../../../registry/strategy/strategy.js';
import type { NativeKind } from '../../native-kind.js';
import { accessModesCell, ageCell, nameCell } from '../../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn, wide } from '../../../../registry/printer.js';
import { storageClassOf } from './storage-class-of.js';
import type { PersistentVolume } from '../../../../api/kubernetes/core.js';

export const persistentVolume: NativeKind = {
  group: '',
  kind: 'PersistentVolume',
  printer: printer<PersistentVolume>(
    [
      name,
      textColumn('Capacity'),
      textColumn('Access Modes'),
      textColumn('Reclaim Policy'),
      textColumn('Status'),
      textColumn('Claim'),
      textColumn('StorageClass'),
      textColumn('VolumeAttributesClass'),
      textColumn('Reason'),
      ageTextColumn,
      wide('VolumeMode'),
    ],
    (volume, now) => {
      const { spec, status } = volume;
      const claim = spec?.claimRef;
      return [
        nameCell(volume),
        spec?.capacity?.['storage'] ?? '0',
        accessModesCell(spec?.accessModes),
        spec?.persistentVolumeReclaimPolicy ?? '',
        volume.metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
        claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '',
        storageClassOf(volume),
        spec?.volumeAttributesClassName ?? '<unset>',
        status?.reason ?? '',
        ageCell(volume, now),
        spec?.volumeMode ?? '<unset>',
      ];
    },
  ),
  defaults: draft => fillVolume(draft),
  strategy: strategy({
    prepareCreate: [startPending],
    prepareUpdate: [keepStatus],
    returnsDeleted: true,
    resetFields: ['status'],
    validateCreate: persistentVolumeRules,
    validateUpdate: persistentVolumeChangeRules,
    warnings: [persistentVolumeWarnings],
    metadataRepeats: ['whole', 'whole'],
  }),
  subresources: { status: statusPart({ prepareUpdate: [keepAllButStatus, notePhase] }) },
};

function fillVolume(volume: PersistentVolume): void {
  (volume.status ??= {}).phase ||= 'Pending';
  const spec = (volume.spec ??= {});
  spec.persistentVolumeReclaimPolicy ||= 'Retain';
  spec.volumeMode ??= 'Filesystem';
}

function startPending(...[draft, _, { now }]: Parameters<Prepare>): void {
  draft['status'] = { phase: 'Pending', lastPhaseTransitionTime: goTime(now) };
}

/** The server sets the time of the last change of phase, unless the writer does. */
function notePhase(...[draft, old, { now }]: Parameters<Prepare>): void {
  const status = ((draft as PersistentVolume).status ??= {});
  const stored = (old as PersistentVolume | undefined)?.status;
  const time = status.lastPhaseTransitionTime;
  if (status.phase !== stored?.phase) {
    if (time === undefined || time === stored?.lastPhaseTransitionTime) status.lastPhaseTransitionTime = goTime(now);
  } else if (time === undefined && stored?.lastPhaseTransitionTime !== undefined)
    status.lastPhaseTransitionTime = stored.lastPhaseTransitionTime;
}
