import { storageClassChangeRules, storageClassRules, storageClassWarnings } from './storage-class-rules.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { StorageClass } from '../../../api/kubernetes/storage.js';
import {
  betaDefaultStorageClassAnnotation,
  defaultStorageClassAnnotation,
} from '../../../api/kubernetes/well-known.js';

const defaultAnnotations = [defaultStorageClassAnnotation, betaDefaultStorageClassAnnotation];

export const storageClass: NativeKind = {
  group: 'storage.k8s.io',
  kind: 'StorageClass',
  printer: printer<StorageClass>(
    [
      name,
      textColumn('Provisioner'),
      textColumn('ReclaimPolicy'),
      textColumn('VolumeBindingMode'),
      textColumn('AllowVolumeExpansion'),
      ageTextColumn,
    ],
    (c, now) => {
      const isDefault = defaultAnnotations.some(key => c.metadata.annotations?.[key] === 'true');
      return [
        nameCell(c) + (isDefault ? ' (default)' : ''),
        c.provisioner ?? '',
        c.reclaimPolicy ?? 'Delete',
        c.volumeBindingMode ?? 'Immediate',
        c.allowVolumeExpansion ?? false,
        ageCell(c, now),
      ];
    },
  ),
  defaults: draft => {
    const c = draft as StorageClass;
    c.reclaimPolicy ??= 'Delete';
    c.volumeBindingMode ??= 'Immediate';
  },
  strategy: strategy({
    returnsDeleted: true,
    validateCreate: storageClassRules,
    validateUpdate: storageClassChangeRules,
    warnings: [storageClassWarnings],
    metadataRepeats: ['change', 'whole'],
  }),
};
