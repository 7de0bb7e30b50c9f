import { dropDisabledFields } from './pod-spec/disabled-fields.js';
import { changedTemplateWarnings } from './pod-spec/workload-warnings.js';
import { podTemplate as templateRules, templateOptions } from './pod-spec/pod-template-rules.js';
import { warnings } from '../../shared/rules/warnings.js';
import { validate } from '../../shared/rules/validate.js';
import { bumpGenerationWhen, changedExcept, startGeneration } from '../../../registry/strategy/generation.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { containerCells, labelsCell } from '../../shared/print/cells.js';
import { name, printer, textColumn } from '../../../registry/printer.js';
import type { PodTemplate } from '../../../api/kubernetes/core.js';

const dropDisabled = dropDisabledFields(object => (object as PodTemplate).template?.spec);

const podTemplateRules = [
  validate<PodTemplate>((object, old) => templateRules(object.at('template'), templateOptions(old?.template))),
];

const podTemplateWarnings = warnings<PodTemplate>((object, warn, old) => {
  changedTemplateWarnings(object, object.at('template'), warn, old);
});

export const podTemplate: NativeKind = {
  group: '',
  kind: 'PodTemplate',
  printer: printer<PodTemplate>(
    [name, textColumn('Containers'), textColumn('Images'), textColumn('Pod Labels')],
    ({ metadata, template }) => [
      metadata.name ?? '',
      ...containerCells(template?.spec?.containers),
      labelsCell(template?.metadata?.labels),
    ],
  ),
  strategy: strategy({
    returnsDeleted: true,
    prepareCreate: [startGeneration, dropDisabled],
    prepareUpdate: [dropDisabled, bumpGenerationWhen(changedExcept())],
    validateCreate: podTemplateRules,
    validateUpdate: podTemplateRules,
    warnings: [podTemplateWarnings],
  }),
};
