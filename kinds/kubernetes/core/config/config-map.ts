import { configMapChangeRules, configMapRules } from './config-map-rules.js';
import { strategy } from '../../../../registry/strategy/strategy.js';
import type { NativeKind } from '../../native-kind.js';
import { ageCell, nameCell } from '../../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../../registry/printer.js';
import type { ConfigMap } from '../../../../api/kubernetes/core.js';

const size = (map: object | undefined): number => Object.keys(map ?? {}).length;

export const configMap: NativeKind = {
  group: '',
  kind: 'ConfigMap',
  printer: printer<ConfigMap>([name, textColumn('Data'), ageTextColumn], (map, now) => [
    nameCell(map),
    size(map.data) + size(map.binaryData),
    ageCell(map, now),
  ]),
  strategy: strategy({
    validateCreate: configMapRules,
    validateUpdate: configMapChangeRules,
    metadataRepeats: ['change', 'whole'],
  }),
};
