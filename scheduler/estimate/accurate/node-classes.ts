import type { ReplicaRequirements } from '../../../api/karmada/types.js';
import { type InSteps, Strides } from '../../../lib/time-slice.js';
import { maxInt32 } from '../resource-summary.js';
import type { NodeInfo } from './node-info.js';
import { replicaFit } from './node-resource.js';
import type { NodeSnapshot } from './node-snapshot.js';

/** How many replicas with the same requirements fit on each node. */
interface NodeClass {
  /** The nodes, in the order of `counts`. */
  readonly nodes: readonly NodeInfo[];
  readonly fits: (node: NodeInfo) => number;
  readonly counts: Float64Array;
  total: number;
  /** The counts are at least as new as this generation of the snapshot. */
  generation: number;
}

/** Longer requirements are not kept. */
const maxKeyLength = 16_384;
const maxClasses = 64;
/** Counts that are kept of all classes of a member together. */
const maxCounts = 50_000;
/** The number of nodes between two steps. */
const stride = 64;

/**
 * Remembers how many replicas fit on each node of a member: most workloads have the requirements of others, and between two questions only few nodes
 * change, whose counts are computed again. The results are those of `replicasOnNodes`. hot: a member may have thousands of nodes, and is asked with
 * each decision.
 */
export class NodeClasses {
  readonly #snapshot: NodeSnapshot;
  /** The one that was not used for the longest time comes first. */
  readonly #classes = new Map<string, NodeClass>();
  /** The index of each node in the list of which it is an index. */
  #indexes: { readonly nodes: readonly NodeInfo[]; readonly byNode: ReadonlyMap<NodeInfo, number> } | undefined;

  constructor(snapshot: NodeSnapshot) {
    this.#snapshot = snapshot;
  }

  get size(): number {
    return this.#classes.size;
  }

  /** Returns how many replicas fit on the nodes, each node for itself. Throws if a quantity is malformed, or if there are too many. */
  *replicas(requirements: ReplicaRequirements = {}): InSteps<number> {
    const key = JSON.stringify([requirements.nodeClaim, requirements.resourceRequest]);
    const known = this.#classes.get(key);
    const made = (known && (yield* this.#refreshed(known))) ?? (yield* this.#made(requirements));
    this.#classes.delete(key);
    if (key.length <= maxKeyLength) this.#keep(key, made);
    return Math.min(made.total, maxInt32);
  }

  *#made(requirements: ReplicaRequirements): InSteps<NodeClass> {
    const { nodes, generation } = this.#snapshot;
    const fits = replicaFit(requirements);
    const counts = new Float64Array(nodes.length);
    const strides = new Strides(stride);
    let total = 0;
    for (const [i, node] of nodes.entries()) {
      total += counts[i] = fits(node);
      if (strides.isOver) yield;
    }
    return { nodes, fits, counts, total, generation };
  }

  /** Counts the nodes that have changed; undefined if all are to be counted. Two questions may do so at the same time, a node after the other. */
  *#refreshed(known: NodeClass): InSteps<NodeClass | undefined> {
    const { nodes, generation } = this.#snapshot;
    if (known.nodes !== nodes) return undefined;
    if (known.generation === generation) return known;
    const changed = this.#snapshot.changedSince(known.generation);
    if (!changed || changed.size > nodes.length) return undefined;
    const byNode = this.#indexesOf(nodes);
    const strides = new Strides(stride);
    for (const node of changed) {
      const index = byNode.get(node);
      if (index === undefined) continue;
      const count = known.fits(node);
      known.total += count - (known.counts[index] ?? 0);
      known.counts[index] = count;
      if (strides.isOver) yield;
    }
    known.generation = Math.max(known.generation, generation);
    return known;
  }

  #indexesOf(nodes: readonly NodeInfo[]): ReadonlyMap<NodeInfo, number> {
    if (this.#indexes?.nodes !== nodes)
      this.#indexes = { nodes, byNode: new Map(nodes.map((node, index) => [node, index])) };
    return this.#indexes.byNode;
  }

  #keep(key: string, made: NodeClass): void {
    const max = Math.max(1, Math.min(maxClasses, Math.floor(maxCounts / (made.nodes.length + 1))));
    this.#classes.set(key, made);
    for (const oldest of this.#classes.keys()) {
      if (this.#classes.size <= max) break;
      this.#classes.delete(oldest);
    }
  }
}
