import type { Node } from '../../openapi/gen/core-v1.js';
import { StatusError } from '../../openapi/meta/status.js';
import { timestamp } from '../../controllers/runtime/conditions.js';
import type { ControllerContext, Key, Result } from '../../controllers/runtime/interface.js';
import { objectKey } from '../../controllers/runtime/update.js';
import { nodes, pods } from '../../registry/kinds/native-resources.js';
import { createPlacement } from './placement.js';
import { ended, running, writePodStatus } from './pod-status.js';
import { isFinished, isGoing, type Pod } from './state.js';

/** Seconds after which the containers of a Pod end well. Without it they run until the Pod is deleted. */
export const runSecondsAnnotation = 'simulator.flagship.io/run-seconds';

/**
 * Scheduler and kubelets in one: gives every Pod a node with room for it, starts it at once, and lets it go when it is asked to.
 * A Pod that fits nowhere stays Pending until a node has room.
 */
export function startKubelets(context: ControllerContext, cluster: string): void {
  const { client, clock } = context;
  const nodeMirror = context.informers.informer<Node>(nodes);
  const mirror = context.informers.informer<Pod>(pods);
  const placement = createPlacement(context, nodeMirror);
  let addresses = 0;

  /** Of the cluster's range; not handed out again before 16 million others were. */
  const nextAddress = (): string => {
    addresses = (addresses % 0xfffffe) + 1;
    return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
  };

  /** It runs, and ends when its time is over. */
  async function runPod(pod: Pod): Promise<{ againAfter: number } | undefined> {
    const now = clock.now();
    if (pod.status?.phase !== 'Running') {
      const hostIP = nodeMirror
        .get(pod.spec?.nodeName ?? '')
        ?.status?.addresses?.find(a => a.type === 'InternalIP')?.address;
      const podIP = pod.spec?.hostNetwork ? hostIP : nextAddress();
      const next = running(pod, timestamp(now), hostIP ?? '', podIP ?? '');
      await writePodStatus(client, pod, status => Object.assign(status, next));
    }
    const seconds = Number(pod.metadata.annotations?.[runSecondsAnnotation]);
    if (!Number.isFinite(seconds) || seconds < 0) return undefined;
    const began = pod.status?.startTime ? Date.parse(pod.status.startTime) : now;
    const left = began + seconds * 1000 - now;
    if (left > 0) return { againAfter: left };
    await writePodStatus(client, pod, status => Object.assign(status, ended(status, timestamp(now))));
    return undefined;
  }

  async function letGo(pod: Pod): Promise<void> {
    const { uid = '', deletionGracePeriodSeconds, finalizers } = pod.metadata;
    if (deletionGracePeriodSeconds === 0 && finalizers?.length) return;
    await client.delete(pods, objectKey(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
  }

  async function step(pod: Pod, key: Key): Promise<Result> {
    if (isGoing(pod)) return letGo(pod);
    if (isFinished(pod)) return undefined;
    return pod.spec?.nodeName ? runPod(pod) : placement.place(pod, key);
  }

  context.run({
    name: `kubelets-of-${cluster}`,
    synced: [mirror.synced, nodeMirror.synced],
    wire(queue) {
      const retry = (): void => placement.waiting.forEach(key => queue.add(key));
      nodeMirror.onChange(retry);
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
