import { Field } from '../../shared/rules/field.js';
import { templateWarnings } from './pod-spec/pod-warnings.js';
import { hostnameWarning, podNames, warnings } from '../../shared/rules/warnings.js';
import { bumpGeneration } from '../../../registry/strategy/generation.js';
import { keepStatus, statusPart } from '../../../registry/strategy/parts.js';
import { dropDisabledTemplateFields } from './pod-spec/disabled-fields.js';
import { replicationControllerRules, replicationControllerStatusRules } from './replication-controller-rules.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { longNames, strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { labelsCell } from '../../shared/print/cells.js';
import { replicaCells, replicaColumns } from '../../shared/print/replica-cells.js';
import { printer } from '../../../registry/printer.js';
import type { ReplicationController } from '../../../api/kubernetes/core.js';

/** On updates the warnings are about the old template, as upstream. */
const controllerWarnings = warnings<ReplicationController>((controller, warn, old) => {
  if (!old) hostnameWarning(controller.value?.metadata.name, podNames, warn);
  if (old && old.metadata.generation === controller.value?.metadata.generation) return;
  const shown = old ? new Field(old, '', []) : controller;
  templateWarnings(shown.at('spec').at('template'), warn);
});

export const replicationController: NativeKind = {
  group: '',
  kind: 'ReplicationController',
  storagePrefix: '/registry/controllers',
  selectableFields: { 'status.replicas': object => String((object as ReplicationController).status?.replicas ?? 0) },
  printer: printer<ReplicationController>(replicaColumns, (rc, now) =>
    replicaCells(rc, labelsCell(rc.spec?.selector), now),
  ),
  defaults: draft => fillController(draft),
  strategy: strategy(rulesWithStatus, {
    nameFaults: longNames,
    defaultPropagation: 'Orphan',
    prepareCreate: [...rulesWithStatus.prepareCreate, dropDisabledTemplateFields],
    prepareUpdate: [keepStatus, dropDisabledTemplateFields, bumpGeneration],
    validateCreate: replicationControllerRules,
    validateUpdate: replicationControllerRules,
    warnings: [controllerWarnings],
  }),
  subresources: { status: statusPart({ validateUpdate: replicationControllerStatusRules }) },
};

function fillController(rc: ReplicationController): void {
  const spec = (rc.spec ??= {});
  spec.replicas ??= 1;
  const labels = spec.template?.metadata?.labels;
  if (!labels) return;
  if (isEmpty(spec.selector)) spec.selector = { ...labels };
  if (isEmpty(rc.metadata.labels)) rc.metadata.labels = { ...labels };
}

const isEmpty = (map: object | undefined): boolean => Object.keys(map ?? {}).length === 0;
