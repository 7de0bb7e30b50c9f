import { dropDisabledTemplateFields } from '../core/pod-spec/disabled-fields.js';
import { workloadWarnings } from '../core/pod-spec/workload-warnings.js';
import { daemonSetRules, daemonSetChangeRules, daemonSetStatusRules } from './daemon-set-rules.js';
import { sameValue, typeAt, typeOfObject } from '../../../registry/strategy/same-value.js';
import type { Prepare } from '../../../registry/interface.js';
import { bumpGeneration } from '../../../registry/strategy/generation.js';
import { keepStatus, statusPart } from '../../../registry/strategy/parts.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, containerCells, labelsCell, nameCell, selectorCell } from '../../shared/print/cells.js';
import {
  ageTextColumn,
  containerColumns,
  integerColumn,
  name,
  printer,
  textColumn,
  wide,
} from '../../../registry/printer.js';
import type { DaemonSet } from '../../../api/kubernetes/apps.js';
import { settleIntegerAnnotation, templateGeneration } from './field-annotations.js';

export const daemonSet: NativeKind = {
  group: 'apps',
  kind: 'DaemonSet',
  fieldAnnotations: [templateGeneration],
  printer: printer<DaemonSet>(
    [
      name,
      integerColumn('Desired'),
      integerColumn('Current'),
      integerColumn('Ready'),
      integerColumn('Up-to-date'),
      integerColumn('Available'),
      textColumn('Node Selector'),
      ageTextColumn,
      ...containerColumns,
      wide('Selector'),
    ],
    (set, now) => [
      nameCell(set),
      set.status?.desiredNumberScheduled ?? 0,
      set.status?.currentNumberScheduled ?? 0,
      set.status?.numberReady ?? 0,
      set.status?.updatedNumberScheduled ?? 0,
      set.status?.numberAvailable ?? 0,
      labelsCell(set.spec?.template?.spec?.nodeSelector),
      ageCell(set, now),
      ...containerCells(set.spec?.template?.spec?.containers),
      selectorCell(set.spec?.selector),
    ],
  ),
  defaults: draft => {
    settleIntegerAnnotation(draft, templateGeneration);
    fillDaemonSet(draft);
  },
  strategy: strategy(rulesWithStatus, {
    validateCreate: daemonSetRules,
    validateUpdate: daemonSetChangeRules,
    warnings: [workloadWarnings],
    prepareCreate: [...rulesWithStatus.prepareCreate, startTemplateGeneration, dropDisabledTemplateFields],
    prepareUpdate: [keepStatus, dropDisabledTemplateFields, countTemplates, bumpGeneration],
  }),
  subresources: { status: statusPart({ validateUpdate: daemonSetStatusRules }) },
};

function fillDaemonSet(set: DaemonSet): void {
  const annotations = (set.metadata.annotations ??= {});
  annotations[templateGeneration] ??= '0';
  const spec = (set.spec ??= {});
  const update = (spec.updateStrategy ??= {});
  update.type ||= 'RollingUpdate';
  if (update.type === 'RollingUpdate') {
    const rolling = (update.rollingUpdate ??= {});
    rolling.maxUnavailable ??= 1;
    rolling.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
}

function startTemplateGeneration(...[{ metadata }]: Parameters<Prepare>): void {
  const annotations = (metadata.annotations ??= {});
  annotations[templateGeneration] = String(Math.max(1, Number(annotations[templateGeneration]) || 1));
}

function countTemplates(...[draft, old]: Parameters<Prepare>): void {
  const stored = old as DaemonSet | undefined;
  const before = Number(stored?.metadata.annotations?.[templateGeneration]) || 0;
  const type = typeAt(typeAt(typeOfObject(draft), 'spec'), 'template');
  const changed = !sameValue((draft as DaemonSet).spec?.template, stored?.spec?.template, type);
  (draft.metadata.annotations ??= {})[templateGeneration] = String(changed ? before + 1 : before);
}
