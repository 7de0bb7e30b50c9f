/** Writes the result of an attempt, and records events. */
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { type NewCondition, timestamp, withCondition } from '../../client/runtime/conditions.js';
import type { ControllerContext, EventRecorder } from '../../client/runtime/interface.js';
import { isLostRace } from '../../client/runtime/failures.js';
import { updateObject } from '../../client/runtime/update.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
import { jsonText } from '../../lib/json/json.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import type { Binding, BindingStatus, TargetCluster } from '../../api/karmada/types.js';
import { annotations } from '../../api/karmada/well-known.js';
import { referenced } from '../../kinds/karmada/referenced.js';
import { isRescheduleRequired } from '../place/assign.js';
import type { Attempt } from './attempt.js';
import type { Again } from './queue.js';

export interface CommitDeps {
  readonly context: ControllerContext;
  readonly recorder: EventRecorder;
  /** Called with the binding after its targets are written. */
  readonly written?: (binding: Binding) => void;
  /** Nobody but the scheduler has requested the decision: if the server refuses its targets, the binding stays as it is. */
  readonly isOptional?: boolean;
}

/** What has become of the result of an attempt. */
export interface Committed {
  readonly again: Again;
  /** Present: the server has refused the targets, and none are written. */
  readonly refusal?: 'QuotaExceeded' | 'SchedulerError';
}

const successMessage = 'Binding has been scheduled successfully.';

const outcomes = {
  FitError: { reason: 'NoClusterFit', again: 'no' },
  UnschedulableError: { reason: 'Unschedulable', again: 'unschedulable' },
  Error: { reason: 'SchedulerError', again: 'backoff' },
} as const;

/** A binding with the result to write. */
interface Commitment {
  readonly binding: Binding;
  readonly resource: GroupVersionResource;
  readonly result: Attempt;
}

/** The binding after its targets are written, and the observed generation. */
interface Written {
  readonly current: Binding;
  readonly observed: number | undefined;
}

/**
 * Writes targets with the placement that they were made from, then the status. An unchanged result is not written, so that an attempt does not
 * trigger the next one.
 */
export async function commit(
  binding: Binding,
  resource: GroupVersionResource,
  result: Attempt,
  deps: CommitDeps,
): Promise<Committed> {
  const commitment = { binding, resource, result };
  const { decision, failures } = result;
  for (const failure of failures) record(binding, deps.recorder, 'Warning', failure);
  let written: Written;
  try {
    written = await writeTargets(commitment, deps.context.client);
    if (written.current !== binding) deps.written?.(written.current);
  } catch (error) {
    if (!(error instanceof StatusError) || isLostRace(error)) throw error;
    return refused(commitment, error, deps);
  }
  await yieldToEventLoop();
  if (decision.type === 'placed') {
    const success = { type: 'Scheduled', status: 'True', reason: 'Success', message: successMessage } as const;
    await writeStatus(commitment, written, success, deps);
    if (written.current !== binding || binding.status?.schedulerObservedGeneration === undefined)
      record(binding, deps.recorder, 'Normal', successText(binding, decision.clusters));
    return { again: 'no' };
  }
  const { reason, again } = outcomes[decision.type];
  await writeStatus(commitment, written, failed(reason, decision.message), deps);
  if (failures.length === 0 || decision.type === 'FitError')
    record(binding, deps.recorder, 'Warning', decision.message);
  return { again };
}

async function writeTargets({ binding, resource, result }: Commitment, client: Client): Promise<Written> {
  const { name = '', namespace = '', generation } = binding.metadata;
  const placement = jsonText(binding.spec.placement);
  const applied = binding.metadata.annotations?.[annotations.appliedPlacement];
  const unchanged = applied === placement && sameTargets(binding.spec.clusters ?? [], result.clusters ?? []);
  if (!result.clusters || unchanged) return { current: binding, observed: generation };
  const clusters = result.clusters.length > 0 ? result.clusters : null;
  const patch = { metadata: { annotations: { [annotations.appliedPlacement]: placement } }, spec: { clusters } };
  const current = (await client.patch(resource, { namespace, name }, { type: 'merge', patch })) as Binding;
  // If our own write is the only one since, its generation is observed, too.
  const next = current.metadata.generation ?? 0;
  return { current, observed: next <= (generation ?? 0) + 1 ? next : generation };
}

