import type { Node, PersistentVolumeClaim } from '../../openapi/gen/core-v1.js';
import type { Clock } from '../../lib/clock.js';
import { timestamp } from '../../client/runtime/conditions.js';
import type { Client } from '../../client/interface.js';
import type { ControllerContext, EventRecorder, Informer, Key } from '../../client/runtime/interface.js';
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

class ClusterPlacement implements Placement {
  readonly waiting = new Set<Key>();
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #recorder: EventRecorder;
  readonly #nodes: Informer<Node>;
  readonly #claims: Informer<PersistentVolumeClaim>;
  /** What the Pods of each node use. */
  readonly #usage = createNodeUsage();

  constructor(context: ControllerContext, nodes: Informer<Node>, claims: Informer<PersistentVolumeClaim>) {
    this.#client = context.client;
    this.#clock = context.clock;
    this.#recorder = context.recorder('default-scheduler');
    this.#nodes = nodes;
    this.#claims = claims;
  }

  async place(pod: Pod, key: Key): Promise<void> {
    const all = this.#nodes.list();
    const missing = claimsMissing(pod, claim => this.#claims.get(claim));
    if (missing !== undefined) {
      this.waiting.add(key);
      return this.#reportUnschedulable(pod, `0/${all.length} nodes are available: ${missing}.`);
    }
    const chosen = this.#usage.choose(pod, all);
    if ('node' in chosen) {
      this.waiting.delete(key);
      this.#usage.take(key, pod, chosen.node);
      return this.#bind(pod, chosen.node);
    }
    this.waiting.add(key);
    return this.#reportUnschedulable(pod, chosen.reason);
  }

  seen(key: Key, pod: Pod | undefined): boolean {
    if (!pod || isFinished(pod)) {
      this.#usage.release(key);
      this.waiting.delete(key);
      return true;
    }
    if (pod.spec?.nodeName) this.#usage.take(key, pod, pod.spec.nodeName);
    return false;
  }

  async #bind(pod: Pod, node: string): Promise<void> {
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace, name, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    };
    await this.#client.create(pods, binding, { name, subresource: 'binding' });
    this.#recorder.event(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`);
  }

  async #reportUnschedulable(pod: Pod, reason: string): Promise<void> {
    const known = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (known?.message === reason) return;
    this.#recorder.event(pod, 'Warning', 'FailedScheduling', reason);
    const lastTransitionTime = timestamp(this.#clock.now());
    await writePodStatus(this.#client, pod, status => {
      status.phase = 'Pending';
      status.conditions = [
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: reason, lastTransitionTime },
      ];
    });
  }
}

export const createPlacement = (
  context: ControllerContext,
  nodes: Informer<Node>,
  claims: Informer<PersistentVolumeClaim>,
): Placement => new ClusterPlacement(context, nodes, claims);
