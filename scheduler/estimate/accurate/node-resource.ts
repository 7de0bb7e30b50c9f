/** What the nodes of a member have free for a workload. as pkg/estimator/server/framework/plugins/noderesource */
import type { Component, NodeClaim, ReplicaRequirements, ResourceList } from '../../../api/karmada/types.js';
import { atOnce, type InSteps, Strides } from '../../../lib/time-slice.js';
import type { AssumedWorkload } from '../../interface.js';
import { type Demand, type Nodes, setsThatFit, timesThatFits } from '../first-fit.js';
import { maxInt32 } from '../resource-summary.js';
import { type FreeNode, type NodeInfo, requestAmounts } from './node-info.js';
import { nodeMatch, type NodeMatch } from './node-match.js';

/** What one component needs, and the text by which equal ones are found. */
interface PlacedDemand extends Demand {
  readonly text: string;
}

interface Claims {
  readonly nodeClaim?: NodeClaim | undefined;
  readonly resourceRequest?: ResourceList | undefined;
}

const textOf = (claim: NodeClaim | undefined): string => JSON.stringify(claim ?? {});

/** Maximum number of different resources and claims of one estimate. Each node is compared by all of them. */
const maxAmounts = 1000;
/** Maximum number of amounts of all components of a set. */
const maxSetAmounts = 1_000_000;

/**
 * The amounts of a demand, and those that a node has free, as lists of one order: resources, the slots of pods, and then one amount for each
 * different claim, of which a node that meets the claim has as much as anything needs, and any other node nothing.
 */
class Layout {
  readonly #resources = new Set<string>();
  readonly #claims = new Map<string, NodeMatch>();

  /** Returns the layout of all amounts that the components need. Throws if a quantity is malformed, or if there are too many. */
  static *of(components: Iterable<Component>): InSteps<Layout> {
    const layout = new Layout();
    const strides = new Strides();
    for (const { replicaRequirements = {} } of components) {
      layout.#add(replicaRequirements);
      if (layout.size > maxAmounts) throw new Error(`there are more than ${maxAmounts} different resources and claims`);
      if (strides.isOver) yield;
    }
    return layout;
  }

  /** The number of amounts. */
  get size(): number {
    return this.#resources.size + this.#claims.size + 1;
  }

  #add({ nodeClaim, resourceRequest }: Claims): void {
    for (const [name, amount] of requestAmounts(resourceRequest)) if (amount > 0) this.#resources.add(name);
    const text = textOf(nodeClaim);
    if (!this.#claims.has(text)) this.#claims.set(text, nodeMatch(nodeClaim));
  }

