import type { Node, PersistentVolumeClaim, PodStatus } from '../../openapi/gen/core-v1.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { timestamp } from '../../client/runtime/conditions.js';
import type { ControllerContext, Informer, Key, ReconcileResult, WorkQueue } from '../../client/runtime/interface.js';
import { objectKey } from '../../client/key.js';
import { nodes, persistentVolumeClaims, pods } from '../../api/kubernetes/resources.js';
import { createPlacement, type Placement } from './placement.js';
import { lifetimeOf, restartDelay, restarts } from './lifetime.js';
import { crashed, ended, restarted, running, withEphemeral, writePodStatus } from './pod-status.js';
import { isFinished, isTerminating, type Pod } from './state.js';

class Kubelets {
  readonly #context: ControllerContext;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #claims: Informer<PersistentVolumeClaim>;
  readonly placement: Placement;
  /** Absent until the controller is started. */
  #queue: WorkQueue | undefined;
  /** The number of the last address. */
  #addresses = 0;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#nodes = context.informers.informer<Node>(nodes);
    this.#pods = context.informers.informer<Pod>(pods);
    this.#claims = context.informers.informer<PersistentVolumeClaim>(persistentVolumeClaims);
    const freed = (): void => this.#retryWaiting();
    this.placement = createPlacement(context, { nodes: this.#nodes, claims: this.#claims, freed });
  }

  run(name: string): void {
    this.#context.run({
      name,
      synced: [this.#pods.synced, this.#nodes.synced, this.#claims.synced],
      wire: queue => this.#wire(queue),
      reconcile: key => this.#reconcile(key),
    });
  }

  #wire(queue: WorkQueue): void {
    this.#queue = queue;
    const retry = (): void => this.#retryWaiting();
    this.#nodes.onChange(retry);
    this.#claims.onChange(retry);
    this.#pods.onChange(({ key, new: pod }) => {
      if (this.placement.seen(key, pod)) retry();
      if (pod) queue.add(key);
    });
  }

  #retryWaiting(): void {
    for (const key of this.placement.waiting) this.#queue?.add(key);
  }

  async #reconcile(key: Key): Promise<ReconcileResult> {
    const pod = this.#pods.get(key);
    try {
      return pod && (await this.#step(pod, key));
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  }

  async #step(pod: Pod, key: Key): Promise<ReconcileResult> {
    if (isTerminating(pod)) return this.#finishDeletion(pod);
    if (isFinished(pod)) return undefined;
    return pod.spec?.nodeName ? this.#runPod(pod) : this.placement.place(pod, key);
  }

  /** Starts the containers of a Pod, and ends or restarts them when their time is over. */
  async #runPod(pod: Pod): Promise<ReconcileResult> {
    const begun = pod.status?.phase === 'Running' ? pod : await this.#begin(pod);
    const debugged = withEphemeral(begun, timestamp(this.#context.clock.now()));
    if (debugged) await this.#write(begun, debugged);
    const lifetime = lifetimeOf(begun);
    if (!lifetime) return undefined;
    const { milliseconds, exitCode } = lifetime;
    const now = this.#context.clock.now();
    const { state, lastState, restartCount = 0 } = begun.status?.containerStatuses?.[0] ?? {};
    const since = (time: string | undefined): number => Date.parse(time ?? '') || now;
    const due = state?.waiting
      ? since(lastState?.terminated?.finishedAt) + restartDelay(restartCount)
      : since(state?.running?.startedAt) + milliseconds;
    if (due > now) return { againAfter: due - now };
    const delay = restartDelay(restartCount);
    if (!restarts(begun, exitCode)) await this.#write(begun, ended(begun.status ?? {}, timestamp(now), exitCode));
    else if (state?.running && delay > 0) await this.#write(begun, crashed(begun, timestamp(now), exitCode, delay));
    else await this.#write(begun, restarted(begun.status ?? {}, timestamp(now), exitCode));
    return undefined; // the change of the status requeues this key
  }

  #begin(pod: Pod): Promise<Pod> {
    const hostIP = this.#nodes
      .get(pod.spec?.nodeName ?? '')
      ?.status?.addresses?.find(a => a.type === 'InternalIP')?.address;
    const podIP = pod.spec?.hostNetwork ? hostIP : this.#nextAddress();
    return this.#write(pod, running(pod, timestamp(this.#context.clock.now()), hostIP ?? '', podIP ?? ''));
  }

  #write(pod: Pod, next: Partial<PodStatus>): Promise<Pod> {
    return writePodStatus(this.#context.client, pod, status => void Object.assign(status, next));
  }

  /** Returns an address of the cluster's range, which is reused after 16 million others. */
  #nextAddress(): string {
    const last = (this.#addresses % 0xfffffe) + 1;
    this.#addresses = last;
    return `10.${(last >> 16) & 255}.${(last >> 8) & 255}.${last & 255}`;
  }

  async #finishDeletion(pod: Pod): Promise<void> {
    const { uid = '', deletionGracePeriodSeconds, finalizers } = pod.metadata;
    if (deletionGracePeriodSeconds === 0 && finalizers?.length) return;
    await this.#context.client.delete(pods, objectKey(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
  }
}

/**
 * Simulates the scheduler and the kubelets: assigns every Pod to a node with enough free resources, starts it at once, and removes it when it is
 * deleted. A Pod that fits no node stays Pending until one has room. Returns the scheduler.
 */
export function startKubelets(context: ControllerContext, cluster: string): Placement {
  const kubelets = new Kubelets(context);
  kubelets.run(`kubelets-of-${cluster}`);
  return kubelets.placement;
}
