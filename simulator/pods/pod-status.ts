/** What the status of a Pod says of its life. */
import type { PodCondition, PodStatus } from '../../openapi/gen/core-v1.js';
import { updateObject } from '../../controllers/runtime/update.js';
import type { Client } from '../../registry/interface.js';
import { pods } from '../../registry/kinds/native-resources.js';
import type { Pod } from './state.js';

export const writePodStatus = (client: Client, pod: Pod, change: (status: PodStatus) => void): Promise<Pod> =>
  updateObject(client, pods, pod, draft => change((draft.status ??= {})), { subresource: 'status' });

const condition = (type: string, status: string, now: string, reason?: string): PodCondition => ({
  type,
  status,
  lastTransitionTime: now,
  ...(reason ? { reason } : {}),
});

/** As a kubelet reports it once all containers have started and answer. */
export function running(pod: Pod, now: string, hostIP: string, podIP: string): Partial<PodStatus> {
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

/** Once all containers have ended well. */
export function ended(status: PodStatus, now: string): Partial<PodStatus> {
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
