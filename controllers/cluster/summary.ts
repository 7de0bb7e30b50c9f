import type { KubeObject } from '../../apimachinery/interface.js';
import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import { addAmounts, type Amounts, amountsOf, amountsText } from '../../apimachinery/quantity/amounts.js';
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityValue,
  subtractQuantities,
  zeroQuantity,
} from '../../apimachinery/quantity/quantity.js';
import { deepEqual } from '../../lib/json/equality.js';
import { eachInTurns, yieldToEventLoop } from '../../lib/time-slice.js';
import type { Cluster, ResourceList, ResourceModel, ResourceSummary } from '../../api/karmada/types.js';
import type { InterpretedPodSpec } from '../interpreter/native/pod.js';
import { type PodGroup, podRequests, PodSum, type Requests, requireFewNames } from './pod-requests.js';

export interface Node extends KubeObject {
  status?: { allocatable?: ResourceList; conditions?: { type: string; status: string }[] };
}

export interface Pod extends KubeObject {
  spec: InterpretedPodSpec;
  status?: { phase?: string };
}

type NodeSummary = NonNullable<NonNullable<Cluster['status']>['nodeSummary']>;

/** Maximum number of different requests of pods that are remembered, and the maximum length of one of them as text. */
const maxKnownRequests = 1000;
const maxKnownLength = 4096;

const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Where a pod counts. */
interface Place {
  readonly sum: PodSum;
  readonly group: string;
}

interface KnownNode {
  readonly list: ResourceList | undefined;
  readonly allocatable: Amounts;
  readonly isReady: boolean;
  /** The index of its model, -1 for none, or `full` if it has no capacity for more pods; absent until it is computed. */
  grade?: number | 'full';
}

/**
 * The sums of the nodes and pods of one cluster. They are kept: a change costs the pods of its node, not all of them. Calls must not overlap.
 * as pkg/controllers/status getNodeSummary, getResourceSummary and getAllocatableModelings
 */
export class ClusterTotals {
  readonly #nodes = new Map<string, KnownNode>();
  #ready = 0;
  #allocatable: Record<string, string> | undefined;
  readonly #places = new Map<string, Place>();
  /** Pods without a node, by namespace. */
  readonly #pending = new PodSum();
  /** Pods on a node that have not ended, by node. */
  readonly #running = new PodSum();
  /** Most pods have the requests of many others. */
  readonly #known = new Map<string, Requests>();
  readonly #malformed = new Map<string, unknown>();
  #models: readonly ResourceModel[] = [];
  #minima: readonly ReadonlyMap<string, Quantity>[] = [];

  /** Counts a node in its present state; undefined removes it. A malformed one is reported by `summary`. */
  setNode(name: string, node: Node | undefined): void {
    this.#set(`node ${name}`, () => (node ? this.#putNode(name, node) : this.#removeNode(name)));
  }

  /** Counts a pod in its present state; undefined removes it. A malformed one is reported by `summary`. */
  setPod(key: string, pod: Pod | undefined): void {
    this.#set(`pod ${key}`, () => this.#putPod(key, pod));
  }

  /** Reports whether a node is counted, or malformed. */
  hasNode(name: string): boolean {
    return this.#nodes.has(name) || this.#malformed.has(`node ${name}`);
  }

  /** Reports whether a pod is counted, or malformed. */
  hasPod(key: string): boolean {
    return this.#places.has(key) || this.#malformed.has(`pod ${key}`);
  }