  demand({ replicas, replicaRequirements: { nodeClaim, resourceRequest } = {} }: Component): PlacedDemand {
    const wanted = requestAmounts(resourceRequest);
    const claimed = textOf(nodeClaim);
    const each = [
      ...[...this.#resources].map(name => Math.max(0, wanted.get(name) ?? 0)),
      1,
      ...[...this.#claims.keys()].map(claim => Number(claim === claimed)),
    ];
    return { replicas, each, text: each.join() };
  }

  free(node: FreeNode): number[] {
    return [
      ...[...this.#resources].map(name => node.free(name)),
      node.freePods,
      ...[...this.#claims.values()].map(matches => (matches(node) ? Infinity : 0)),
    ];
  }
}

/** The number of amounts of nodes between two steps. */
const strideOfAmounts = 256;

/** The free amounts of nodes while assumed workloads are placed on them. */
class FreeNodes {
  readonly #free: number[][];
  /** The index of the first node that may take a replica, by demand: the free amounts only shrink. */
  readonly #first = new Map<string, number>();
  readonly #strides = new Strides(256);

  private constructor(free: number[][]) {
    this.#free = free;
  }

  static *of(nodes: readonly NodeInfo[], layout: Layout): InSteps<FreeNodes> {
    const strides = new Strides(Math.ceil(strideOfAmounts / layout.size));
    const free: number[][] = [];
    for (const node of nodes) {
      free.push(layout.free(node));
      if (strides.isOver) yield;
    }
    return new FreeNodes(free);
  }

  get list(): readonly Nodes[] {
    return this.#free.map(free => ({ free, count: 1 }));
  }

  /** Places a set on the first nodes on which it fits. What was placed of a set that does not fit stays, as in Karmada. */
  *place(components: readonly Component[], layout: Layout): InSteps<void> {
    for (const component of components) {
      if (component.replicas <= 0) continue;
      if (!(yield* this.#placeOne(layout.demand(component)))) return;
      if (this.#strides.isOver) yield;
    }
  }

  *#placeOne({ replicas, each, text }: PlacedDemand): InSteps<boolean> {
    let left = replicas;
    let at = this.#first.get(text) ?? 0;
    for (; left > 0; at++) {
      const free = this.#free[at];
      if (!free) break;
      if (this.#strides.isOver) yield;
      const count = Math.min(timesThatFits(free, each), left);
      if (count === 0) continue;
      left -= count;
      this.#free[at] = free.map((amount, i) => amount - (each[i] ?? 0) * count);
      if (left === 0) break; // more may fit on this node
    }
    this.#first.set(text, at);
    return left === 0;
  }
}

/** Returns the free amounts of the nodes after the assumed workloads took theirs. */
function* freeNodes(
  nodes: readonly NodeInfo[],
  layout: Layout,
  assumed: readonly AssumedWorkload[],
): InSteps<readonly Nodes[]> {
  const free = yield* FreeNodes.of(nodes, layout);
  for (const { components } of assumed) yield* free.place(components, layout);
  return free.list;
}

/** Prepares how many replicas fit on one node. Throws if a quantity is malformed, or if there are too many. */
export function replicaFit(replicaRequirements: ReplicaRequirements): (node: FreeNode) => number {
  const one: Component = { name: '', replicas: 1, replicaRequirements };
  const layout = atOnce(Layout.of([one]));
  const { each } = layout.demand(one);
  return node => timesThatFits(layout.free(node), each);
}

const componentsOf = (assumed: readonly AssumedWorkload[]): Component[] => assumed.flatMap(each => each.components);

/** Returns how many replicas fit on the nodes, each node for itself. Throws if a quantity is malformed, or if there are too many. */
export function* replicasOnNodes(
  nodes: readonly NodeInfo[],
  replicaRequirements: ReplicaRequirements = {},
  assumed: readonly AssumedWorkload[] = [],
): InSteps<number> {
  const one: Component = { name: '', replicas: 1, replicaRequirements };
  const layout = yield* Layout.of([one, ...componentsOf(assumed)]);
  const { each } = layout.demand(one);
  const strides = new Strides(Math.ceil(strideOfAmounts / layout.size));
  let replicas = 0;
  for (const { free } of yield* freeNodes(nodes, layout, assumed)) {
    replicas += timesThatFits(free, each);
    if (strides.isOver) yield;
  }
  return Math.min(replicas, maxInt32);
}

/** Returns the same text for components that need the same. */
export const demandText = (components: readonly Component[]): string =>
  JSON.stringify(
    components.map(({ replicas, replicaRequirements: { nodeClaim, resourceRequest } = {} }) => [
      ...[replicas, nodeClaim, resourceRequest],
    ]),
  );

/** What the sets of a workload need, prepared for all nodes of a member. */
interface SetShape {
  readonly demands: readonly Demand[];
  /** The number of amounts of each demand. */
  readonly size: number;
  /** Returns what a node has free, in the order of the amounts of the demands. */
  readonly free: (node: FreeNode) => readonly number[];
}

/** Prepares the demands of components with replicas, besides which `others` count. Throws if a quantity is malformed, or if there are too many. */
function* prepared(
  wanted: readonly Component[],
  others: readonly Component[],
): InSteps<{ readonly layout: Layout; readonly demands: readonly Demand[] }> {
  const layout = yield* Layout.of([...wanted, ...others]);
  if (wanted.length * layout.size > maxSetAmounts) throw new Error('the components request too many different things');
  const demands: Demand[] = [];
  const strides = new Strides(Math.ceil(strideOfAmounts / layout.size));
  for (const component of wanted) {
    demands.push(layout.demand(component));
    if (strides.isOver) yield;
  }
  return { layout, demands };
}

const withReplicas = (components: readonly Component[]): Component[] =>
  components.filter(({ replicas }) => replicas > 0);

/** Prepares sets of components. Returns undefined if they need nothing. Throws if a quantity is malformed, or if there are too many. */
export function* setShape(components: readonly Component[]): InSteps<SetShape | undefined> {
  const wanted = withReplicas(components);
  if (wanted.length === 0) return undefined;
  const { layout, demands } = yield* prepared(wanted, []);
  return { demands, size: layout.size, free: node => layout.free(node) };
}

/**
 * Returns how many sets of components fit on the nodes. Throws if a quantity is malformed, or if there are too many.
 * as pkg/estimator SchedulingSimulator
 */
export function* setsOnNodes(
  nodes: readonly NodeInfo[],
  components: readonly Component[],
  assumed: readonly AssumedWorkload[] = [],
): InSteps<number> {
  const wanted = withReplicas(components);
  if (wanted.length === 0) return maxInt32;
  const { layout, demands } = yield* prepared(wanted, componentsOf(assumed));
  const free = yield* freeNodes(nodes, layout, assumed);
  return yield* setsThatFit(free, demands, maxInt32);
}
