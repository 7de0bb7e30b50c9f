import { volumeAttributesClassChangeRules, volumeAttributesClassRules } from './volume-attributes-class-rules.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { VolumeAttributesClass } from '../../../api/kubernetes/storage.js';

export const volumeAttributesClass: NativeKind = {
  group: 'storage.k8s.io',
  kind: 'VolumeAttributesClass',
  printer: printer<VolumeAttributesClass>([name, textColumn('DriverName'), ageTextColumn], (c, now) => [
    nameCell(c),
    c.driverName ?? '',
    ageCell(c, now),
  ]),
  strategy: strategy({
    returnsDeleted: true,
    validateCreate: volumeAttributesClassRules,
    validateUpdate: volumeAttributesClassChangeRules,
    metadataRepeats: ['change', 'whole'],
  }),
};
