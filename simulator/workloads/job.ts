import type { Job, JobCondition, JobStatus } from '../../openapi/gen/batch-v1.js';
import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, ReconcileResult } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { endOf } from '../../kinds/kubernetes/batch/job-end.js';
import { jobs } from '../../api/kubernetes/resources.js';
import { ownedPods } from '../pods/owned.js';
import { jobPods, type Scaled } from './job-pods.js';
import { deadlineIn, indexesText, isIndexed, type Tally, tallyOf, type JobEnd, jobEndOf } from './job-tally.js';

/** The value of `spec.managedBy` for this controller. */
const ownName = 'kubernetes.io/job-controller';

/** Runs as many Pods of a Job in parallel as it allows, until enough have succeeded or too many have failed (`kubelet.ts` ends them). */
export function startJobs(context: ControllerContext): void {
  const { client, clock } = context;
  const mirror = context.informers.informer<Job>(jobs);
  const pods = ownedPods(context, 'Job');
  const recorder = context.recorder('job-controller');
  const { scale, removeAll } = jobPods(pods, recorder);

  /** Records events for the changes of a status. */
  function recordChanges(job: Job, before: JobStatus | undefined, { conditions = [] }: JobStatus): void {
    for (const { type, status, reason = '', message = '' } of conditions) {
      const old = before?.conditions?.find(condition => condition.type === type);
      if (old?.status === status) continue;
      if (type === 'Complete') recorder.event(job, 'Normal', 'Completed', 'Job completed');
      if (type === 'Failed') recorder.event(job, 'Warning', reason, message);
      if (type === 'Suspended') recorder.event(job, 'Normal', status === 'True' ? 'Suspended' : 'Resumed', message);
    }
  }

  async function reconcile(key: string): Promise<ReconcileResult> {
    const job = mirror.get(key);
    if (!job || endOf(job.status?.conditions) || !pods.settled(job)) return undefined;
    if ((job.spec?.managedBy ?? ownName) !== ownName) return undefined;
    const owned = pods.of(job);
    const now = clock.now();
    const tally = tallyOf(job, owned);
    const jobEnd = jobEndOf(job, tally, owned, now);
    const nothing: Scaled = { created: 0, removed: 0, removedReady: 0 };
    const scaled = jobEnd
      ? await removeAll(job, tally.active)
      : job.metadata.deletionTimestamp
        ? nothing
        : await scale(job, tally, owned, now);
    const status = statusOf(job, tally, { jobEnd, scaled, now: timestamp(now) });
    await updateObject<Job>(client, jobs, job, draft => void (draft.status = status), { subresource: 'status' });
    recordChanges(job, job.status, status);
    const left = deadlineIn({ ...job, status }, now);
    const waits = [scaled.againAfter, left].filter(wait => wait !== undefined && wait > 0) as number[];
    return waits.length > 0 ? { againAfter: Math.min(...waits) } : undefined;
  }

  context.run({
    name: 'job-controller',
    synced: [mirror.synced, pods.mirror.synced],
    wire(queue) {
      mirror.onChange(({ new: job }) => job && queue.add(keyOf(job)));
      pods.wakeOwners(queue);
    },
    reconcile,
  });
}

interface Outcome {
  readonly jobEnd: JobEnd | undefined;
  readonly scaled: Scaled;
  readonly now: string;
}

const ends = { SuccessCriteriaMet: 'Complete', FailureTarget: 'Failed' } as const;

/** Returns the conditions, with the one that ends the Job as soon as it is known, and with the final condition once no Pod is left. */
function conditionsOf(job: Job, tally: Tally, { jobEnd, scaled, now }: Outcome): JobCondition[] {
  const conditions = [...(job.status?.conditions ?? [])];
  const put = (type: string, status: string, reason: string, message: string): void => {
    const at = conditions.findIndex(condition => condition.type === type);
    if (conditions[at]?.status === status) return;
    const next = { type, status, reason, message, lastProbeTime: now, lastTransitionTime: now };
    conditions.splice(at < 0 ? conditions.length : at, at < 0 ? 0 : 1, next);
  };
  if (jobEnd) {
    const { type, reason = '', message = '' } = jobEnd;
    put(type, 'True', reason, message);
    const left = tally.active.length + tally.terminating + scaled.created;
    if (left === 0) put(ends[type], 'True', reason, message);
  } else if (job.spec?.suspend) put('Suspended', 'True', 'JobSuspended', 'Job suspended');
  else if (isConditionTrue(conditions, 'Suspended')) put('Suspended', 'False', 'JobResumed', 'Job resumed');
  return conditions;
}

/** Returns the start time: a suspended Job has none; a resumed one gets a new one, and with it a new deadline. */
function startOf(job: Job, now: string): string | undefined {
  if (job.spec?.suspend) return undefined;
  return job.status?.startTime ?? now;
}

function statusOf(job: Job, tally: Tally, outcome: Outcome): JobStatus {
  const { scaled, jobEnd, now } = outcome;
  const conditions = conditionsOf(job, tally, outcome);
  const active = tally.active.length + scaled.created - scaled.removed;
  const start = jobEnd ? (job.status?.startTime ?? now) : startOf(job, now);
  const isComplete = isConditionTrue(conditions, 'Complete');
  return {
    ...(start !== undefined && { startTime: start }),
    ...(active > 0 && { active }),
    ready: tally.ready - scaled.removedReady,
    terminating: tally.terminating + scaled.removed,
    ...(tally.succeeded > 0 && { succeeded: tally.succeeded }),
    ...(tally.failed > 0 && { failed: tally.failed }),
    ...(isIndexed(job) && tally.completed.size > 0 && { completedIndexes: indexesText(tally.completed) }),
    ...(job.spec?.backoffLimitPerIndex !== undefined && { failedIndexes: indexesText(tally.failedIndexes) }),
    uncountedTerminatedPods: {},
    ...(isComplete && { completionTime: now }),
    ...(conditions.length > 0 && { conditions }),
  };
}
