import type { PodTemplateSpec } from '../../openapi/gen/core-v1.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type { Selector } from '../../apimachinery/selectors/label-selectors.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { keyOf } from '../../client/key.js';
import type { Client } from '../../client/interface.js';
import type { Clock } from '../../lib/clock.js';
import type { ControllerContext, EventRecorder, Informer, Key, WorkQueue } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { type OwnedPods, ownedPods } from '../pods/owned.js';
import { isActive, isTerminating, isReady, isStarting, type Pod } from '../pods/state.js';
import type { Placement } from '../pods/placement.js';
import { podOf } from '../pods/template.js';

/** The most Pods created or deleted in one pass; further passes follow as they appear. as pkg/controller/replicaset BurstReplicas */
const burst = 500;

interface FailureCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

interface ReplicaStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: number;
  conditions?: FailureCondition[];
}

/** A ReplicaSet or a ReplicationController. */
interface Replicas extends KubeObject {
  spec?: { replicas?: number; template?: PodTemplateSpec };
  status?: ReplicaStatus;
}

/** The differences between these kinds. */
interface ReplicaKind<T extends Replicas> {
  readonly controller: string;
  readonly resource: GroupVersionResource;
  readonly kind: string;
  selector(object: T): Selector;
  /** Returns additional fields of the status. */
  more?(going: number): object;
}

/** Runs as many Pods as the objects of a kind want: adopts matching Pods, and creates or deletes the difference. */
class ReplicasController<T extends Replicas> {
  readonly #kind: ReplicaKind<T>;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #recorder: EventRecorder;
  readonly #objects: Informer<T>;
  readonly #pods: OwnedPods;

  constructor(context: ControllerContext, kind: ReplicaKind<T>, placement: Placement) {
    this.#kind = kind;
    this.#client = context.client;
    this.#clock = context.clock;
    this.#recorder = context.recorder(kind.controller);
    this.#objects = context.informers.informer<T>(kind.resource);
    this.#pods = ownedPods(context, kind.kind, (pod, create) => placement.createPlaced(pod, create));
  }

