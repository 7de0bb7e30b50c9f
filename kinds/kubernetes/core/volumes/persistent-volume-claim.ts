import { warnings } from '../../../shared/rules/warnings.js';
import { claimWarnings } from './claim-warnings.js';
import { settleDataSources } from './claim-prepare.js';
import { claimChangeRules, claimRules, claimStatusRules } from './persistent-volume-claim-rules.js';
import type { Prepare } from '../../../../registry/interface.js';
import { keepStatus, statusPart } from '../../../../registry/strategy/parts.js';
import { strategy } from '../../../../registry/strategy/strategy.js';
import type { NativeKind } from '../../native-kind.js';
import { accessModesCell, ageCell, nameCell } from '../../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn, wide } from '../../../../registry/printer.js';
import { storageClassOf } from './storage-class-of.js';
import type { PersistentVolumeClaim } from '../../../../api/kubernetes/core.js';

export const persistentVolumeClaim: NativeKind = {
  group: '',
  kind: 'PersistentVolumeClaim',
  printer: printer<PersistentVolumeClaim>(
    [
      name,
      textColumn('Status'),
      textColumn('Volume'),
      textColumn('Capacity'),
      textColumn('Access Modes'),
      textColumn('StorageClass'),
      textColumn('VolumeAttributesClass'),
      ageTextColumn,
      wide('VolumeMode'),
    ],
    (claim, now) => {
      const { spec, status } = claim;
      const bound = Boolean(spec?.volumeName);
      return [
        nameCell(claim),
        claim.metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
        spec?.volumeName ?? '',
        bound ? (status?.capacity?.['storage'] ?? '0') : '',
        bound ? accessModesCell(status?.accessModes) : '',
        storageClassOf(claim),
        spec?.volumeAttributesClassName ?? '<unset>',
        ageCell(claim, now),
        spec?.volumeMode ?? '<unset>',
      ];
    },
  ),
  strategy: strategy({
    returnsDeleted: true,
    resetFields: ['status'],
    prepareCreate: [startPending, settleDataSources],
    prepareUpdate: [keepStatus, settleDataSources],
    validateCreate: claimRules,
    validateUpdate: claimChangeRules,
    warnings: [warnings<PersistentVolumeClaim>(claimWarnings)],
    metadataRepeats: ['change', 'whole'],
  }),
  subresources: { status: statusPart({ validateUpdate: claimStatusRules }) },
};

function startPending(...[draft]: Parameters<Prepare>): void {
  draft['status'] = { phase: 'Pending' };
}
