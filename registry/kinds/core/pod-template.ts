import { bumpGenerationWhen, changedExcept, startGeneration } from '../../strategy/generation.js';
import { strategy } from '../../strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { containerCells, labelsCell } from '../shared/cells.js';
import { name, printer, text } from '../shared/printer.js';
import type { PodTemplate } from '../types/core.js';

export const podTemplate: NativeKind = {
  group: '',
  kind: 'PodTemplate',
  printer: printer<PodTemplate>(
    [name, text('Containers'), text('Images'), text('Pod Labels')],
    ({ metadata, template }) => [
      metadata.name ?? '',
      ...containerCells(template?.spec?.containers),
      labelsCell(template?.metadata?.labels),
    ],
  ),
  strategy: strategy({
    prepareCreate: [startGeneration],
    prepareUpdate: [bumpGenerationWhen(changedExcept())],
    returnsDeleted: true,
  }),
};
