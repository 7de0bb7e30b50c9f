import type { Node, PersistentVolumeClaim } from '../../openapi/gen/core-v1.js';
import type { Clock } from '../../lib/clock.js';
import { timestamp } from '../../client/runtime/conditions.js';
import type { Client } from '../../client/interface.js';
import { keyOf } from '../../client/key.js';
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
  /**
   * Creates a Pod on a node with enough free resources, with `create`, and resolves with its result: a Pod whose resources and volumes are known
   * before admission needs no second write for its node. Others, and those that fit no node, are created without a node.
   */
  createPlaced(pod: Pod, create: (placed: Pod) => Promise<Pod>): Promise<Pod>;
  /** Takes note of a Pod's current state (undefined: deleted). Returns true when resources were freed, so that waiting Pods may fit. */
  seen(key: Key, pod: Pod | undefined): boolean;
  readonly waiting: ReadonlySet<Key>;
}

interface PlacementDeps {
  readonly nodes: Informer<Node>;
  readonly claims: Informer<PersistentVolumeClaim>;
  /** Is called when the room of a Pod that was being created is free, and waiting Pods may fit. */
  readonly freed: () => void;
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
  readonly #freed: () => void;
  /** The number of Pods that were created on a node. */
  #created = 0;

  constructor(context: ControllerContext, { nodes, claims, freed }: PlacementDeps) {
    this.#client = context.client;
    this.#clock = context.clock;
    this.#recorder = context.recorder('default-scheduler');
    this.#nodes = nodes;
    this.#claims = claims;
    this.#freed = freed;
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

  async createPlaced(pod: Pod, create: (placed: Pod) => Promise<Pod>): Promise<Pod> {
    const chosen = isKnown(pod) ? this.#usage.choose(pod, this.#nodes.list()) : undefined;
    if (!chosen || !('node' in chosen)) return create(pod);
    const { node } = chosen;
    // The name is not known yet. Until the Pod is seen, its room is taken under another key, which no Pod has.
    const reserved = `/${++this.#created}`;
    this.#usage.take(reserved, pod, node);
    try {
      const made = await create({ ...pod, spec: { ...pod.spec, nodeName: node } as NonNullable<Pod['spec']> });
      this.#usage.take(keyOf(made), made, node);
      this.#recordScheduled(made, node);
      return made;
    } finally {
      this.#usage.release(reserved);
      // A Pod may wait because of the reservation: nothing was created, or the new Pod was seen before, and its room was counted twice.
      if (this.waiting.size > 0) this.#freed();
    }
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
    this.#recordScheduled(pod, node);
  }

  #recordScheduled(pod: Pod, node: string): void {
    this.#recorder.event(pod, 'Normal', 'Scheduled', `Successfully assigned ${keyOf(pod)} to ${node}`);
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

/** Reports whether a Pod has no node yet, admission adds no resources to it, and a node can be chosen without its volumes. */
function isKnown({ spec }: Pod): boolean {
  const {
    containers = [],
    initContainers = [],
    volumes = [],
    nodeName,
    runtimeClassName,
    schedulingGates,
  } = spec ?? {};
  if (nodeName) return false;
  if (runtimeClassName !== undefined || (schedulingGates ?? []).length > 0) return false;
  if (volumes.some(({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim ?? ephemeral)) return false;
  return [...containers, ...initContainers].every(
    ({ resources }) => resources?.requests?.['cpu'] !== undefined && resources.requests['memory'] !== undefined,
  );
}

/** Returns the placement of Pods on the nodes of a member. */
export const createPlacement = (context: ControllerContext, deps: PlacementDeps): Placement =>
  new ClusterPlacement(context, deps);
