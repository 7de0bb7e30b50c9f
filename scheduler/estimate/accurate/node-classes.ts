import type { Component, ReplicaRequirements } from '../../../api/karmada/types.js';
import { type InSteps, Strides } from '../../../lib/time-slice.js';
import type { AssumedWorkload } from '../../interface.js';
import { setsThatFit } from '../first-fit.js';
import { maxInt32 } from '../resource-summary.js';
import { AssumedNodes } from './assumed-nodes.js';
import type { FreeNode, NodeInfo } from './node-info.js';
import { demandText, replicaFit, replicasOnNodes, setShape, setsOnNodes } from './node-resource.js';
import type { NodeSnapshot } from './node-snapshot.js';

/** How an estimate is made of what is found on each node. */
interface ClassShape<T> {
  readonly look: (node: FreeNode) => T;
  readonly result: (found: readonly T[]) => InSteps<number>;
  /** The number of amounts that are found on a node. */
  readonly size: number;
}

/** Estimates for the same requirements: what was found on each node, and the result. */
interface NodeClass {
  /** The number of amounts that are kept. */
  readonly weight: number;
  readonly count: (state: ClassState) => InSteps<number>;
}

/** The nodes as they are now. */
interface ClassState {
  readonly snapshot: NodeSnapshot;
  readonly assumed: AssumedNodes;
  readonly indexes: (nodes: readonly NodeInfo[]) => ReadonlyMap<NodeInfo, number>;
}

/** Longer requirements are not kept. */
const maxKeyLength = 16_384;
const maxClasses = 64;
/** Amounts that are kept of all classes of a member together. */
const maxAmounts = 50_000;
/** More assumed workloads are placed for each estimate anew. */
const maxAssumed = 10_000;
/** The number of nodes between two steps. */
const stride = 64;
/** The number of additions between two steps. */
const strideOfSums = 16_384;

class KeptClass<T> implements NodeClass {
  readonly #shape: ClassShape<T>;
  /** The nodes, in the order of `#found`. */
  #nodes: readonly NodeInfo[] = [];
  #found: T[] = [];
  /** What was found is at least as new as this generation of the snapshot. */
  #generation = 0;
  /** The version of the assumed workloads beside which it was found. */
  #version = 0;
  /** The result; undefined if something else was found since. */
  #result: number | undefined;

  constructor(shape: ClassShape<T>) {
    this.#shape = shape;
  }

