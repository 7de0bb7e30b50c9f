import type { NativeKind } from '../native-kind.js';
import { accessModesCell, ageCell, nameCell } from '../shared/cells.js';
import { age, name, printer, text, wide } from '../shared/printer.js';
import { storageClassOf } from '../shared/storage-class-of.js';
import type { PersistentVolume } from '../types/core.js';

export const persistentVolume: NativeKind = {
  group: '',
  kind: 'PersistentVolume',
  printer: printer<PersistentVolume>(
    [
      name,
      text('Capacity'),
      text('Access Modes'),
      text('Reclaim Policy'),
      text('Status'),
      text('Claim'),
      text('StorageClass'),
      text('VolumeAttributesClass'),
      text('Reason'),
      age,
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
};
