import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { Deployment, ReplicaSet, StatefulSet } from '../../openapi/gen/apps-v1.js';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../openapi/gen/policy-v1.js';
import type { Condition } from '../../api/karmada/types.js';
import { selectorOf } from '../../apimachinery/selectors/label-selectors.js';
import { controllerOf } from '../../apimachinery/meta/owner.js';
import { withCondition } from '../../client/runtime/conditions.js';
import { keyOf } from '../../client/key.js';
import type { Client } from '../../client/interface.js';
import type { Clock } from '../../lib/clock.js';
import type {
  ControllerContext,
  EventRecorder,
  Informer,
  Key,
  ReconcileResult,
  WorkQueue,
} from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { isTerminating, isReady, type Pod } from '../pods/state.js';
import { deployments, podDisruptionBudgets, pods, replicaSets, statefulSets } from '../../api/kubernetes/resources.js';
import { scaledValue } from './rollout.js';

/** Milliseconds for which a granted eviction counts as pending. as pkg/controller/disruption DeletionTimeout */
const deletionTimeout = 120_000;

/** Returns how many Pods the controller of a Pod wants. Throws when that is unknown. */
type Scale = (pod: Pod) => { readonly uid: string; readonly replicas: number };

interface BudgetState {
  readonly status: PodDisruptionBudgetStatus;
  /** Milliseconds until a granted eviction no longer counts. */
  readonly againAfter?: number;
}

/** Returns the sum over the distinct controllers of the Pods. differs: no event about Pods without a controller */
function expectedOf(covered: readonly Pod[], scale: Scale): number {
  const scales = new Map(covered.filter(controllerOf).map(pod => [scale(pod).uid, scale(pod).replicas]));
  return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
}

interface Wanted {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

// as pkg/controller/disruption getExpectedPodCount
function wanted(spec: PodDisruptionBudget['spec'], covered: readonly Pod[], scale: Scale): Wanted {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable !== undefined) {
    const expectedPods = expectedOf(covered, scale);
    const desiredHealthy = Math.max(0, expectedPods - scaledValue(maxUnavailable, expectedPods, Math.ceil));
    return { expectedPods, desiredHealthy };
  }
  if (typeof minAvailable === 'string') {
    const expectedPods = expectedOf(covered, scale);
    return { expectedPods, desiredHealthy: scaledValue(minAvailable, expectedPods, Math.ceil) };
  }
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  return { expectedPods: covered.length, desiredHealthy: minAvailable };
}

const conditionOf = (status: PodDisruptionBudgetStatus, allowed: boolean, reason: string, message = '') => ({
  ...({ type: 'DisruptionAllowed', status: allowed ? 'True' : 'False', reason, message } as const),
  ...(status.observedGeneration ? { observedGeneration: status.observedGeneration } : {}),
});

/**
 * Returns the status of a budget that covers these Pods. `now` is in milliseconds. Throws the errors of `scale`. as pkg/controller/disruption
 * trySync
 */
export function budgetStateOf(
  { metadata, spec, status: before }: PodDisruptionBudget,
  covered: readonly Pod[],
  scale: Scale,
  now: number,
): BudgetState {
  const counts = wanted(spec, covered, scale);
  const granted = covered.flatMap(pod => {
    const name = pod.metadata.name ?? '';
    const time = isTerminating(pod) ? undefined : before?.disruptedPods?.[name];
    const left = time === undefined ? -1 : Date.parse(time) + deletionTimeout - now;
    return time === undefined || left < 0 ? [] : [{ name, time, left }];
  });
  const leaving = new Set(granted.filter(({ left }) => left > 0).map(({ name }) => name));
  const currentHealthy = covered.filter(
    pod => !isTerminating(pod) && !leaving.has(pod.metadata.name ?? '') && isReady(pod),
  ).length;
  const disruptionsAllowed = counts.expectedPods > 0 ? Math.max(0, currentHealthy - counts.desiredHealthy) : 0;
  const status: PodDisruptionBudgetStatus = {
    ...{ currentHealthy, disruptionsAllowed, ...counts },
    ...(granted.length > 0 ? { disruptedPods: Object.fromEntries(granted.map(({ name, time }) => [name, time])) } : {}),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  };
  const allowed = disruptionsAllowed > 0;
  const condition = conditionOf(status, allowed, allowed ? 'SufficientPods' : 'InsufficientPods');
  status.conditions = withCondition((before?.conditions ?? []) as readonly Condition[], condition, now);
  return {
    ...{ status },
    ...(granted.length > 0 ? { againAfter: Math.min(...granted.map(({ left }) => left)) + 1 } : {}),
  };
}

