import { humanDuration } from '../shared/human-duration.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, containerCells, nameCell, selectorCell } from '../shared/cells.js';
import { age, containerColumns, name, printer, text, wide } from '../shared/printer.js';
import type { Job } from '../types/batch.js';

export const job: NativeKind = {
  group: 'batch',
  kind: 'Job',
  selectableFields: { 'status.successful': object => String((object as Job).status?.succeeded ?? 0) },
  printer: printer<Job>(
    [name, text('Status'), text('Completions'), text('Duration'), age, ...containerColumns, wide('Selector')],
    (j, now) => [
      nameCell(j),
      status(j),
      completions(j),
      duration(j, now),
      ageCell(j, now),
      ...containerCells(j.spec?.template?.spec?.containers),
      selectorCell(j.spec?.selector),
    ],
  ),
};

function status(j: Job): string {
  const is = (type: string): boolean => j.status?.conditions?.find(c => c.type === type)?.status === 'True';
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (j.metadata.deletionTimestamp) return 'Terminating';
  if (is('Suspended')) return 'Suspended';
  if (is('FailureTarget')) return 'FailureTarget';
  return is('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function completions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

/** From start to completion, or until now; '' before the start. */
function duration({ status }: Job, now: Date): string {
  if (status?.startTime === undefined) return '';
  const end = status.completionTime === undefined ? now.getTime() : Date.parse(status.completionTime);
  return humanDuration(end - Date.parse(status.startTime));
}
