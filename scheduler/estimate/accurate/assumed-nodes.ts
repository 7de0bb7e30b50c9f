import type { Labels } from '../../../apimachinery/selectors/label-requirement.js';
import type { Component, Taint } from '../../../api/karmada/types.js';
import { type InSteps, Strides } from '../../../lib/time-slice.js';
import type { AssumedWorkload } from '../../interface.js';
import { ChangedNodes } from './changed-nodes.js';
import { type FreeNode, type NodeAmounts, type NodeInfo, requestAmounts } from './node-info.js';
import { demandText, replicaFit } from './node-resource.js';
import type { NodeSnapshot } from './node-snapshot.js';

/** What a node has free beside what is assumed to run on it. */
class RemainingNode implements FreeNode {
  readonly #node: NodeInfo;
  readonly #taken = new Map<string, number>();
  #pods = 0;

  constructor(node: NodeInfo) {
    this.#node = node;
  }

  get name(): string {
    return this.#node.name;
  }

  get labels(): Labels {
    return this.#node.labels;
  }

  get taints(): readonly Taint[] {
    return this.#node.taints;
  }

  get unschedulable(): boolean {
    return this.#node.unschedulable;
  }

  get freePods(): number {
    return Math.max(0, this.#node.freePods - this.#pods);
  }

  get isUnused(): boolean {
    return this.#pods === 0;
  }

  free(resource: string): number {
    return Math.max(0, this.#node.free(resource) - (this.#taken.get(resource) ?? 0));
  }

  /** Adds replicas; a negative count removes them. */
  add(each: NodeAmounts, count: number): void {
    this.#pods += count;
    for (const [name, amount] of each)
      if (amount > 0) this.#taken.set(name, (this.#taken.get(name) ?? 0) + amount * count);
  }
}

/** What components with the same requests share. */
interface SharedDemand {
  readonly text: string;
  readonly each: NodeAmounts;
  readonly fits: (node: FreeNode) => number;
  /** The index of the first node that may take a replica: the free amounts only shrink while workloads are placed. */
  first: number;
  /** The number of placed components with these requests. */
  users: number;
}

/** One component, and all that placing it has changed. */
interface PlacedComponent {
  readonly demand: SharedDemand;
  readonly firstBefore: number;
  readonly nodes: { readonly node: NodeInfo; readonly count: number }[];
  /** The nodes that no workload before has looked at. */
  readonly examined: NodeInfo[];
}

interface PlacedWorkload {
  readonly workload: AssumedWorkload;
  readonly components: PlacedComponent[];
  /** false while it is being placed, and if that was interrupted. */
  isComplete: boolean;
}

const texts = new WeakMap<AssumedWorkload, string>();

/** Returns the same text for workloads that take the same from nodes. It is made once for each object. */
function textOf(workload: AssumedWorkload): string {
  let text = texts.get(workload);
  if (text === undefined) texts.set(workload, (text = demandText(workload.components)));
  return text;
}

/** Over a connection, each question has workloads of its own, which are mostly those of the question before. */
const isSame = (a: AssumedWorkload, b: AssumedWorkload): boolean => a === b || textOf(a) === textOf(b);

/**
 * The assumed workloads of a member as they are placed on its nodes: one after the other, each replica on the first node on which it fits. The placement
 * is kept from one question to the next. A new workload is placed after the others; when one goes, or a node changes, only the workloads are placed
 * again that came after it, or have looked at the node: those before could not be placed otherwise. The results are those of `replicasOnNodes`.
 * Only one caller may update it at a time.
 */
export class AssumedNodes {
  readonly #snapshot: NodeSnapshot;
  #nodes: readonly NodeInfo[] = [];
  /** What is placed is as new as this generation of the snapshot. */
  #generation = 0;
  readonly #placed: PlacedWorkload[] = [];
  readonly #demands = new Map<string, SharedDemand>();
  readonly #remaining = new Map<NodeInfo, RemainingNode>();
  /** The index of the first placed workload that has looked at a node. */
  readonly #examinedBy = new Map<NodeInfo, number>();
  /** The nodes whose remaining amounts have changed. */
  readonly #changed = new ChangedNodes();

  constructor(snapshot: NodeSnapshot) {
    this.#snapshot = snapshot;
  }

  /** Changes with every change of what is taken from a node. */
  get version(): number {
    return this.#changed.version;
  }

  /** Returns the nodes on which something else is assumed than at a version; undefined if that is too long ago. */
  changedSince(version: number): ReadonlySet<NodeInfo> | undefined {
    return this.#changed.since(version);
  }

  /** Returns what is left of a node. */
  remainingOf(node: NodeInfo): FreeNode {
    return this.#remaining.get(node) ?? node;
  }

  /**
   * Places these workloads instead of those before. Throws if a quantity is malformed, or if a workload requests too many different things; then those
   * before it are placed, and the next call goes on from there.
   */
  *update(assumed: readonly AssumedWorkload[]): InSteps<void> {
    const { nodes, generation } = this.#snapshot;
    const kept = Math.min(this.#unconcerned(nodes), this.#sameAs(assumed));
    yield* this.#rewind(kept);
    this.#nodes = nodes;
    this.#generation = generation;
    for (const workload of assumed.slice(kept)) yield* this.#place(workload);
  }

  /** Returns how many of the placed workloads the changes of nodes do not concern. */
  #unconcerned(nodes: readonly NodeInfo[]): number {
    if (nodes !== this.#nodes) return 0;
    const changed = this.#snapshot.changedSince(this.#generation);
    if (!changed) return 0;
    let count = this.#placed.length;
    for (const node of changed) count = Math.min(count, this.#examinedBy.get(node) ?? count);
    return count;
  }

  /** Returns how many of the placed workloads are the first ones of a list. */
  #sameAs(assumed: readonly AssumedWorkload[]): number {
    const other = this.#placed.findIndex(({ workload, isComplete }, i) => {
      const wanted = assumed[i];
      return !isComplete || !wanted || !isSame(workload, wanted);
    });
    return other < 0 ? this.#placed.length : other;
  }

  /** Takes back all workloads but the first ones. */
  *#rewind(count: number): InSteps<void> {
    const strides = new Strides(256);
    while (this.#placed.length > count) {
      for (const { demand, firstBefore, nodes, examined } of (this.#placed.pop()?.components ?? []).reverse()) {
        for (const { node, count } of nodes) this.#add(node, demand.each, -count);
        for (const node of examined) this.#examinedBy.delete(node);
        demand.first = firstBefore;
        if (--demand.users === 0) this.#demands.delete(demand.text);
      }
      if (strides.isOver) yield;
    }
  }

  /** What was placed of a workload that does not fit stays, as in Karmada. */
  *#place(workload: AssumedWorkload): InSteps<void> {
    // A malformed quantity is found before anything is placed.
    const demands = workload.components
      .filter(({ replicas }) => replicas > 0)
      .map(component => ({ replicas: component.replicas, demand: this.#demandOf(component) }));
    const placed: PlacedWorkload = { workload, components: [], isComplete: false };
    this.#placed.push(placed);
    for (const { replicas, demand: made } of demands) {
      const demand = this.#demands.get(made.text) ?? made;
      this.#demands.set(demand.text, demand);
      demand.users++;
      const component: PlacedComponent = { demand, firstBefore: demand.first, nodes: [], examined: [] };
      placed.components.push(component);
      if (!(yield* this.#placeOne(component, replicas))) break;
    }
    placed.isComplete = true;
  }

  *#placeOne({ demand, nodes, examined }: PlacedComponent, replicas: number): InSteps<boolean> {
    const strides = new Strides(64);
    const by = this.#placed.length - 1;
    let left = replicas;
    for (; left > 0; demand.first++) {
      const node = this.#nodes[demand.first];
      if (!node) return false;
      if (strides.isOver) yield;
      if (!this.#examinedBy.has(node)) {
        this.#examinedBy.set(node, by);
        examined.push(node);
      }
      const count = Math.min(demand.fits(this.remainingOf(node)), left);
      if (count === 0) continue;
      left -= count;
      nodes.push({ node, count });
      this.#add(node, demand.each, count);
      if (left === 0) return true; // more may fit on this node
    }
    return true;
  }

  #demandOf({ replicaRequirements = {} }: Component): SharedDemand {
    const { nodeClaim, resourceRequest } = replicaRequirements;
    const text = JSON.stringify([nodeClaim, resourceRequest]);
    const known = this.#demands.get(text);
    if (known) return known;
    const fits = replicaFit(replicaRequirements);
    return { text, each: requestAmounts(resourceRequest), fits, first: 0, users: 0 };
  }

  #add(node: NodeInfo, each: NodeAmounts, count: number): void {
    let remaining = this.#remaining.get(node);
    if (!remaining) this.#remaining.set(node, (remaining = new RemainingNode(node)));
    remaining.add(each, count);
    if (remaining.isUnused) this.#remaining.delete(node);
    this.#changed.add(node);
  }
}