/** Returns the status of a budget whose Pods cannot be counted, which allows nothing. as pkg/controller/disruption failSafe */
function failed({ status }: PodDisruptionBudget, message: string, now: number): PodDisruptionBudgetStatus {
  const known = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...status, disruptionsAllowed: 0 };
  return {
    ...known,
    conditions: withCondition(
      (status?.conditions ?? []) as readonly Condition[],
      conditionOf(known, false, 'SyncFailed', message),
      now,
    ),
  };
}

/** Reads the scale of workloads from mirrors. as pkg/controller/disruption finders, without custom resources */
function scaleBy(context: ControllerContext): { readonly scale: Scale; readonly synced: readonly Promise<void>[] } {
  const mirrors = {
    ReplicaSet: context.informers.informer<ReplicaSet>(replicaSets),
    Deployment: context.informers.informer<Deployment>(deployments),
    StatefulSet: context.informers.informer<StatefulSet>(statefulSets),
  };
  const find = (pod: Pod): ReplicaSet | Deployment | StatefulSet | undefined => {
    const { namespace = '', name = '' } = pod.metadata;
    const owner = controllerOf(pod);
    if (owner?.kind === 'StatefulSet') return mirrors.StatefulSet.get(namespacedName(namespace, owner.name));
    if (owner?.kind !== 'ReplicaSet') throw new Error(`found no controllers for pod "${name}"`);
    const set = mirrors.ReplicaSet.get(namespacedName(namespace, owner.name));
    const above = set && controllerOf(set);
    return above?.kind === 'Deployment' ? mirrors.Deployment.get(namespacedName(namespace, above.name)) : set;
  };
  const scale: Scale = pod => {
    const found = find(pod);
    if (!found) throw new Error(`found no controllers for pod "${pod.metadata.name}"`);
    return { uid: found.metadata.uid ?? '', replicas: found.spec?.replicas ?? 1 };
  };
  return { scale, synced: Object.values(mirrors).map(({ synced }) => synced) };
}

const covers = ({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean =>
  metadata.namespace === pod.metadata.namespace && selectorOf(spec?.selector).matches(pod.metadata.labels ?? {});

/** Updates the status of every PodDisruptionBudget, which contains the number of allowed evictions. */
class DisruptionController {
  readonly synced: readonly Promise<void>[];
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #recorder: EventRecorder;
  readonly #budgets: Informer<PodDisruptionBudget>;
  readonly #pods: Informer<Pod>;
  readonly #scale: Scale;

  constructor(context: ControllerContext) {
    this.#client = context.client;
    this.#clock = context.clock;
    this.#recorder = context.recorder('controllermanager');
    this.#budgets = context.informers.informer<PodDisruptionBudget>(podDisruptionBudgets);
    this.#pods = context.informers.informer<Pod>(pods);
    const { scale, synced } = scaleBy(context);
    this.#scale = scale;
    this.synced = [this.#budgets.synced, this.#pods.synced, ...synced];
  }

  wire(queue: WorkQueue): void {
    this.#budgets.onChange(({ new: budget }) => budget && queue.add(keyOf(budget)));
    this.#pods.onChange(({ old, new: now }) => {
      for (const budget of this.#budgets.list())
        if ((old && covers(budget, old)) || (now && covers(budget, now))) queue.add(keyOf(budget));
    });
  }

  async reconcile(key: Key): Promise<ReconcileResult> {
    const budget = this.#budgets.get(key);
    if (!budget) return;
    const covered = this.#pods.list().filter(pod => covers(budget, pod));
    if (covered.length === 0) this.#recorder.event(budget, 'Normal', 'NoPods', 'No matching pods found');
    const { status, againAfter } = this.#statusOf(budget, covered);
    await updateObject(this.#client, podDisruptionBudgets, budget, draft => void (draft.status = status), {
      subresource: 'status',
    });
    return againAfter === undefined ? undefined : { againAfter };
  }

  #statusOf(budget: PodDisruptionBudget, covered: readonly Pod[]): BudgetState {
    const now = this.#clock.now();
    try {
      return budgetStateOf(budget, covered, this.#scale, now);
    } catch (error) {
      const { message } = error as Error;
      const text = `Failed to calculate the number of expected pods: ${message}`;
      this.#recorder.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', text);
      return { status: failed(budget, message, now) };
    }
  }
}

/** Starts the controller that writes the status of PodDisruptionBudgets. as pkg/controller/disruption */
export function startDisruption(context: ControllerContext): void {
  const controller = new DisruptionController(context);
  context.run({
    name: 'disruption',
    synced: controller.synced,
    wire: queue => controller.wire(queue),
    reconcile: key => controller.reconcile(key),
  });
}
