import { withGeneration } from '../../../registry/strategy/kinds.js';
import { longNames, strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer } from '../../../registry/printer.js';
import { deviceClassRules } from './device-class-rules.js';

export const deviceClass: NativeKind = {
  group: 'resource.k8s.io',
  kind: 'DeviceClass',
  printer: printer([name, ageTextColumn], (c, now) => [nameCell(c), ageCell(c, now)]),
  strategy: strategy(withGeneration, {
    nameFaults: longNames,
    returnsDeleted: true,
    validateCreate: deviceClassRules,
    validateUpdate: deviceClassRules,
    metadataRepeats: ['change', 'whole'],
  }),
};
