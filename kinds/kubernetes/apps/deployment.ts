import { dropDisabledTemplateFields } from '../core/pod-spec/disabled-fields.js';
import { namedWorkloadWarnings } from '../core/pod-spec/workload-warnings.js';
import { deploymentRules, deploymentChangeRules, deploymentStatusRules } from './deployment-rules.js';
import { keepAllButStatus, keepMetadataFields, keepStatus, statusPart } from '../../../registry/strategy/parts.js';
import { annotationsChanged, anyOf, bumpGenerationWhen, specChanged } from '../../../registry/strategy/generation.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, containerCells, nameCell, selectorText } from '../../shared/print/cells.js';
import { ageTextColumn, containerColumns, name, printer, textColumn, wide } from '../../../registry/printer.js';
import type { Deployment } from '../../../api/kubernetes/apps.js';
import { rollbackTo, settleIntegerAnnotation } from './field-annotations.js';

export const deployment: NativeKind = {
  group: 'apps',
  kind: 'Deployment',
  fieldAnnotations: [rollbackTo],
  printer: printer<Deployment>(
    [
      name,
      textColumn('Ready'),
      textColumn('Up-to-date'),
      textColumn('Available'),
      ageTextColumn,
      ...containerColumns,
      wide('Selector'),
    ],
    (d, now) => [
      nameCell(d),
      `${d.status?.readyReplicas ?? 0}/${d.spec?.replicas ?? 0}`,
      d.status?.updatedReplicas ?? 0,
      d.status?.availableReplicas ?? 0,
      ageCell(d, now),
      ...containerCells(d.spec?.template?.spec?.containers),
      selectorText(d.spec?.selector) ?? '<invalid>',
    ],
  ),
  defaults: draft => {
    settleRollback(draft);
    fillDeployment(draft);
  },
  strategy: strategy(rulesWithStatus, {
    validateCreate: deploymentRules,
    validateUpdate: deploymentChangeRules,
    prepareCreate: [...rulesWithStatus.prepareCreate, dropDisabledTemplateFields],
    prepareUpdate: [keepStatus, dropDisabledTemplateFields, bumpGenerationWhen(anyOf(specChanged, annotationsChanged))],
    warnings: [namedWorkloadWarnings],
  }),
  subresources: {
    status: statusPart({
      validateUpdate: deploymentStatusRules,
      prepareUpdate: [keepAllButStatus, keepMetadataFields('labels')],
      resetFields: ['spec', 'metadata.labels'],
    }),
  },
};

/** An empty revision means that there is no rollback. */
function settleRollback(d: Deployment): void {
  const given = d.metadata.annotations?.[rollbackTo];
  if (given === '') delete d.metadata.annotations?.[rollbackTo];
  else
    settleIntegerAnnotation(
      d,
      rollbackTo,
      error => `failed to parse annotation[${rollbackTo}]=${given} as int64: ${error}`,
    );
}

function fillDeployment(d: Deployment): void {
  const spec = (d.spec ??= {});
  spec.replicas ??= 1;
  const strategy = (spec.strategy ??= {});
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rolling = (strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= '25%';
    rolling.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
}