/** Reports that the server rejected the targets. */
async function refused(commitment: Commitment, error: StatusError, deps: CommitDeps): Promise<Committed> {
  const { binding } = commitment;
  const isQuota = error.code === 403 && (error.status.reason as string) === 'QuotaExceeded';
  const refusal = isQuota ? 'QuotaExceeded' : 'SchedulerError';
  if (deps.isOptional) return { again: 'no', refusal };
  const condition = failed(refusal, error.message);
  await writeStatus(commitment, { current: binding, observed: binding.metadata.generation }, condition, deps);
  record(binding, deps.recorder, 'Warning', error.message);
  const isTerminating = error.status.details?.causes?.some(cause => cause.reason === 'NamespaceTerminating');
  return { again: isTerminating ? 'no' : 'backoff', refusal };
}

const failed = (reason: string, message: string): NewCondition => ({
  type: 'Scheduled',
  status: 'False',
  reason,
  message,
});

async function writeStatus(
  { binding, resource, result }: Commitment,
  { current, observed }: Written,
  condition: NewCondition,
  { context: { client, clock } }: CommitDeps,
): Promise<void> {
  const now = clock.now();
  const placed = condition.status === 'True';
  const requested = placed && isRescheduleRequired(binding.spec, binding.status ?? {});
  await updateObject(
    client,
    resource,
    current,
    draft => {
      const status: BindingStatus = (draft.status ??= {});
      const before = cloneJson(status);
      status.conditions = withCondition(status.conditions ?? [], condition, now);
      if (!placed) return;
      status.schedulerObservedGeneration = observed ?? 0;
      if (result.affinityName !== undefined) status.schedulerObservingAffinityName = result.affinityName;
      // An attempt without changes writes nothing, since its own write would trigger other attempts.
      if (current !== binding || requested || !deepEqual(before, status)) status.lastScheduledTime = timestamp(now);
    },
    { subresource: 'status' },
  );
}

/** Reports whether targets are equal, in the same order, as Karmada compares them; no replicas are zero. */
export function sameTargets(a: readonly TargetCluster[], b: readonly TargetCluster[]): boolean {
  const plain = (list: readonly TargetCluster[]): unknown =>
    list.map(({ replicas = 0, ...rest }) => ({ ...rest, replicas }));
  return deepEqual(plain(a), plain(b));
}

const targetsText = (targets: readonly TargetCluster[]): string =>
  targets.map(({ name, replicas = 0 }) => `${name}:${replicas}`).join(', ');

/** as pkg/scheduler recordScheduleResultEventForResourceBinding and recordScheduleResultEventForClusterResourceBinding, which has no colon */
function successText({ metadata: { namespace } }: Binding, targets: readonly TargetCluster[]): string {
  return `${successMessage} Result${namespace ? ':' : ''} {${targetsText(targets)}}`;
}

function record(binding: Binding, recorder: EventRecorder, type: 'Normal' | 'Warning', message: string): void {
  recordOnBoth(binding, recorder, {
    type,
    reason: type === 'Normal' ? 'ScheduleBindingSucceed' : 'ScheduleBindingFailed',
    message,
  });
}

interface Recorded {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Records an event on the binding and on its template, since users read either. */
export function recordOnBoth(binding: Binding, recorder: EventRecorder, { type, reason, message }: Recorded): void {
  for (const about of [binding, referenced(binding.spec.resource)]) recorder.event(about, type, reason, message);
}
