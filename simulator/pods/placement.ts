import type { Node, PersistentVolumeClaim } from '../../openapi/gen/core-v1.js';
import { timestamp } from '../../client/runtime/conditions.js';
import type { ControllerContext, Informer, Key } from '../../client/runtime/interface.js';
import { pods } from '../../api/kubernetes/resources.js';
import { claimsMissing } from './claims.js';
import { writePodStatus } from './pod-status.js';
import { createNodeUsage } from './node-usage.js';
import { isFinished, type Pod } from './state.js';

/** The scheduler of a cluster. */
export interface Placement {
  /** Assigns a Pod to a node with enough free resources. A Pod that fits no node stays Pending, and waits. */
  place(pod: Pod, key: Key): Promise<void>;
  /** Takes note of a Pod's current state (undefined: deleted). Returns true when resources were freed, so that waiting Pods may fit. */
  seen(key: Key, pod: Pod | undefined): boolean;
  readonly waiting: ReadonlySet<Key>;
}

export function createPlacement(
  context: ControllerContext,
  nodes: Informer<Node>,
  claims: Informer<PersistentVolumeClaim>,
): Placement {
  const { client, clock } = context;
  const recorder = context.recorder('default-scheduler');
  const usage = createNodeUsage();
  const waiting = new Set<Key>();

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

  async function reportUnschedulable(pod: Pod, reason: string): Promise<void> {
    const known = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (known?.message === reason) return;
    recorder.event(pod, 'Warning', 'FailedScheduling', reason);
    const lastTransitionTime = timestamp(clock.now());
    await writePodStatus(client, pod, status => {
      status.phase = 'Pending';
      status.conditions = [
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: reason, lastTransitionTime },
      ];
    });
  }

  return {
    async place(pod, key) {
      const all = nodes.list();
      const missing = claimsMissing(pod, claim => claims.get(claim));
      if (missing !== undefined) {
        waiting.add(key);
        return reportUnschedulable(pod, `0/${all.length} nodes are available: ${missing}.`);
      }
      const chosen = usage.choose(pod, all);
      if ('node' in chosen) {
        waiting.delete(key);
        usage.take(key, pod, chosen.node);
        return bind(pod, chosen.node);
      }
      waiting.add(key);
      return reportUnschedulable(pod, chosen.reason);
    },
    seen(key, pod) {
      if (!pod || isFinished(pod)) {
        usage.release(key);
        waiting.delete(key);
        return true;
      }
      if (pod.spec?.nodeName) usage.take(key, pod, pod.spec.nodeName);
      return false;
    },
    waiting,
  };
}
