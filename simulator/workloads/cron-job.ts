import type { CronJob, CronJobStatus, Job } from '../../openapi/gen/batch-v1.js';
import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import type { Client } from '../../client/interface.js';
import type { Clock } from '../../lib/clock.js';
import { secondsMs } from '../../lib/go/duration.js';
import { controllerOf, controllerReference, isControlledBy } from '../../apimachinery/meta/owner.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { parseCron, type Schedule } from '../../controllers/autoscale/cron.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { createExpectations, type Expectations } from '../../client/runtime/expectations.js';
import { keyOf, objectKey } from '../../client/key.js';
import type {
  ControllerContext,
  EventRecorder,
  Informer,
  Key,
  ReconcileResult,
  WorkQueue,
} from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { find, ignoreNotFound } from '../../client/find.js';
import { endOf } from '../../kinds/kubernetes/batch/job-end.js';
import { cronJobs, jobs } from '../../api/kubernetes/resources.js';
import { ownerKey } from '../pods/owner-key.js';

const name = 'cronjob-controller';
const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** Milliseconds after the scheduled time at which a CronJob is checked, since clocks may differ. as pkg/controller/cronjob nextScheduleDelta */
const delta = 100;

/** Creates the Jobs of CronJobs when they are due. */
// as pkg/controller/cronjob ControllerV2
class CronJobController {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #cronJobs: Informer<CronJob>;
  readonly #jobs: Informer<Job>;
  readonly #expectations: Expectations;
  readonly #recorder: EventRecorder;

  constructor({ client, clock, informers, recorder }: ControllerContext) {
    this.#client = client;
    this.#clock = clock;
    this.#cronJobs = informers.informer<CronJob>(cronJobs);
    this.#jobs = informers.informer<Job>(jobs, { indexers: { controller: job => [controllerOf(job)?.uid ?? ''] } });
    this.#expectations = createExpectations(this.#jobs, clock);
    this.#recorder = recorder(name);
  }

  get synced(): readonly Promise<void>[] {
    return [this.#cronJobs.synced, this.#jobs.synced];
  }

  wire(queue: WorkQueue): void {
    this.#cronJobs.onChange(({ new: cron }) => cron && queue.add(keyOf(cron)));
    this.#jobs.onChange(({ old, new: now }) => {
      const key = ownerKey(now ?? old, 'CronJob');
      if (key !== undefined) queue.add(key);
    });
  }

  async reconcile(key: Key): Promise<ReconcileResult> {
    const cron = this.#cronJobs.get(key);
    if (!cron || !this.#expectations.fulfilled(key)) return undefined;
    const { spec, metadata } = cron;
    const owned = this.#jobs.byIndex('controller', metadata.uid ?? '');
    const running = owned.filter(({ status }) => !endOf(status?.conditions));
    await this.#forget(cron, owned);
    const status = statusOf(cron, owned, running);
    if (!spec || metadata.deletionTimestamp || spec.suspend) return void (await this.#write(cron, status));
    const schedule = parseCron(spec.schedule ?? '', spec.timeZone);
    const now = this.#clock.now();
    const again = { againAfter: Math.max(1, (schedule.next(now) ?? now + 3_600_000) - now + delta) };
    const due = dueAt(schedule, earliestOf(cron, now), now);
    if (due === undefined) {
      await this.#write(cron, status);
      return again;
    }
    const job = jobOf(cron, due);
    const reason = omissionOf(cron, job, { due, now, owned, running });
    if (reason) {
      this.#omitted(cron, due, reason);
      await this.#write(cron, status);
    } else {
      await this.#start(cron, job, due, running, status);
    }
    return again;
  }

  /** Records an Event about a Job that is not created at its scheduled time. */
  #omitted(cron: CronJob, due: number, reason: Omission): void {
    if (reason === 'late')
      this.#recorder.event(cron, 'Warning', 'MissSchedule', `Missed scheduled time to start a job: ${timestamp(due)}`);
    if (reason === 'waits')
      this.#recorder.event(
        cron,
        'Normal',
        'JobAlreadyActive',
        'Not starting job because prior execution is running and concurrency policy is Forbid',
      );
  }

  async #start(cron: CronJob, job: Job, due: number, running: readonly Job[], status: CronJobStatus): Promise<void> {
    const replaces = cron.spec?.concurrencyPolicy === 'Replace';
    if (replaces) for (const earlier of running) await this.#remove(cron, earlier);
    const made = await this.#create(cron, job);
    const active = [...(replaces ? [] : (status.active ?? [])), referenceTo(made)];
    await this.#write(cron, { ...status, active, lastScheduleTime: timestamp(due) });
  }

  async #create(cron: CronJob, job: Job): Promise<Job> {
    const made = await this.#createOnce(cron, job);
    this.#expectations.created(keyOf(cron), keyOf(made));
    this.#recorder.event(cron, 'Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`);
    return made;
  }

  /** Creates a Job, or returns the one that was created before the status could be written. */
  async #createOnce(cron: CronJob, job: Job): Promise<Job> {
    try {
      return await this.#client.create(jobs, job);
    } catch (error) {
      const there = error instanceof StatusError && error.code === 409;
      const found = there ? await find(this.#client, jobs, objectKey(job)) : undefined;
      if (found && isControlledBy(found, cron.metadata.uid)) return found;
      throw error;
    }
  }

  async #remove(cron: CronJob, job: Job): Promise<void> {
    await ignoreNotFound(this.#client.delete(jobs, objectKey(job), { propagationPolicy: 'Background' }));
    this.#expectations.deleted(keyOf(cron), keyOf(job));
    this.#recorder.event(cron, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`);
  }

  /** Deletes finished Jobs beyond the history limits, the oldest first. */
  async #forget(cron: CronJob, owned: readonly Job[]): Promise<void> {
    const { successfulJobsHistoryLimit: good = 3, failedJobsHistoryLimit: bad = 1 } = cron.spec ?? {};
    for (const [type, limit] of [
      ['Complete', good],
      ['Failed', bad],
    ] as const) {
      const finished = owned
        .filter(({ status }) => isConditionTrue(status?.conditions, type))
        .sort((a, b) => startOf(a) - startOf(b));
      for (const job of finished.slice(0, Math.max(0, finished.length - limit))) await this.#remove(cron, job);
    }
  }

  async #write(cron: CronJob, status: CronJobStatus): Promise<void> {
    const change = (draft: CronJob): void => void (draft.status = status);
    await updateObject<CronJob>(this.#client, cronJobs, cron, change, { subresource: 'status' });
  }
}

