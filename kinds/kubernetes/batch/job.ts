import { jobStatusRules } from './job-status-rules.js';
import { bumpGeneration } from '../../../registry/strategy/generation.js';
import { keepStatus, statusPart } from '../../../registry/strategy/parts.js';
import { dropDisabledTemplateFields } from '../core/pod-spec/disabled-fields.js';
import { jobWarnings } from './job-warnings.js';
import { jobRules, jobChangeRules } from './job-rules.js';
import { generateSelector } from './generate-selector.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import { humanDuration } from '../../../lib/go/duration.js';
import { maxInt32 } from '../../shared/rules/numbers.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, containerCells, nameCell, selectorCell } from '../../shared/print/cells.js';
import { ageTextColumn, containerColumns, name, printer, textColumn, wide } from '../../../registry/printer.js';
import type { Job } from '../../../api/kubernetes/batch.js';

export const job: NativeKind = {
  group: 'batch',
  kind: 'Job',
  selectableFields: { 'status.successful': object => String((object as Job).status?.succeeded ?? 0) },
  printer: printer<Job>(
    [
      name,
      textColumn('Status'),
      textColumn('Completions'),
      textColumn('Duration'),
      ageTextColumn,
      ...containerColumns,
      wide('Selector'),
    ],
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
  defaults: draft => fillJob(draft),
  strategy: strategy(rulesWithStatus, {
    defaultPropagation: 'Orphan',
    deleteWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    validateCreate: jobRules,
    validateUpdate: jobChangeRules,
    prepareCreate: [generateSelector, ...rulesWithStatus.prepareCreate, dropDisabledTemplateFields],
    prepareUpdate: [keepStatus, dropDisabledTemplateFields, bumpGeneration],
    warnings: [jobWarnings],
    canonicalize: [draft => labelAsPods(draft)],
    metadataRepeats: ['change', 'whole'],
  }),
  subresources: { status: statusPart({ validateUpdate: jobStatusRules }) },
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

/** Returns the time from start to completion, or until now; '' before the start. */
function duration({ status }: Job, now: Date): string {
  if (status?.startTime === undefined) return '';
  const end = status.completionTime === undefined ? now.getTime() : Date.parse(status.completionTime);
  return humanDuration(end - Date.parse(status.startTime));
}

/** A job without labels gets those of its pods, including those from its selector. */
function labelAsPods({ metadata, spec }: Job): void {
  const labels = spec?.template?.metadata?.labels;
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}

function fillJob(j: Job): void {
  const spec = (j.spec ??= {});
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32;
  labelAsPods(j);
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  spec.manualSelector ??= false;
}
