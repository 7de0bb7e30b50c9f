import type { Node, PodCondition, PodStatus } from '../../openapi/gen/core-v1.js';
import { StatusError } from '../../openapi/meta/status.js';
import { timestamp } from '../../controllers/runtime/conditions.js';
import { keyOf } from '../../controllers/runtime/informer.js';
import type { ControllerContext, Key, WorkQueue } from '../../controllers/runtime/interface.js';
import { objectKey, updateObject } from '../../controllers/runtime/update.js';
import { nodes, pods } from '../resources.js';
import { createRoom } from './room.js';
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
  const recorder = context.recorder('default-scheduler');
  const room = createRoom();
  const waiting = new Set<Key>();
  let addresses = 0;

  /** Of the cluster's range; not handed out again before 16 million others were. */
  const nextAddress = (): string => {
    addresses = (addresses % 0xfffffe) + 1;
    return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
  };

  async function place(pod: Pod, key: Key): Promise<void> {
    const chosen = room.choose(pod, nodeMirror.list());
    if ('node' in chosen) {
      waiting.delete(key);
      room.take(key, pod, chosen.node);
      await bind(pod, chosen.node);
      return;
    }
    waiting.add(key);
    const known = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (known?.message === chosen.reason) return;
    recorder.event(pod, 'Warning', 'FailedScheduling', chosen.reason);
    const now = timestamp(clock.now());
    await writeStatus(pod, status => {
      status.phase = 'Pending';
      status.conditions = [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: chosen.reason,
          lastTransitionTime: now,
        },
      ];
    });
  }

  async function bind(pod: Pod, node: string): Promise<void> {
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace, name, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    };
    await client.create(pods, binding, { name, subresource: 'binding' });
    recorder.event(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`);
  }

  const writeStatus = (pod: Pod, change: (status: PodStatus) => void): Promise<Pod> =>
    updateObject(client, pods, pod, draft => change((draft.status ??= {})), {
      subresource: 'status',
    });

  /** The rest of the way: runs, ends when its time is over. */
  async function runPod(pod: Pod): Promise<{ againAfter: number } | undefined> {
    const now = clock.now();
    if (pod.status?.phase !== 'Running') {
      const hostIP = nodeMirror
        .get(pod.spec?.nodeName ?? '')
        ?.status?.addresses?.find(a => a.type === 'InternalIP')?.address;
      const podIP = pod.spec?.hostNetwork ? hostIP : nextAddress();
      await writeStatus(pod, status => Object.assign(status, running(pod, timestamp(now), hostIP ?? '', podIP ?? '')));
    }
    const seconds = Number(pod.metadata.annotations?.[runSecondsAnnotation]);
    if (!Number.isFinite(seconds) || seconds < 0) return undefined;
    const began = pod.status?.startTime ? Date.parse(pod.status.startTime) : now;
    const left = began + seconds * 1000 - now;
    if (left > 0) return { againAfter: left };
    await writeStatus(pod, status => Object.assign(status, ended(status, timestamp(now))));
    return undefined;
  }

  function wire(queue: WorkQueue): void {
    const retry = (): void => waiting.forEach(key => queue.add(key));
    nodeMirror.onChange(retry);
    mirror.onChange(({ old, new: pod }) => {
      const seen = pod ?? old;
      if (!seen) return;
      const key = keyOf(seen);
      if (!pod || isFinished(pod)) {
        room.release(key);
        waiting.delete(key);
        retry();
      } else if (pod.spec?.nodeName) room.take(key, pod, pod.spec.nodeName);
      if (pod) queue.add(key);
    });
  }

  context.run({
    name: `kubelets-of-${cluster}`,
    synced: [mirror.synced, nodeMirror.synced],
    wire,
    async reconcile(key) {
      const pod = mirror.get(key);
      if (!pod) return undefined;
      try {
        if (isGoing(pod)) {
          if (pod.metadata.deletionGracePeriodSeconds !== 0 || !pod.metadata.finalizers?.length)
            await client.delete(pods, objectKey(pod), {
              gracePeriodSeconds: 0,
              preconditions: { uid: pod.metadata.uid ?? '' },
            });
          return undefined;
        }
        if (isFinished(pod)) return undefined;
        if (pod.spec?.nodeName) return await runPod(pod);
        await place(pod, key);
        return undefined;
      } catch (error) {
        if (error instanceof StatusError && error.code === 404) return undefined;
        throw error;
      }
    },
  });
}

const condition = (type: string, status: string, now: string, reason?: string): PodCondition => ({
  type,
  status,
  lastTransitionTime: now,
  ...(reason ? { reason } : {}),
});

/** As a kubelet reports it once all containers have started and answer. */
function running(pod: Pod, now: string, hostIP: string, podIP: string): Partial<PodStatus> {
  const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  return {
    phase: 'Running',
    conditions: types.map(type => condition(type, 'True', now)),
    startTime: now,
    ...(hostIP ? { hostIP, hostIPs: [{ ip: hostIP }] } : {}),
    ...(podIP ? { podIP, podIPs: [{ ip: podIP }] } : {}),
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
      name,
      image,
      imageID: `simulated://${image}`,
      containerID: `simulated://${pod.metadata.uid}/${name}`,
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: now } },
    })),
  };
}

function ended(status: PodStatus, now: string): Partial<PodStatus> {
  const ready = new Set(['Ready', 'ContainersReady']);
  return {
    phase: 'Succeeded',
    conditions: (status.conditions ?? []).map(c =>
      ready.has(c.type) ? condition(c.type, 'False', now, 'PodCompleted') : c,
    ),
    containerStatuses: (status.containerStatuses ?? []).map(container => ({
      ...container,
      ready: false,
      started: false,
      state: {
        terminated: {
          exitCode: 0,
          reason: 'Completed',
          finishedAt: now,
          ...(container.state?.running?.startedAt ? { startedAt: container.state.running.startedAt } : {}),
        },
      },
    })),
  };
}
