// as pkg/apis/batch/validation ValidateJobUpdateStatus, with the options of pkg/registry/batch/job getStatusValidationOptions
import { isConditionTrue } from '../../../apimachinery/meta/conditions.js';
import { semanticEqual } from '../../../lib/json/equality.js';
import { omitted } from '../../../apimachinery/errors/faults.js';
import type { Validate } from '../../../registry/interface.js';
import { countsAreNatural } from '../../shared/rules/counts.js';
import type { Field } from '../../shared/rules/field.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { validateChange } from '../../shared/rules/validate.js';
import type { Job, JobStatus } from '../../../api/kubernetes/batch.js';
import { endOf } from './job-end.js';
import { commonIndex, countIndexes } from './job-indexes.js';

const is = (job: Job, type: string): boolean => isConditionTrue(job.status?.conditions, type);
const isFinished = (job: Job): boolean => endOf(job.status?.conditions) !== undefined;
const before = (a: string | undefined, b: string | undefined): boolean => Date.parse(a ?? '') < Date.parse(b ?? '');

/** The changes to the stored status; most rules check only what changed. */
interface Change {
  readonly job: Job;
  readonly old: Job;
  readonly status: Field<JobStatus>;
  readonly field: (...names: readonly (keyof JobStatus)[]) => boolean;
  readonly condition: (...types: readonly string[]) => boolean;
  readonly finished: boolean;
}

function changeOf(at: Field<Job>, old: Job): Change {
  const job = at.value ?? old;
  return {
    job,
    old,
    status: at.at('status'),
    field: (...names) => names.some(name => !semanticEqual(job.status?.[name], old.status?.[name])),
    condition: (...types) => types.some(type => is(job, type) !== is(old, type)),
    finished: isFinished(job) !== isFinished(old),
  };
}

function conditionFaults({ job, status, condition }: Change): void {
  const report = (text: string): void => status.at('conditions').invalid(text, omitted);
  const complete = is(job, 'Complete');
  if (condition('Complete', 'Failed') && complete && is(job, 'Failed'))
    report('cannot set Complete=True and Failed=true conditions');
  if (condition('Complete', 'FailureTarget') && complete && is(job, 'FailureTarget'))
    report('cannot set Complete=True and FailureTarget=true conditions');
}

function timeFaults({ job, status, field, condition }: Change): void {
  const completion = status.at('completionTime');
  const complete = is(job, 'Complete');
  const changed = condition('Complete') || field('completionTime');
  if (changed && completion.isSet && !complete)
    completion.invalid('cannot set completionTime when there is no Complete=True condition');
  if (changed && !completion.isSet && complete) completion.required('completionTime is required for Complete jobs');
  if (field('startTime', 'completionTime') && before(completion.value, job.status?.startTime))
    completion.invalid('must be equal to or after `startTime`');
}

