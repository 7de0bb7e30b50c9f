import type { Job, JobStatus } from '../../openapi/gen/batch-v1.js';
import { timestamp } from '../../controllers/runtime/conditions.js';
import { keyOf } from '../../controllers/runtime/informer.js';
import type { ControllerContext } from '../../controllers/runtime/interface.js';
import { updateObject } from '../../controllers/runtime/update.js';
import { endOf } from '../../registry/kinds/batch/job-end.js';
import { type OwnedPods, ownedPods } from '../pods/owned.js';
import { isActive, isReady, type Pod } from '../pods/state.js';
import { podOf } from '../pods/template.js';
import { jobs } from '../../registry/kinds/native-resources.js';

/**
 * Runs as many Pods of a Job at once as it allows, until enough have succeeded. Simulated Pods never fail, and run until they are deleted
 * unless an annotation says how long (`kubelet.ts`).
 */
export function startJobs(context: ControllerContext): void {
  const { client, clock } = context;
  const mirror = context.informers.informer<Job>(jobs);
  const pods = ownedPods(context, 'Job');
  context.run({
    name: 'job-controller',
    synced: [mirror.synced, pods.mirror.synced],
    wire(queue) {
      mirror.onChange(({ new: job }) => job && queue.add(keyOf(job)));
      pods.wakeOwners(queue);
    },
    async reconcile(key) {
      const job = mirror.get(key);
      if (!job || endOf(job.status?.conditions)) return;
      const owned = pods.of(job);
      if (!pods.settled(job)) return;
      const status = statusOf(job, owned, timestamp(clock.now()));
      if (!job.metadata.deletionTimestamp) await scale(pods, job, owned.filter(isActive), status.succeeded ?? 0);
      await updateObject(client, jobs, job, draft => void (draft.status = status), { subresource: 'status' });
    },
  });
}

async function scale(pods: OwnedPods, job: Job, active: readonly Pod[], succeeded: number): Promise<void> {
  const { parallelism = 1, completions, suspend, template } = job.spec ?? {};
  const left = completions === undefined ? (succeeded > 0 ? active.length : parallelism) : completions - succeeded;
  const wanted = suspend ? 0 : Math.max(0, Math.min(parallelism, left));
  for (let n = active.length; n < wanted && template; n++)
    await pods.create(job, podOf(job, template, `${job.metadata.name}-`));
  for (const pod of active.slice(wanted)) await pods.remove(job, pod);
}

function statusOf(job: Job, owned: readonly Pod[], now: string): JobStatus {
  const { spec, status: before } = job;
  const active = owned.filter(isActive);
  const succeeded = owned.filter(({ status }) => status?.phase === 'Succeeded').length;
  const complete =
    spec?.completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= spec.completions;
  const reached = { status: 'True', lastProbeTime: now, lastTransitionTime: now, reason: 'CompletionsReached' };
  const message = 'Reached expected number of succeeded pods';
  return {
    ...(before?.startTime ? { startTime: before.startTime } : spec?.suspend ? {} : { startTime: now }),
    ...(active.length > 0 ? { active: active.length } : {}),
    ready: active.filter(isReady).length,
    terminating: 0,
    ...(succeeded > 0 ? { succeeded } : {}),
    uncountedTerminatedPods: {},
    ...(complete
      ? {
          completionTime: now,
          conditions: [
            { type: 'SuccessCriteriaMet', ...reached, message },
            { type: 'Complete', ...reached, message },
          ],
        }
      : {}),
  };
}
