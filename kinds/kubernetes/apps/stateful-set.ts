import { checkDns1123Label } from '../../../apimachinery/meta/names.js';
import { dropDisabledTemplateFields } from '../core/pod-spec/disabled-fields.js';
import { statefulSetWarnings } from './stateful-set-warnings.js';
import { statefulSetRules, statefulSetChangeRules, statefulSetStatusRules } from './stateful-set-rules.js';
import type { Prepare } from '../../../registry/interface.js';
import { bumpGeneration } from '../../../registry/strategy/generation.js';
import { keepStatus, statusPart } from '../../../registry/strategy/parts.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { nameRuleOf, strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, containerCells, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, containerColumns, name, printer, textColumn } from '../../../registry/printer.js';
import type { StatefulSet } from '../../../api/kubernetes/apps.js';

export const statefulSet: NativeKind = {
  group: 'apps',
  kind: 'StatefulSet',
  printer: printer<StatefulSet>([name, textColumn('Ready'), ageTextColumn, ...containerColumns], (set, now) => [
    nameCell(set),
    `${set.status?.readyReplicas ?? 0}/${set.spec?.replicas ?? 0}`,
    ageCell(set, now),
    ...containerCells(set.spec?.template?.spec?.containers),
  ]),
  defaults: draft => fillStatefulSet(draft),
  readStored: withClaimTypes,
  strategy: strategy(rulesWithStatus, {
    nameFaults: nameRuleOf(checkDns1123Label),
    validateCreate: statefulSetRules,
    validateUpdate: statefulSetChangeRules,
    warnings: [statefulSetWarnings],
    prepareCreate: [...rulesWithStatus.prepareCreate, dropMaxUnavailable, dropDisabledTemplateFields],
    prepareUpdate: [keepStatus, dropMaxUnavailable, dropDisabledTemplateFields, bumpGeneration],
  }),
  subresources: { status: statusPart({ validateUpdate: statefulSetStatusRules, metadataRepeats: [] }) },
};

function fillStatefulSet(set: StatefulSet): void {
  const spec = (set.spec ??= {});
  spec.podManagementPolicy ||= 'OrderedReady';
  const update = (spec.updateStrategy ??= {});
  if (!update.type) {
    update.type = 'RollingUpdate';
    update.rollingUpdate ??= {};
  }
  if (update.type === 'RollingUpdate' && update.rollingUpdate) update.rollingUpdate.partition ??= 0;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ||= 'Retain';
  retention.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  for (const claim of spec.volumeClaimTemplates ?? []) Object.assign(claim, claimType);
}

// as pkg/apis/apps/v1 Convert_apps_StatefulSetSpec_To_v1_StatefulSetSpec
const claimType = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };

/** Protobuf does not carry the types of nested objects. */
function withClaimTypes(object: StatefulSet): StatefulSet {
  const claims = object.spec?.volumeClaimTemplates;
  if (!claims?.some(claim => claim.kind === undefined)) return object;
  return {
    ...object,
    spec: { ...object.spec, volumeClaimTemplates: claims.map(claim => ({ ...claimType, ...claim })) },
  };
}

/** The field is behind a feature gate that is off. */
function dropMaxUnavailable(...[draft, old]: Parameters<Prepare>): void {
  const stored = (old as StatefulSet | undefined)?.spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
  if (stored === undefined) delete (draft as StatefulSet).spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
}