  get weight(): number {
    return (this.#nodes.length + 1) * this.#shape.size;
  }

  /** Looks at the nodes that have changed. */
  *count({ snapshot, assumed, indexes }: ClassState): InSteps<number> {
    const { nodes, generation } = snapshot;
    const { version } = assumed;
    const changed = this.#changed(snapshot, assumed);
    if (!changed) yield* this.#lookAtAll(nodes, assumed);
    else if (changed.length > 0) yield* this.#lookAt(changed, indexes(nodes), assumed);
    this.#generation = generation;
    this.#version = version;
    return (this.#result ??= yield* this.#shape.result(this.#found));
  }

  /** Returns the nodes that have changed since the last estimate; undefined if all are to be looked at. */
  #changed(snapshot: NodeSnapshot, assumed: AssumedNodes): readonly NodeInfo[] | undefined {
    if (snapshot.nodes !== this.#nodes) return undefined;
    const own = snapshot.changedSince(this.#generation);
    const others = assumed.changedSince(this.#version);
    if (!own || !others) return undefined;
    const all = [...new Set([...own, ...others])];
    return all.length > this.#nodes.length ? undefined : all;
  }

  *#lookAtAll(nodes: readonly NodeInfo[], assumed: AssumedNodes): InSteps<void> {
    const found: T[] = [];
    const strides = new Strides(stride);
    for (const node of nodes) {
      found.push(this.#shape.look(assumed.remainingOf(node)));
      if (strides.isOver) yield;
    }
    this.#nodes = nodes;
    this.#found = found;
    this.#result = undefined;
  }

  *#lookAt(changed: readonly NodeInfo[], indexes: ReadonlyMap<NodeInfo, number>, assumed: AssumedNodes): InSteps<void> {
    this.#result = undefined;
    const strides = new Strides(stride);
    for (const node of changed) {
      const index = indexes.get(node);
      if (index === undefined) continue;
      this.#found[index] = this.#shape.look(assumed.remainingOf(node));
      if (strides.isOver) yield;
    }
  }
}

function* sumOf(counts: readonly number[]): InSteps<number> {
  const strides = new Strides(strideOfSums);
  let sum = 0;
  for (const count of counts) {
    sum += count;
    if (strides.isOver) yield;
  }
  return Math.min(sum, maxInt32);
}

const replicaClass = (requirements: ReplicaRequirements): NodeClass =>
  new KeptClass<number>({ look: replicaFit(requirements), result: sumOf, size: 1 });

/** Returns undefined for sets that need nothing. */
function* setClass(components: readonly Component[]): InSteps<NodeClass | undefined> {
  const shape = yield* setShape(components);
  if (!shape) return undefined;
  const { demands, free: look, size } = shape;
  const result = (found: readonly (readonly number[])[]): InSteps<number> =>
    setsThatFit(
      found.map(free => ({ free, count: 1 })),
      demands,
      maxInt32,
    );
  return new KeptClass<readonly number[]>({ look, result, size });
}

/**
 * Remembers what each node of a member has for workloads: most workloads have the requirements of others, and between two questions only few nodes
 * change, or are given assumed workloads, and are looked at again. The results are those of `replicasOnNodes` and `setsOnNodes`.
 * hot: a member may have thousands of nodes, and is asked with each decision.
 */
export class NodeClasses {
  readonly #snapshot: NodeSnapshot;
  readonly #assumed: AssumedNodes;
  /** The one that was not used for the longest time comes first. */
  readonly #classes = new Map<string, NodeClass>();
  /** The index of each node in the list of which it is an index. */
  #indexes: { readonly nodes: readonly NodeInfo[]; readonly byNode: ReadonlyMap<NodeInfo, number> } | undefined;
  /** An estimate is under way. Between its steps, no other one may place other assumed workloads. */
  #isBusy = false;

  constructor(snapshot: NodeSnapshot) {
    this.#snapshot = snapshot;
    this.#assumed = new AssumedNodes(snapshot);
  }

  get size(): number {
    return this.#classes.size;
  }

  /**
   * Returns how many replicas fit on the nodes beside the assumed workloads, each node for itself. Throws if a quantity is malformed, or if there are
   * too many.
   */
  *replicas(requirements: ReplicaRequirements = {}, assumed: readonly AssumedWorkload[] = []): InSteps<number> {
    if (this.#isBusy || assumed.length > maxAssumed)
      return yield* replicasOnNodes(this.#snapshot.nodes, requirements, assumed);
    const key = JSON.stringify([requirements.nodeClaim, requirements.resourceRequest]);
    return yield* this.#alone(this.#estimate(key, assumed, () => replicaClass(requirements)));
  }

  /** Returns how many sets of components fit on the nodes beside the assumed workloads. Throws as `replicas` does. */
  *sets(components: readonly Component[], assumed: readonly AssumedWorkload[] = []): InSteps<number> {
    const key = `sets${demandText(components)}`;
    const made = this.#classes.get(key) ?? (yield* setClass(components));
    if (!made) return maxInt32;
    return yield* this.#isBusy || assumed.length > maxAssumed
      ? setsOnNodes(this.#snapshot.nodes, components, assumed)
      : this.#alone(this.#estimate(key, assumed, () => made));
  }

  *#alone(estimate: InSteps<number>): InSteps<number> {
    this.#isBusy = true;
    try {
      return yield* estimate;
    } finally {
      this.#isBusy = false;
    }
  }

  *#estimate(key: string, assumed: readonly AssumedWorkload[], make: () => NodeClass): InSteps<number> {
    yield* this.#assumed.update(assumed);
    const made = this.#classes.get(key) ?? make();
    const indexes = (nodes: readonly NodeInfo[]) => this.#indexesOf(nodes);
    const count = yield* made.count({ snapshot: this.#snapshot, assumed: this.#assumed, indexes });
    this.#classes.delete(key);
    if (key.length <= maxKeyLength) this.#keep(key, made);
    return count;
  }

  #indexesOf(nodes: readonly NodeInfo[]): ReadonlyMap<NodeInfo, number> {
    if (this.#indexes?.nodes !== nodes)
      this.#indexes = { nodes, byNode: new Map(nodes.map((node, index) => [node, index])) };
    return this.#indexes.byNode;
  }

  #keep(key: string, made: NodeClass): void {
    this.#classes.set(key, made);
    let amounts = 0;
    for (const { weight } of this.#classes.values()) amounts += weight;
    for (const [oldest, { weight }] of this.#classes) {
      if (this.#classes.size === 1 || (this.#classes.size <= maxClasses && amounts <= maxAmounts)) break;
      amounts -= weight;
      this.#classes.delete(oldest);
    }
  }
}
