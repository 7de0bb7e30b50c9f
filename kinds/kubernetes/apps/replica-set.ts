import { bumpGeneration } from '../../../registry/strategy/generation.js';
import { dropDisabledTemplateFields } from '../core/pod-spec/disabled-fields.js';
import { namedWorkloadWarnings } from '../core/pod-spec/workload-warnings.js';
import { replicaSetRules, replicaSetChangeRules, replicaSetStatusRules } from './replica-set-rules.js';
import { statusPart, keepStatus } from '../../../registry/strategy/parts.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { selectorCell } from '../../shared/print/cells.js';
import { replicaCells, replicaColumns } from '../../shared/print/replica-cells.js';
import { printer } from '../../../registry/printer.js';
import type { ReplicaSet } from '../../../api/kubernetes/apps.js';

export const replicaSet: NativeKind = {
  group: 'apps',
  kind: 'ReplicaSet',
  printer: printer<ReplicaSet>(replicaColumns, (rs, now) => replicaCells(rs, selectorCell(rs.spec?.selector), now)),
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