function finishFaults({ job, status, field, condition, finished: changed }: Change): void {
  const report = (text: string): void => status.at('conditions').invalid(text, omitted);
  if ((condition('Failed') || field('failedIndexes')) && is(job, 'Failed') && !is(job, 'FailureTarget'))
    report('cannot set Failed=True condition without the FailureTarget=true condition');
  if (condition('Complete', 'SuccessCriteriaMet') && is(job, 'Complete') && !is(job, 'SuccessCriteriaMet'))
    report('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  if (!isFinished(job)) return;
  const active = status.at('active');
  if ((changed || field('active')) && (active.value ?? 0) > 0) active.invalid('active>0 is invalid for finished job');
  const nothingToDo = job.spec?.suspend === true && job.spec.completions === 0;
  if ((changed || field('startTime')) && !nothingToDo && !status.at('startTime').isSet)
    status.at('startTime').required('startTime is required for finished job');
  const uncounted = status.at('uncountedTerminatedPods');
  const left = (uncounted.value?.failed ?? []).length + (uncounted.value?.succeeded ?? []).length;
  if ((changed || field('uncountedTerminatedPods')) && left > 0)
    uncounted.invalid('must be empty for finished job', shownInternal('*UncountedTerminatedPods', uncounted.value));
}

function indexFaults({ job, status, field }: Change): void {
  const { completions, backoffLimitPerIndex, completionMode } = job.spec ?? {};
  const completed = status.at('completedIndexes');
  const failed = status.at('failedIndexes');
  const wrong = (text: string): string | undefined => {
    const read = countIndexes(text, completions ?? 0);
    return typeof read === 'object' ? read.error : undefined;
  };
  const bad = (at: Field<string>, name: string): void => {
    const error = wrong(at.value ?? '');
    if (error !== undefined) at.invalid(`error parsing ${name}: ${error}`, at.value ?? '');
  };
  const [completedChanged, failedChanged] = [field('completedIndexes'), field('failedIndexes')];
  if (completedChanged && completions !== undefined) bad(completed, 'completedIndexes');
  if (failedChanged && completions !== undefined && backoffLimitPerIndex !== undefined && failed.isSet)
    bad(failed, 'failedIndexes');
  if (completedChanged && !completed.isEmpty && completionMode !== 'Indexed')
    completed.invalid('cannot set non-empty completedIndexes when non-indexed completion mode');
  if (failedChanged && backoffLimitPerIndex === undefined && failed.isSet)
    failed.invalid('cannot set non-null failedIndexes when backoffLimitPerIndex is null');
  if (!(completedChanged || failedChanged) || completions === undefined || !failed.isSet) return;
  const common = commonIndex(completed.value ?? '', failed.value ?? '', completions);
  if (common !== undefined) failed.invalid(`failedIndexes and completedIndexes overlap at index: ${common}`);
}

function podFaults({ job, status, field, finished: changed }: Change): void {
  const terminating = status.at('terminating');
  if ((changed || field('terminating')) && (terminating.value ?? 0) > 0 && isFinished(job))
    terminating.invalid('terminating>0 is invalid for finished job');
  const ready = status.at('ready');
  if (field('ready', 'active') && (ready.value ?? 0) > (job.status?.active ?? 0))
    ready.invalid('cannot set more ready pods than active');
}

function successFaults({ job, status }: Change): void {
  const report = (text: string): void => status.at('conditions').invalid(text, omitted);
  const met = is(job, 'SuccessCriteriaMet');
  if (met && is(job, 'Failed')) report('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (met && is(job, 'FailureTarget')) report('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  if (job.spec?.successPolicy && !met && is(job, 'Complete'))
    report('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
}

/** The listed pods must be unique. */
function uncounted(status: Field<JobStatus>): void {
  const seen = new Set<string>();
  for (const kind of ['succeeded', 'failed'] as const)
    for (const uid of status.at('uncountedTerminatedPods').at(kind).items()) {
      const value = uid.value ?? '';
      if (value === '') uid.invalid('must not be empty');
      else if (seen.has(value)) uid.duplicate();
      seen.add(value);
    }
}

function progress({ job, old, status, field }: Change): void {
  const report = (text: string): void => status.at('conditions').invalid(text, omitted);
  for (const type of ['Failed', 'Complete', 'FailureTarget'])
    if (is(old, type) && !is(job, type)) report(`cannot disable the terminal ${type}=True condition`);
  const fewer = (name: 'failed' | 'succeeded'): boolean => (job.status?.[name] ?? 0) < (old.status?.[name] ?? 0);
  const { completionMode, completions, parallelism, suspend } = job.spec ?? {};
  const canShrink = completionMode === 'Indexed' && completions === parallelism;
  if (fewer('failed')) status.at('failed').invalid('cannot decrease the failed counter', job.status?.failed ?? 0);
  if (!canShrink && fewer('succeeded'))
    status.at('succeeded').invalid('cannot decrease the succeeded counter', job.status?.succeeded ?? 0);
  const completion = status.at('completionTime');
  if (completion.isSet && old.status?.completionTime !== undefined && field('completionTime'))
    completion.invalid('field is immutable');
  const isOff = job.status?.conditions?.some(c => c.type === 'Suspended' && c.status === 'False') ?? false;
  if (old.status?.startTime !== undefined && field('startTime') && !(is(old, 'Suspended') && isOff) && !suspend)
    status.at('startTime').invalid('field is immutable for unsuspended job once set');
  const met = is(job, 'SuccessCriteriaMet');
  const wasMet = is(old, 'SuccessCriteriaMet');
  if (wasMet && !met) report('cannot disable the SuccessCriteriaMet=True condition');
  if (is(old, 'Complete') && !wasMet && met)
    report('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
}

export const jobStatusRules: readonly Validate[] = [
  validateChange<Job>((job, old) => {
    const change = changeOf(job, old);
    countsAreNatural(change.status, ['active', 'succeeded', 'failed', 'ready', 'terminating']);
    uncounted(change.status);
    conditionFaults(change);
    timeFaults(change);
    finishFaults(change);
    indexFaults(change);
    podFaults(change);
    successFaults(change);
    progress(change);
  }),
];
