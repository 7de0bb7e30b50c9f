import { csiNodeChangeRules, csiNodeRules } from './csi-node-rules.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, integerColumn, name, printer } from '../../../registry/printer.js';
import type { CSINode } from '../../../api/kubernetes/storage.js';

export const csiNode: NativeKind = {
  group: 'storage.k8s.io',
  kind: 'CSINode',
  printer: printer<CSINode>([name, integerColumn('Drivers'), ageTextColumn], (node, now) => [
    nameCell(node),
    (node.spec?.drivers ?? []).length,
    ageCell(node, now),
  ]),
  strategy: strategy({
    unconditionalUpdate: false,
    returnsDeleted: true,
    validateCreate: csiNodeRules,
    validateUpdate: csiNodeChangeRules,
    metadataRepeats: ['whole'],
  }),
};