  nodeSummary(): NodeSummary {
    return {
      ...(this.#nodes.size > 0 ? { totalNum: this.#nodes.size } : {}),
      ...(this.#ready > 0 ? { readyNum: this.#ready } : {}),
    };
  }

  /**
   * Returns the resource summary, without empty lists: the API leaves them out, so that an agent would find a difference at every observation. It is
   * computed in several turns of the event loop. Rejects if a node or a pod is malformed, or if there are too many resources.
   */
  async summary(models: readonly ResourceModel[]): Promise<ResourceSummary> {
    for (const error of this.#malformed.values()) throw error;
    const allocatable = (this.#allocatable ??= await this.#sumOfNodes());
    const [allocating, allocated] = [await this.#pending.list(), await this.#running.list()];
    const counts = await this.#countByModel(models);
    return {
      ...(Object.keys(allocatable).length > 0 ? { allocatable } : {}),
      ...(Object.keys(allocating).length > 0 ? { allocating } : {}),
      ...(Object.keys(allocated).length > 0 ? { allocated } : {}),
      ...(counts.length > 0
        ? { allocatableModelings: models.map(({ grade }, i) => ({ grade, count: counts[i] ?? 0 })) }
        : {}),
    };
  }

  #set(object: string, change: () => void): void {
    this.#malformed.delete(object);
    try {
      change();
    } catch (error) {
      this.#malformed.set(object, error);
    }
  }

  #removeNode(name: string): void {
    if (this.#nodes.get(name)?.isReady) this.#ready--;
    this.#nodes.delete(name);
    this.#allocatable = undefined;
  }

  #putNode(name: string, { status: { allocatable: list, conditions } = {} }: Node): void {
    const before = this.#nodes.get(name);
    const isReady = isConditionTrue(conditions, 'Ready');
    // Most changes of a node are heartbeats.
    const isSame = before !== undefined && deepEqual(before.list, list);
    if (!isSame || before.isReady !== isReady) {
      const { allocatable, grade } = isSame ? before : { allocatable: fewAmounts(list) };
      this.#nodes.set(name, { list, allocatable, isReady, ...(grade !== undefined && { grade }) });
    }
    if (before?.isReady) this.#ready--;
    if (isReady) this.#ready++;
    if (!isSame) this.#allocatable = undefined;
  }

  #putPod(key: string, pod: Pod | undefined): void {
    const place = pod && this.#placeOf(pod);
    const requests = place && this.#requestsOf(pod.spec);
    const before = this.#places.get(key);
    const hasMoved = before?.sum !== place?.sum || before?.group !== place?.group;
    if (before && hasMoved) {
      before.sum.delete(before.group, key);
      this.#touch(before);
      this.#places.delete(key);
    }
    if (!place || !requests) return;
    if (hasMoved) this.#places.set(key, place);
    if (place.sum.set(place.group, key, requests)) this.#touch(place);
  }

  /** Returns undefined for a pod that has ended. */
  #placeOf(pod: Pod): Place | undefined {
    const { nodeName } = pod.spec;
    if (!nodeName) return { sum: this.#pending, group: pod.metadata.namespace ?? '' };
    return hasEnded(pod) ? undefined : { sum: this.#running, group: nodeName };
  }

  /** Notes that the free resources of the node of the group have changed. */
  #touch({ sum, group }: Place): void {
    const node = sum === this.#running ? this.#nodes.get(group) : undefined;
    if (node) delete node.grade;
  }

  #requestsOf(spec: InterpretedPodSpec): Requests {
    const { containers, initContainers, overhead } = spec;
    const text = JSON.stringify([requestsIn(containers), requestsIn(initContainers), overhead]);
    const known = this.#known.get(text);
    if (known) return known;
    const requests = podRequests(spec);
    if (text.length > maxKnownLength) return requests;
    if (this.#known.size >= maxKnownRequests) this.#known.clear();
    this.#known.set(text, requests);
    return requests;
  }

  async #sumOfNodes(): Promise<Record<string, string>> {
    const total = new Map<string, Quantity>();
    await eachInTurns(this.#nodes.values(), ({ allocatable }) => {
      addAmounts(total, allocatable);
      requireFewNames(total);
    });
    return amountsText(total);
  }

  /**
   * Returns the number of nodes in every grade: a node counts for the highest grade all of whose minima its free resources reach.
   * as pkg/modeling, including its quirk that the first node without capacity for pods ends the count.
   */
  async #countByModel(models: readonly ResourceModel[]): Promise<number[]> {
    if (!deepEqual(this.#models, models)) {
      this.#minima = models.map(minimaOf);
      this.#models = models;
      for (const node of this.#nodes.values()) delete node.grade;
    }
    const counts = models.map(() => 0);
    if (models.length === 0) return counts;
    for (const [name, node] of this.#nodes) {
      node.grade ??= await this.#gradeOf(node, this.#running.group(name));
      if (node.grade === 'full') break;
      if (node.grade >= 0) counts[node.grade] = (counts[node.grade] ?? 0) + 1;
      const pause = yieldToEventLoop();
      if (pause) await pause;
    }
    return counts;
  }

  async #gradeOf({ allocatable }: KnownNode, used: PodGroup | undefined): Promise<number | 'full'> {
    const free = new Map(allocatable);
    if (used) {
      if (quantityValue(free.get('pods') ?? zeroQuantity) - used.size <= 0) return 'full';
      for (const [name, text] of Object.entries(await used.list())) {
        const amount = free.get(name);
        if (amount) free.set(name, subtractQuantities(amount, parseQuantity(text)));
      }
    }
    const names = this.#models[0]?.ranges.map(({ name }) => name) ?? [];
    return Math.min(...names.map(name => this.#gradeFor(name, free.get(name) ?? zeroQuantity)));
  }

  /** Returns the highest grade whose minimum of a resource is available; -1 for none. */
  #gradeFor(name: string, available: Quantity): number {
    return this.#minima.findLastIndex(minima => compareQuantities(minima.get(name) ?? zeroQuantity, available) <= 0);
  }
}

const requestsIn = (containers: InterpretedPodSpec['containers'] = []): unknown =>
  containers.map(({ resources }) => resources?.requests);

const minimaOf = ({ ranges }: ResourceModel): ReadonlyMap<string, Quantity> =>
  new Map(ranges.map(({ name, min }) => [name, parseQuantity(min)]));

/** Parses the resources of a node. Throws if there are too many. */
function fewAmounts(list: ResourceList | undefined): Amounts {
  const amounts = amountsOf(list);
  requireFewNames(amounts);
  return amounts;
}