/** Starts the controller of CronJobs. */
export function startCronJobs(context: ControllerContext): void {
  const controller = new CronJobController(context);
  context.run({
    name,
    synced: controller.synced,
    wire: queue => controller.wire(queue),
    reconcile: key => controller.reconcile(key),
  });
}

/**
 * Returns the last time of the schedule in `(earliest, now]`. Long gaps are skipped by multiples of the interval between the first two times.
 */
export function dueAt(schedule: Schedule, earliest: number, now: number): number | undefined {
  const first = schedule.next(earliest);
  if (first === undefined || first > now) return undefined;
  const second = schedule.next(first);
  if (second === undefined || second > now) return first;
  const intervals = Math.floor((now - first) / (second - first)) - 1;
  let due = first;
  for (
    let next = schedule.next(first + Math.max(0, intervals - 1) * (second - first));
    next !== undefined && next <= now;
  ) {
    due = next;
    next = schedule.next(next);
  }
  return due;
}

/** Why the Job of a scheduled time is not created: its deadline has passed, it was created before, or another Job of the CronJob still runs. */
type Omission = 'late' | 'exists' | 'waits';

interface Situation {
  /** The scheduled time, in milliseconds. */
  readonly due: number;
  readonly now: number;
  readonly owned: readonly Job[];
  /** Owned Jobs that have not ended. */
  readonly running: readonly Job[];
}

/** Returns why the Job of a scheduled time is not to be created; undefined if it is. as pkg/controller/cronjob syncCronJob */
function omissionOf({ spec }: CronJob, job: Job, { due, now, owned, running }: Situation): Omission | undefined {
  const { startingDeadlineSeconds, concurrencyPolicy } = spec ?? {};
  if (startingDeadlineSeconds !== undefined && due + secondsMs(startingDeadlineSeconds) < now) return 'late';
  // The mirror of Jobs may be ahead of that of CronJobs, whose status does not show the Job of this time yet.
  if (owned.some(({ metadata }) => metadata.name === job.metadata.name)) return 'exists';
  return concurrencyPolicy === 'Forbid' && running.length > 0 ? 'waits' : undefined;
}

/** Returns the time since which a start may have been missed. */
function earliestOf({ metadata, status, spec }: CronJob, now: number): number {
  const since = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? '');
  const deadline = spec?.startingDeadlineSeconds;
  return deadline === undefined ? since : Math.max(since, now - secondsMs(deadline));
}

const startOf = ({ status }: Job): number => Date.parse(status?.startTime ?? '') || 0;

const referenceTo = ({ metadata: { namespace = '', name = '', uid = '', resourceVersion = '' } }: Job) => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', namespace, name, uid, resourceVersion },
});

function statusOf({ status }: CronJob, owned: readonly Job[], running: readonly Job[]): CronJobStatus {
  const known = new Map(status?.active?.map(reference => [reference.uid, reference]));
  const active = running.map(job => known.get(job.metadata.uid ?? '') ?? referenceTo(job));
  const ends = owned
    .filter(({ status }) => isConditionTrue(status?.conditions, 'Complete'))
    .map(({ status }) => status?.completionTime ?? '');
  const last = [status?.lastSuccessfulTime ?? '', ...ends].sort().at(-1);
  return {
    ...(active.length > 0 ? { active } : {}),
    ...(status?.lastScheduleTime ? { lastScheduleTime: status.lastScheduleTime } : {}),
    ...(last ? { lastSuccessfulTime: last } : {}),
  };
}

/** Builds the Job of a scheduled time; its name contains the minute, so that it is created once only. */
function jobOf(cron: CronJob, due: number): Job {
  const { metadata, spec } = cron.spec?.jobTemplate ?? {};
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${cron.metadata.name}-${Math.floor(due / 60_000)}`,
      namespace: cron.metadata.namespace ?? '',
      ...(metadata?.labels ? { labels: { ...metadata.labels } } : {}),
      annotations: { ...metadata?.annotations, [scheduledAnnotation]: timestamp(due) },
      ownerReferences: [controllerReference(cron)],
    },
    ...(spec ? { spec: structuredClone(spec) } : {}),
  };
}
