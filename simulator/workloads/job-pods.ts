import type { Job } from '../../openapi/gen/batch-v1.js';
import type { PodTemplateSpec } from '../../openapi/gen/core-v1.js';
import type { EventRecorder } from '../../client/runtime/interface.js';
import type { OwnedPods } from '../pods/owned.js';
import { isReady, type Pod } from '../pods/state.js';
import { podOf } from '../pods/template.js';
import { backoffLeft, byIndex, completionIndex, indexOf, isIndexed, type Tally } from './job-tally.js';

const failureCount = 'batch.kubernetes.io/job-index-failure-count';

/** The most Pods that are created in one pass. as pkg/controller/job MaxPodCreateDeletePerSync */
const burst = 500;

/** What one pass changed, for the status. */
export interface Scaled {
  readonly created: number;
  readonly removed: number;
  readonly removedReady: number;
  /** Milliseconds after which more Pods may be created. */
  readonly againAfter?: number;
}

/** Creates and deletes the Pods of Jobs. */
interface JobPods {
  /** Moves towards the number of Pods that the Job wants. as pkg/controller/job manageJob */
  readonly scale: (job: Job, tally: Tally, owned: readonly Pod[], now: number) => Promise<Scaled>;
  readonly removeAll: (job: Job, pods: readonly Pod[]) => Promise<Scaled>;
}

function wantedOf({ spec }: Job, { active, succeeded, failedIndexes }: Tally): number {
  const { parallelism = 1, completions, suspend } = spec ?? {};
  if (suspend) return 0;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded - failedIndexes.size));
}

/** Returns the lowest indexes that have neither ended nor an active Pod. */
function pendingIndexes({ spec }: Job, { active, completed, failedIndexes }: Tally, count: number): number[] {
  const taken = new Set(active.map(indexOf));
  const found: number[] = [];
  for (let index = 0; index < (spec?.completions ?? 0) && found.length < count; index++)
    if (!taken.has(index) && !completed.has(index) && !failedIndexes.has(index)) found.push(index);
  return found;
}

/** Builds the Pod of one index. as pkg/controller/job addCompletionIndexAnnotation, addCompletionIndexEnvVariables */
function indexedPod(job: Job, template: PodTemplateSpec, index: number, failures: number): Pod {
  const { name } = job.metadata;
  const pod = podOf(job, template, `${name}-${index}-`);
  pod.metadata.labels = { ...pod.metadata.labels, [completionIndex]: String(index) };
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [completionIndex]: String(index),
    ...(job.spec?.backoffLimitPerIndex !== undefined && { [failureCount]: String(failures) }),
  };
  if (!pod.spec) return pod;
  pod.spec.hostname = `${name}-${index}`;
  const fieldPath = `metadata.labels['${completionIndex}']`;
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers])
    if (!container.env?.some(({ name }) => name === 'JOB_COMPLETION_INDEX'))
      container.env = [
        ...(container.env ?? []),
        { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath } } },
      ];
  return pod;
}

interface Next {
  readonly pods: readonly Pod[];
  readonly againAfter: number;
}

/** Returns the Pods to create now, and the milliseconds until the next ones. */
function nextPods(job: Job, tally: Tally, owned: readonly Pod[], missing: number, now: number): Next {
  const { template, backoffLimitPerIndex } = job.spec ?? {};
  if (!template || missing <= 0) return { pods: [], againAfter: 0 };
  const wait = backoffLimitPerIndex === undefined ? backoffLeft(owned, now) : 0;
  if (wait > 0) return { pods: [], againAfter: wait };
  if (!isIndexed(job)) {
    const pods = Array.from({ length: missing }, () => podOf(job, template, `${job.metadata.name}-`));
    return { pods, againAfter: 0 };
  }
  const earlier = byIndex(owned);
  const failuresOf = (index: number): readonly Pod[] =>
    (earlier.get(index) ?? []).filter(({ status }) => status?.phase === 'Failed');
  const waits = pendingIndexes(job, tally, missing).map(index => {
    const failures = failuresOf(index);
    return { index, failures, wait: backoffLimitPerIndex === undefined ? 0 : backoffLeft(failures, now) };
  });
  const pods = waits.filter(({ wait }) => wait === 0).map(w => indexedPod(job, template, w.index, w.failures.length));
  return { pods, againAfter: Math.min(...waits.map(({ wait }) => wait).filter(wait => wait > 0), Infinity) };
}

/** Returns what creates and removes the Pods of Jobs, with the Events of upstream. as pkg/controller/job */
export function jobPods(pods: OwnedPods, recorder: EventRecorder): JobPods {
  async function removeAll(job: Job, going: readonly Pod[]): Promise<Scaled> {
    for (const pod of going) {
      await pods.remove(job, pod);
      recorder.event(job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
    }
    return { created: 0, removed: going.length, removedReady: going.filter(isReady).length };
  }
  return {
    removeAll,
    async scale(job, tally, owned, now) {
      const wanted = wantedOf(job, tally);
      const { active, terminating } = tally;
      if (active.length > wanted) {
        // Pods that are not ready are deleted first.
        const order = [...active].sort((a, b) => Number(isReady(a)) - Number(isReady(b)));
        return removeAll(job, order.slice(0, active.length - wanted));
      }
      const replacesFailed = job.spec?.podReplacementPolicy === 'Failed';
      const missing = Math.min(burst, wanted - active.length - (replacesFailed ? terminating : 0));
      const { pods: next, againAfter } = nextPods(job, tally, owned, missing, now);
      for (const pod of next) {
        const { metadata } = await pods.create(job, pod);
        recorder.event(job, 'Normal', 'SuccessfulCreate', `Created pod: ${metadata.name}`);
      }
      const later = againAfter > 0 && againAfter < Infinity;
      return { created: next.length, removed: 0, removedReady: 0, ...(later && { againAfter }) };
    },
  };
}
