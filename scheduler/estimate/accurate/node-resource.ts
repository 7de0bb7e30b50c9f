/** What the nodes of a member have free for a workload. as pkg/estimator/server/framework/plugins/noderesource */
import type { Component, NodeClaim, ReplicaRequirements, ResourceList } from '../../../api/karmada/types.js';
import { type InSteps, Strides } from '../../../lib/time-slice.js';
import type { AssumedWorkload } from '../../interface.js';
import { type Demand, type Nodes, setsThatFit, times } from '../first-fit.js';
import { maxInt32 } from '../resource-summary.js';
import { nodeAmounts, type NodeInfo } from './node-info.js';
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

/**
 * The amounts of a demand, and those that a node has free, as lists of one order: resources, the slots of pods, and then one amount for each
 * different claim, of which a node that meets the claim has as much as anything needs, and any other node nothing.
 */
class Layout {
  readonly #resources: readonly string[];
  readonly #claims: ReadonlyMap<string, NodeMatch>;

  /** Throws if a quantity is malformed. */
  constructor(components: readonly Claims[]) {
    const resources = new Set<string>();
    const claims = new Map<string, NodeMatch>();
    for (const { nodeClaim, resourceRequest } of components) {
      for (const [name, amount] of nodeAmounts(resourceRequest)) if (amount > 0) resources.add(name);
      const text = textOf(nodeClaim);
      if (!claims.has(text)) claims.set(text, nodeMatch(nodeClaim));
    }
    this.#resources = [...resources];
    this.#claims = claims;
  }

  amounts({ nodeClaim, resourceRequest }: Claims): number[] {
    const wanted = nodeAmounts(resourceRequest);
    const text = textOf(nodeClaim);
    return [
      ...this.#resources.map(name => Math.max(0, wanted.get(name) ?? 0)),
      1,
      ...[...this.#claims.keys()].map(claim => Number(claim === text)),
    ];
  }

  demand({ replicas, replicaRequirements = {} }: Component): PlacedDemand {
    const each = this.amounts(replicaRequirements);
    return { replicas, each, text: each.join() };
  }

  free(node: NodeInfo): number[] {
    return [
      ...this.#resources.map(name => node.free(name)),
      node.freePods,
      ...[...this.#claims.values()].map(matches => (matches(node) ? Infinity : 0)),
    ];
  }
}

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
    const strides = new Strides();
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
  *place(demands: readonly PlacedDemand[]): InSteps<void> {
    for (const demand of demands) if (!(yield* this.#placeOne(demand))) return;
  }

  *#placeOne({ replicas, each, text }: PlacedDemand): InSteps<boolean> {
    let left = replicas;
    let at = this.#first.get(text) ?? 0;
    for (; left > 0; at++) {
      const free = this.#free[at];
      if (!free) break;
      if (this.#strides.isOver) yield;
      const count = Math.min(times(free, each), left);
      if (count === 0) continue;
      left -= count;
      this.#free[at] = free.map((amount, i) => amount - (each[i] ?? 0) * count);
      if (left === 0) break; // more may fit on this node
    }
    this.#first.set(text, at);
    return left === 0;
  }
}

const placed = (components: readonly Component[]): Component[] => components.filter(({ replicas }) => replicas > 0);

/** Returns the free amounts of the nodes after the assumed workloads took theirs. */
function* freeNodes(
  nodes: readonly NodeInfo[],
  layout: Layout,
  assumed: readonly AssumedWorkload[],
): InSteps<readonly Nodes[]> {
  const free = yield* FreeNodes.of(nodes, layout);
  for (const { components } of assumed)
    yield* free.place(placed(components).map(component => layout.demand(component)));
  return free.list;
}

const requirementsIn = (assumed: readonly AssumedWorkload[]): Claims[] =>
  assumed.flatMap(({ components }) => components.map(({ replicaRequirements = {} }) => replicaRequirements));

/** Returns how many replicas fit on the nodes, each node for itself. Throws if a quantity is malformed. */
export function* replicasOnNodes(
  nodes: readonly NodeInfo[],
  requirements: ReplicaRequirements = {},
  assumed: readonly AssumedWorkload[] = [],
): InSteps<number> {
  const layout = new Layout([requirements, ...requirementsIn(assumed)]);
  const each = layout.amounts(requirements);
  const strides = new Strides();
  let replicas = 0;
  for (const { free } of yield* freeNodes(nodes, layout, assumed)) {
    replicas += times(free, each);
    if (strides.isOver) yield;
  }
  return Math.min(replicas, maxInt32);
}

/** Returns how many sets of components fit on the nodes. Throws if a quantity is malformed. as pkg/estimator SchedulingSimulator */
export function* setsOnNodes(
  nodes: readonly NodeInfo[],
  components: readonly Component[],
  assumed: readonly AssumedWorkload[] = [],
): InSteps<number> {
  const wanted = placed(components);
  if (wanted.length === 0) return maxInt32;
  const requirements = wanted.map(({ replicaRequirements = {} }) => replicaRequirements);
  const layout = new Layout([...requirements, ...requirementsIn(assumed)]);
  const free = yield* freeNodes(nodes, layout, assumed);
  return yield* setsThatFit(
    free,
    wanted.map(component => layout.demand(component)),
    maxInt32,
  );
}
