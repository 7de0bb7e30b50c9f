/** Writes the status of simulated Pods. */
import type { ContainerState, ContainerStatus, PodCondition, PodStatus } from '../../openapi/gen/core-v1.js';
import { updateObject } from '../../client/runtime/update.js';
import type { Client } from '../../client/interface.js';
import { pods } from '../../api/kubernetes/resources.js';
import type { Pod } from './state.js';

/** Writes the status of a Pod. `change` edits a draft of it, and may run again after a conflict. Rejects as `updateObject`. */
export const writePodStatus = (client: Client, pod: Pod, change: (status: PodStatus) => void): Promise<Pod> =>
  updateObject(client, pods, pod, draft => change((draft.status ??= {})), { subresource: 'status' });

const condition = (type: string, status: string, now: string, reason?: string): PodCondition => ({
  type,
  status,
  lastTransitionTime: now,
  ...(reason ? { reason } : {}),
});

/** Returns the status of a Pod whose containers have all started. */
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

/** Returns the status of a Pod with its new ephemeral containers, as `kubectl debug` adds them, started; undefined when it has none. */
export function withEphemeral({ metadata, spec, status }: Pod, now: string): Partial<PodStatus> | undefined {
  const known = status?.ephemeralContainerStatuses ?? [];
  const added = (spec?.ephemeralContainers ?? []).filter(({ name }) => !known.some(each => each.name === name));
  if (added.length === 0) return undefined;
  const statuses = added.map(({ name, image = '' }) => ({
    ...{ name, image, imageID: `simulated://${image}`, containerID: `simulated://${metadata.uid}/${name}` },
    ...{ ready: false, restartCount: 0, state: { running: { startedAt: now } } },
  }));
  return { ephemeralContainerStatuses: [...known, ...statuses] };
}

const terminated = (container: ContainerStatus, exitCode: number, now: string): ContainerState => ({
  terminated: {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    finishedAt: now,
    ...(container.state?.running?.startedAt ? { startedAt: container.state.running.startedAt } : {}),
    ...(container.containerID ? { containerID: container.containerID } : {}),
  },
});

function withReady(status: PodStatus, value: string, now: string, reason?: string): PodCondition[] {
  const ready = new Set(['Ready', 'ContainersReady']);
  return (status.conditions ?? []).map(c => (ready.has(c.type) ? condition(c.type, value, now, reason) : c));
}

/** Returns the status of a Pod whose containers have all ended for good. */
export function ended(status: PodStatus, now: string, exitCode: number): Partial<PodStatus> {
  const hasSucceeded = exitCode === 0;
  return {
    phase: hasSucceeded ? 'Succeeded' : 'Failed',
    conditions: withReady(status, 'False', now, hasSucceeded ? 'PodCompleted' : 'PodFailed'),
    containerStatuses: (status.containerStatuses ?? []).map(container => ({
      ...container,
      ready: false,
      started: false,
      state: terminated(container, exitCode, now),
    })),
  };
}

/** Returns the status of a Pod with an ephemeral container that has ended; undefined when it is not one that runs. */
export function endedEphemeral(
  { ephemeralContainerStatuses: all = [] }: PodStatus,
  name: string,
  exitCode: number,
  now: string,
): Partial<PodStatus> | undefined {
  if (!all.some(each => each.name === name && each.state?.running)) return undefined;
  return {
    ephemeralContainerStatuses: all.map(each =>
      each.name === name ? { ...each, state: terminated(each, exitCode, now) } : each,
    ),
  };
}

/** Returns the status of a Pod whose containers have all ended and wait to be restarted. */
export function crashed(pod: Pod, now: string, exitCode: number, delayMs: number): Partial<PodStatus> {
  const { name, namespace, uid } = pod.metadata;
  const status = pod.status ?? {};
  return {
    conditions: withReady(status, 'False', now, 'ContainersNotReady'),
    containerStatuses: (status.containerStatuses ?? []).map(container => ({
      ...container,
      ready: false,
      started: false,
      lastState: terminated(container, exitCode, now),
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: `back-off ${goDuration(delayMs)} restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`,
        },
      },
    })),
  };
}

/** Returns the status of a Pod whose containers have all been restarted. `exitCode`: how they ended, if their status does not contain it yet. */
export function restarted(status: PodStatus, now: string, exitCode: number): Partial<PodStatus> {
  return {
    conditions: withReady(status, 'True', now),
    containerStatuses: (status.containerStatuses ?? []).map(container => ({
      ...container,
      ready: true,
      started: true,
      restartCount: (container.restartCount ?? 0) + 1,
      lastState: container.state?.running ? terminated(container, exitCode, now) : (container.lastState ?? {}),
      state: { running: { startedAt: now } },
    })),
  };
}

/** Returns whole seconds as Go writes them: `1m20s`. */
function goDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