  get synced(): readonly Promise<void>[] {
    return [this.#objects.synced, this.#pods.mirror.synced];
  }

  wire(queue: WorkQueue): void {
    this.#objects.onChange(({ new: object }) => object && queue.add(keyOf(object)));
    this.#pods.wakeOwners(queue);
    this.#pods.onOrphan(pod => {
      for (const object of this.#objects.list(pod.metadata.namespace))
        if (this.#kind.selector(object).matches(pod.metadata.labels)) queue.add(keyOf(object));
    });
  }

  async reconcile(key: Key): Promise<void> {
    const object = this.#objects.get(key);
    if (!object) return;
    const pods = this.#pods;
    const owned = await this.#claim(object);
    const active = owned.filter(isActive);
    const mayScale = pods.settled(object) && !object.metadata.deletionTimestamp;
    const { scaled, failure } = mayScale ? await scale(pods, object, active, this.#recorder) : unscaled;
    // Simulated Pods start at once: their intermediate states are not worth a write. Pods that came or went requeue the object.
    const inProgress = scaled || !pods.settled(object) || owned.some(pod => isActive(pod) && isStarting(pod));
    if (inProgress && !failure) return;
    const status = {
      ...statusOf(object, active),
      ...conditionsOf(object, failure, timestamp(this.#clock.now())),
      ...this.#kind.more?.(owned.filter(isTerminating).length),
    };
    await updateObject<T>(this.#client, this.#kind.resource, object, draft => void (draft.status = status), {
      subresource: 'status',
    });
    if (failure) throw failure.error;
  }

  /** Returns the Pods that the object controls and selects, after adopting and releasing Pods. as pkg/controller PodControllerRefManager */
  async #claim(object: T): Promise<readonly Pod[]> {
    const pods = this.#pods;
    const selector = this.#kind.selector(object);
    const owned = pods.of(object);
    if (object.metadata.deletionTimestamp) return owned;
    const fits = (pod: Pod): boolean => selector.matches(pod.metadata.labels);
    const orphans = pods.orphans(object.metadata.namespace ?? '').filter(pod => fits(pod) && isActive(pod));
    for (const pod of orphans) await pods.adopt(object, pod);
    for (const pod of owned) if (!fits(pod)) await pods.release(object, pod);
    return [...owned.filter(fits), ...orphans];
  }
}

/** Starts the controller of a kind that keeps a number of Pods, such as ReplicaSets. as pkg/controller/replicaset */
export function startReplicas<T extends Replicas>(
  context: ControllerContext,
  placement: Placement,
  kind: ReplicaKind<T>,
): void {
  const controller = new ReplicasController(context, kind, placement);
  context.run({
    name: kind.controller,
    synced: controller.synced,
    wire: queue => controller.wire(queue),
    reconcile: key => controller.reconcile(key),
  });
}

interface Failure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly error: Error;
}

interface Scaling {
  /** Pods were created or deleted. */
  readonly scaled: boolean;
  /** The first error, after everything was tried. */
  readonly failure?: Failure;
}

const unscaled: Scaling = { scaled: false };

async function scale(
  pods: OwnedPods,
  object: Replicas,
  active: readonly Pod[],
  recorder: EventRecorder,
): Promise<Scaling> {
  const template = object.spec?.template;
  if (!template) return unscaled;
  const missing = (object.spec?.replicas ?? 1) - active.length;
  const more = Array.from({ length: Math.max(0, Math.min(missing, burst)) });
  const superfluous = missing < 0 ? [...active].sort(firstToGo).slice(0, Math.min(-missing, burst)) : [];
  const attempts = [
    ...more.map(() => pods.create(object, podOf(object, template, `${object.metadata.name}-`))),
    ...superfluous.map(pod => pods.remove(object, pod)),
  ];
  const failed = (await Promise.allSettled(attempts)).find(result => result.status === 'rejected');
  if (!failed) return { scaled: attempts.length > 0 };
  const error = failed.reason as Error;
  if (missing > 0) recorder.event(object, 'Warning', 'FailedCreate', `Error creating: ${error.message}`);
  return { scaled: true, failure: { reason: missing > 0 ? 'FailedCreate' : 'FailedDelete', error } };
}

/**
 * Orders Pods for deletion: those that are not working first, then the youngest. as pkg/controller ActivePods, as far as its criteria can differ
 * here
 */
function firstToGo(a: Pod, b: Pod): number {
  const rank = (pod: Pod): number => (pod.spec?.nodeName ? 1 : 0) + (isReady(pod) ? 1 : 0);
  const age = (pod: Pod): string => pod.metadata.creationTimestamp ?? '';
  return rank(a) - rank(b) || (age(a) > age(b) ? -1 : age(a) < age(b) ? 1 : 0);
}

function statusOf({ metadata, spec }: Replicas, active: readonly Pod[]): ReplicaStatus {
  const labels = Object.entries(spec?.template?.metadata?.labels ?? {});
  const fully = active.filter(pod => labels.every(([key, value]) => pod.metadata.labels?.[key] === value)).length;
  const ready = active.filter(isReady).length;
  return {
    replicas: active.length,
    ...(fully > 0 ? { fullyLabeledReplicas: fully } : {}),
    ...(ready > 0 ? { readyReplicas: ready, availableReplicas: ready } : {}),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  };
}

/** Returns the conditions, with one that reports that Pods cannot be created or deleted. as pkg/controller/replicaset calculateStatus */
function conditionsOf({ status }: Replicas, failure: Failure | undefined, now: string): Partial<ReplicaStatus> {
  const type = 'ReplicaFailure';
  const known = status?.conditions ?? [];
  const before = known.find(condition => condition.type === type);
  const rest = known.filter(condition => condition !== before);
  const { reason, error } = failure ?? {};
  const fresh = { type, status: 'True', lastTransitionTime: now, reason: reason ?? '', message: error?.message ?? '' };
  const conditions = failure ? [...rest, before ?? fresh] : rest;
  return conditions.length > 0 ? { conditions } : {};
}
