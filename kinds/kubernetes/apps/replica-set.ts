import { bumpGeneration } from '../../../registry/strategy/generation.js';
import { dropDisabledTemplateFields } from '../core/pod-spec/disabled-fields.js';
import { namedWorkloadWarnings } from '../core/pod-spec/workload-warnings.js';
import { replicaSetRules, replicaSetChangeRules, replicaSetStatusRules } from './replica-set-rules.js';
import { statusPart, keepStatus } from '../../../registry/strategy/parts.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, containerCells, nameCell, selectorCell } from '../../shared/print/cells.js';
import { ageTextColumn, containerColumns, integerColumn, name, printer, wide } from '../../../registry/printer.js';
import type { ReplicaSet } from '../../../api/kubernetes/apps.js';

export const replicaSet: NativeKind = {
  group: 'apps',
  kind: 'ReplicaSet',
  printer: printer<ReplicaSet>(
    [
      name,
      integerColumn('Desired'),
      integerColumn('Current'),
      integerColumn('Ready'),
      ageTextColumn,
      ...containerColumns,
      wide('Selector'),
    ],
    (rs, now) => [
      nameCell(rs),
      rs.spec?.replicas ?? 0,
      rs.status?.replicas ?? 0,
      rs.status?.readyReplicas ?? 0,
      ageCell(rs, now),
      ...containerCells(rs.spec?.template?.spec?.containers),
      selectorCell(rs.spec?.selector),
    ],
  ),
  defaults: draft => {
    ((draft as ReplicaSet).spec ??= {}).replicas ??= 1;
  },
  strategy: strategy(rulesWithStatus, {
    validateCreate: replicaSetRules,
    validateUpdate: replicaSetChangeRules,
    prepareCreate: [...rulesWithStatus.prepareCreate, dropDisabledTemplateFields],
    prepareUpdate: [keepStatus, dropDisabledTemplateFields, bumpGeneration],
    warnings: [namedWorkloadWarnings],
  }),
  subresources: { status: statusPart({ validateUpdate: replicaSetStatusRules }) },
};
