// as pkg/api/job WarningsForJobSpec
import { templateWarnings } from '../core/pod-spec/pod-warnings.js';
import type { Field } from '../../shared/rules/field.js';
import { type Warn, hostnameWarning, podNames, warnings } from '../../shared/rules/warnings.js';
import type { CronJob, Job, JobSpec } from '../../../api/kubernetes/batch.js';

const many = 100_000;
const manyAtOnce = 10_000;

function specWarnings(spec: Field<JobSpec>, warn: Warn): void {
  const { completionMode, completions = 0, parallelism = 0 } = spec.value ?? {};
  if (completionMode === 'Indexed' && completions > many && parallelism > manyAtOnce)
    warn(
      `${spec.path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
    );
  templateWarnings(spec.at('template'), warn);
}

/** Names are checked when objects are created, specs whenever they change. */
export const jobWarnings = warnings<Job>((job, warn, old) => {
  if (!old) hostnameWarning(job.value?.metadata.name, podNames, warn);
  if (old?.metadata.generation !== job.value?.metadata.generation) specWarnings(job.at('spec'), warn);
});

export const cronJobWarnings = warnings<CronJob>((cron, warn, old) => {
  if (!old) hostnameWarning(cron.value?.metadata.name, podNames, warn);
  if (old?.metadata.generation !== cron.value?.metadata.generation)
    specWarnings(cron.at('spec').at('jobTemplate').at('spec'), warn);
  if (old && cron.value?.spec?.schedule?.includes('TZ'))
    warn(
      'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    );
});
