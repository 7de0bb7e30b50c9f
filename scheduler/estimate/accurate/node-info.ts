import type { Labels } from '../../../apimachinery/selectors/label-requirement.js';
import { parseQuantity, quantityValue } from '../../../apimachinery/quantity/quantity.js';
import type { ResourceList, Taint } from '../../../api/karmada/types.js';
import { memoizeByText } from '../../../lib/collections/memoize-by-text.js';
import { isNodeResource } from '../component-sets.js';
import { resourceValue } from '../resource-value.js';
import type { EstimatedNode, EstimatedPod } from './interface.js';

/** Amounts by resource, as `resourceValue` returns them. It has only the resources that nodes count besides pods. */
export type NodeAmounts = ReadonlyMap<string, number>;

/** Returns the amounts of a list that nodes count. Throws if a quantity is malformed. as pkg/util Resource.Add */
export function nodeAmounts(list: ResourceList | undefined): Map<string, number> {
  const amounts = new Map<string, number>();
  for (const [name, text] of Object.entries(list ?? {})) {
    if (isNodeResource(name)) amounts.set(name, resourceValue(name, parseQuantity(text)));
  }
  return amounts;
}

/** The requests of components that were parsed: an estimate reads each several times. */
const parsedRequests = new WeakMap<ResourceList, NodeAmounts>();

/** Returns the amounts of a request that nodes count, which are parsed once. Throws if a quantity is malformed. */
export function requestAmounts(list: ResourceList | undefined): NodeAmounts {
  if (!list) return none;
  let amounts = parsedRequests.get(list);
  if (!amounts) parsedRequests.set(list, (amounts = nodeAmounts(list)));
  return amounts;
}

const none: NodeAmounts = new Map();

/** Returns what a pod requests of its node. as pkg/util/lifted/scheduler/framework calculateResource */
function requestsOf({
  containers = [],
  initContainers = [],
  overhead,
}: NonNullable<EstimatedPod['spec']>): NodeAmounts {
  const total = new Map<string, number>();
  const combine = (list: ResourceList | undefined, by: (a: number, b: number) => number): void => {
    for (const [name, amount] of nodeAmounts(list)) total.set(name, by(total.get(name) ?? 0, amount));
  };
  const add = (a: number, b: number): number => a + b;
  for (const { resources } of containers) combine(resources?.requests, add);
  for (const { resources } of initContainers) combine(resources?.requests, Math.max);
  combine(overhead, add);
  return total;
}

/** Most pods have the requests of many others, which then share one value. A pod whose requests are malformed takes only its slot. */
const knownRequests = memoizeByText((text): NodeAmounts => {
  try {
    return requestsOf(JSON.parse(text) as NonNullable<EstimatedPod['spec']>);
  } catch {
    return none;
  }
});

/** Returns what a pod requests of its node. Equal requests are mostly the same value. */
export function requestedAmounts({
  containers = [],
  initContainers = [],
  overhead,
}: NonNullable<EstimatedPod['spec']>): NodeAmounts {
  const requested = (list: typeof containers): unknown =>
    list.map(({ resources }) => ({ resources: { requests: resources?.requests } }));
  return knownRequests(
    JSON.stringify({ containers: requested(containers), initContainers: requested(initContainers), overhead }),
  );
}

/** The facts of a Node object that count for estimates. */
interface NodeFacts {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  readonly allocatable: NodeAmounts;
  /** The number of pods that may run on it. */
  readonly allowedPods: number;
}

const noLabels: Labels = {};

/** Returns what estimates need of a node. One whose amounts are malformed takes no pods. */
function factsOf({ metadata, spec = {}, status = {} }: EstimatedNode): NodeFacts {
  const about = {
    labels: metadata.labels ?? noLabels,
    taints: spec.taints ?? [],
    unschedulable: spec.unschedulable === true,
  };
  try {
    const pods = status.allocatable?.['pods'];
    const allowedPods = pods === undefined ? 0 : quantityValue(parseQuantity(pods));
    return { ...about, allocatable: nodeAmounts(status.allocatable), allowedPods };
  } catch {
    return { ...about, allocatable: none, allowedPods: 0 };
  }
}

/** What an estimate reads of a node. */
export type FreeNode = Pick<NodeInfo, 'name' | 'labels' | 'taints' | 'unschedulable' | 'freePods' | 'free'>;

/**
 * A node of a member, with the sums of what its pods request. The sums are kept: a change of a pod costs its own requests.
 * as pkg/util/lifted/scheduler/framework NodeInfo
 */
export class NodeInfo {
  readonly name: string;
  /** Absent while only pods of the node are known. */
  #facts: NodeFacts | undefined;
  readonly #requested = new Map<string, number>();
  #pods = 0;

  constructor(name: string) {
    this.name = name;
  }

  get exists(): boolean {
    return this.#facts !== undefined;
  }

  get labels(): Labels {
    return this.#facts?.labels ?? noLabels;
  }

  get taints(): readonly Taint[] {
    return this.#facts?.taints ?? [];
  }

  get unschedulable(): boolean {
    return this.#facts?.unschedulable ?? false;
  }

  /** The number of pods on the node. */
  get pods(): number {
    return this.#pods;
  }

  /** The number of pods that can still be added. */
  get freePods(): number {
    return Math.max(0, (this.#facts?.allowedPods ?? 0) - this.#pods);
  }

  /** Returns the amount of a resource that no pod requests. */
  free(resource: string): number {
    return Math.max(0, (this.#facts?.allocatable.get(resource) ?? 0) - (this.#requested.get(resource) ?? 0));
  }

  set(node: EstimatedNode | undefined): void {
    this.#facts = node && factsOf(node);
  }

  addPod(requests: NodeAmounts): void {
    this.#pods++;
    for (const [name, amount] of requests) this.#requested.set(name, (this.#requested.get(name) ?? 0) + amount);
  }

  removePod(requests: NodeAmounts): void {
    this.#pods--;
    for (const [name, amount] of requests) {
      const left = (this.#requested.get(name) ?? 0) - amount;
      if (left === 0) this.#requested.delete(name);
      else this.#requested.set(name, left);
    }
  }
}
