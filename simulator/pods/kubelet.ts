import type { Node, PersistentVolumeClaim, PodStatus } from '../../openapi/gen/core-v1.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { timestamp } from '../../client/runtime/conditions.js';
import type { ControllerContext, Key, ReconcileResult } from '../../client/runtime/interface.js';
import { objectKey } from '../../client/runtime/update.js';
import { nodes, persistentVolumeClaims, pods } from '../../api/kubernetes/resources.js';
import { createPlacement } from './placement.js';
import { lifetimeOf, restartDelay, restarts } from './lifetime.js';
import { crashed, ended, restarted, running, writePodStatus } from './pod-status.js';
import { isFinished, isGoing, type Pod } from './state.js';

/**
 * Simulates the scheduler and the kubelets: assigns every Pod to a node with enough free resources, starts it at once, and removes it when it is
 * deleted. A Pod that fits no node stays Pending until one has room.
 */
export function startKubelets(context: ControllerContext, cluster: string): void {
  const { client, clock } = context;
  const nodeMirror = context.informers.informer<Node>(nodes);
  const mirror = context.informers.informer<Pod>(pods);
  const claims = context.informers.informer<PersistentVolumeClaim>(persistentVolumeClaims);
  const placement = createPlacement(context, nodeMirror, claims);
  let addresses = 0;

  /** Returns an address of the cluster's range, which is reused after 16 million others. */
  const nextAddress = (): string => {
    addresses = (addresses % 0xfffffe) + 1;
    return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
  };

  async function begin(pod: Pod): Promise<Pod> {
    const hostIP = nodeMirror
      .get(pod.spec?.nodeName ?? '')
      ?.status?.addresses?.find(a => a.type === 'InternalIP')?.address;
    const podIP = pod.spec?.hostNetwork ? hostIP : nextAddress();
    const next = running(pod, timestamp(clock.now()), hostIP ?? '', podIP ?? '');
    return writePodStatus(client, pod, status => void Object.assign(status, next));
  }

  /** Starts the containers of a Pod, and ends or restarts them when their time is over. */
  async function runPod(pod: Pod): Promise<ReconcileResult> {
    const begun = pod.status?.phase === 'Running' ? pod : await begin(pod);
    const lifetime = lifetimeOf(begun);
    if (!lifetime) return undefined;
    const { milliseconds, exitCode } = lifetime;
    const now = clock.now();
    const { state, lastState, restartCount = 0 } = begun.status?.containerStatuses?.[0] ?? {};
    const since = (time: string | undefined): number => Date.parse(time ?? '') || now;
    const due = state?.waiting
      ? since(lastState?.terminated?.finishedAt) + restartDelay(restartCount)
      : since(state?.running?.startedAt) + milliseconds;
    if (due > now) return { againAfter: due - now };
    const delay = restartDelay(restartCount);
    const write = (next: Partial<PodStatus>): Promise<Pod> =>
      writePodStatus(client, begun, status => void Object.assign(status, next));
    if (!restarts(begun, exitCode)) await write(ended(begun.status ?? {}, timestamp(now), exitCode));
    else if (state?.running && delay > 0) await write(crashed(begun, timestamp(now), exitCode, delay));
    else await write(restarted(begun.status ?? {}, timestamp(now), exitCode));
    return undefined; // the change of the status requeues this key
  }

  async function finishDeletion(pod: Pod): Promise<void> {
    const { uid = '', deletionGracePeriodSeconds, finalizers } = pod.metadata;
    if (deletionGracePeriodSeconds === 0 && finalizers?.length) return;
    await client.delete(pods, objectKey(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
  }

  async function step(pod: Pod, key: Key): Promise<ReconcileResult> {
    if (isGoing(pod)) return finishDeletion(pod);
    if (isFinished(pod)) return undefined;
    return pod.spec?.nodeName ? runPod(pod) : placement.place(pod, key);
  }

  context.run({
    name: `kubelets-of-${cluster}`,
    synced: [mirror.synced, nodeMirror.synced, claims.synced],
    wire(queue) {
      const retry = (): void => placement.waiting.forEach(key => queue.add(key));
      nodeMirror.onChange(retry);
      claims.onChange(retry);
      mirror.onChange(({ key, new: pod }) => {
        if (placement.seen(key, pod)) retry();
        if (pod) queue.add(key);
      });
    },
    async reconcile(key) {
      const pod = mirror.get(key);
      try {
        return pod && (await step(pod, key));
      } catch (error) {
        if (error instanceof StatusError && error.code === 404) return undefined;
        throw error;
      }
    },
  });
}
