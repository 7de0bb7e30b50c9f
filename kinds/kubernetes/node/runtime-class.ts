import { runtimeClassChangeRules, runtimeClassRules, runtimeClassWarnings } from './runtime-class-rules.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { RuntimeClass } from '../../../api/kubernetes/node.js';

export const runtimeClass: NativeKind = {
  group: 'node.k8s.io',
  kind: 'RuntimeClass',
  printer: printer<RuntimeClass>([name, textColumn('Handler'), ageTextColumn], (c, now) => [
    nameCell(c),
    c.handler ?? '',
    ageCell(c, now),
  ]),
  strategy: strategy({
    createOnUpdate: true,
    unconditionalUpdate: false,
    validateCreate: runtimeClassRules,
    validateUpdate: runtimeClassChangeRules,
    warnings: [runtimeClassWarnings],
    metadataRepeats: ['change', 'whole'],
    plainFinalizers: 'allow',
  }),
};
