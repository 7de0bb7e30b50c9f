import { bumpGeneration } from '../../../registry/strategy/generation.js';
import { keepStatus, statusPart } from '../../../registry/strategy/parts.js';
import { dropDisabledFields } from '../core/pod-spec/disabled-fields.js';
import { cronJobRules } from './cron-job-rules.js';
import { cronJobWarnings } from './job-warnings.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, containerCells, nameCell, selectorCell, since } from '../../shared/print/cells.js';
import {
  ageTextColumn,
  booleanColumn,
  containerColumns,
  integerColumn,
  name,
  printer,
  textColumn,
  wide,
} from '../../../registry/printer.js';
import type { CronJob } from '../../../api/kubernetes/batch.js';

const dropDisabled = dropDisabledFields(object => (object as CronJob).spec?.jobTemplate?.spec?.template?.spec);

export const cronJob: NativeKind = {
  group: 'batch',
  kind: 'CronJob',
  printer: printer<CronJob>(
    [
      name,
      textColumn('Schedule'),
      textColumn('Timezone'),
      booleanColumn('Suspend'),
      integerColumn('Active'),
      textColumn('Last Schedule'),
      ageTextColumn,
      ...containerColumns,
      wide('Selector'),
    ],
    (cron, now) => {
      const { spec, status } = cron;
      const last = status?.lastScheduleTime;
      return [
        nameCell(cron),
        spec?.schedule ?? '',
        spec?.timeZone ?? '<none>',
        spec?.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False',
        (status?.active ?? []).length,
        last === undefined ? '<none>' : since(last, now),
        ageCell(cron, now),
        ...containerCells(spec?.jobTemplate?.spec?.template?.spec?.containers),
        selectorCell(spec?.jobTemplate?.spec?.selector),
      ];
    },
  ),
  defaults: draft => fillCronJob(draft),
  strategy: strategy(rulesWithStatus, {
    prepareCreate: [...rulesWithStatus.prepareCreate, dropDisabled],
    prepareUpdate: [keepStatus, dropDisabled, bumpGeneration],
    warnings: [cronJobWarnings],
    validateCreate: cronJobRules,
    validateUpdate: cronJobRules,
  }),
  subresources: { status: statusPart({ metadataRepeats: [] }) },
};

function fillCronJob(cron: CronJob): void {
  const spec = (cron.spec ??= {});
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
}
