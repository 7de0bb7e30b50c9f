import type { InSteps } from '../../lib/time-slice.js';

/** Equal nodes that follow each other in the order in which they are tried. */
export interface Nodes {
  /** The free amounts of one node, in the order of the amounts of the demands. */
  readonly free: readonly number[];
  readonly count: number;
}

/** What one component of a set needs. */
export interface Demand {
  /** At least 1. */
  readonly replicas: number;
  /** The amounts that each replica needs. At least one of them is above zero. */
  readonly each: readonly number[];
}

/**
 * Maximum number of comparisons of a demand with a node. differs: upstream compares every component of every set with every node, which takes
 * minutes for thousands of nodes.
 */
const maxComparisons = 1_000_000;

/** The number of comparisons between two steps. */
const stride = 2048;

/** Returns how often `each` fits into `free`. */
export function timesThatFits(free: readonly number[], each: readonly number[]): number {
  let fits = Infinity;
  for (const [i, amount] of each.entries()) if (amount > 0) fits = Math.min(fits, Math.floor((free[i] ?? 0) / amount));
  return fits;
}

const minus = (free: readonly number[], each: readonly number[], factor: number): number[] =>
  free.map((amount, i) => amount - (each[i] ?? 0) * factor);

const equal = (a: readonly number[], b: readonly number[]): boolean => a.every((amount, i) => amount === b[i]);

/** Orders amounts by the first one that differs. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((amount, i) => amount !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** The nodes of a cluster while sets of components are placed on them. Nodes on which nothing fits any more are dropped. */
class Packing {
  readonly #demands: readonly Demand[];
  /** The amounts that one set needs. */
  readonly #set: readonly number[];
  /** The smallest amount of each resource that a replica needs. A node without it takes no replica. */
  readonly #least: readonly number[];
  /** The demands from the smallest one on. */
  readonly #ascending: readonly Demand[];
  readonly #nodes: Nodes[] = [];
  /** The number of comparisons so far. */
  #comparisons = 0;
  #nextStep = stride;

  /** `others`: demands that are placed, too, besides those of the sets. */
  constructor(demands: readonly Demand[], others: readonly Demand[]) {
    this.#demands = demands;
    const all = [...demands, ...others];
    const [{ each } = { each: [] }] = demands;
    this.#set = each.map((_, i) => demands.reduce((sum, { each, replicas }) => sum + (each[i] ?? 0) * replicas, 0));
    this.#least = each.map((_, i) => all.reduce((least, { each }) => Math.min(least, each[i] ?? 0), Infinity));
    this.#ascending = all.toSorted((a, b) => compare(a.each, b.each));
  }

  /** Adds the nodes on which something fits, until there were as many comparisons as there may be. */
  *add(nodes: readonly Nodes[]): InSteps<void> {
    for (const each of nodes) {
      if (this.isExhausted) return;
      if (this.isStepOver) yield;
      this.#replace(this.#nodes.length, 0, [each]);
    }
  }

  /** There were as many comparisons as there may be. */
  get isExhausted(): boolean {
    return this.#comparisons >= maxComparisons;
  }

  /** Returns whether there were enough comparisons for a step, and begins the next one then. */
  get isStepOver(): boolean {
    if (this.#comparisons < this.#nextStep) return false;
    this.#nextStep = this.#comparisons + stride;
    return true;
  }

  /**
   * Places sets that fit as a whole on the first node, at most `max`: nothing of them is placed on another node. Returns their number. Equal
   * nodes on which nothing else fits afterwards are filled together.
   */
  placeOnFirst(max: number): number {
    const [first] = this.#nodes;
    if (!first) return 0;
    this.#comparisons++;
    const sets = Math.min(timesThatFits(first.free, this.#set), max);
    if (sets === 0) return 0;
    const left = minus(first.free, this.#set, sets);
    const filled = this.#takesAny(left) ? 1 : Math.min(first.count, Math.floor(max / sets));
    this.#replace(0, 1, [
      { free: left, count: filled },
      { free: first.free, count: first.count - filled },
    ]);
    return sets * filled;
  }

  /** Places one set, each replica on the first node on which it fits. Returns false if one of them fits nowhere; others may be placed then. */
  *placeOne(demands: readonly Demand[] = this.#demands): InSteps<boolean> {
    for (const demand of demands) if (!(yield* this.#place(demand))) return false;
    return true;
  }

  *#place({ replicas, each }: Demand): InSteps<boolean> {
    let left = replicas;
    let i = 0;
    while (left > 0) {
      const nodes = this.#nodes[i];
      if (!nodes || this.isExhausted) return false;
      this.#comparisons++;
      if (this.isStepOver) yield;
      const fits = timesThatFits(nodes.free, each);
      if (fits === 0) {
        i++;
        continue;
      }
      const full = Math.min(nodes.count, Math.floor(left / fits));
      const rest = full < nodes.count ? left - full * fits : 0;
      left -= full * fits + rest;
      const used = Number(rest > 0);
      i = this.#replace(i, 1, [
        { free: minus(nodes.free, each, fits), count: full },
        { free: minus(nodes.free, each, rest), count: used },
        { free: nodes.free, count: nodes.count - full - used },
      ]);
    }
    return true;
  }

  #takesAny(free: readonly number[]): boolean {
    if (timesThatFits(free, this.#least) === 0) return false;
    return this.#ascending.some(({ each }) => {
      this.#comparisons++;
      return timesThatFits(free, each) > 0;
    });
  }

  /** Replaces groups of nodes. Returns the index behind the new ones. */
  #replace(at: number, count: number, by: readonly Nodes[]): number {
    const kept: Nodes[] = [];
    let previous = this.#nodes[at - 1];
    for (const nodes of by) {
      if (nodes.count === 0 || !this.#takesAny(nodes.free)) continue;
      if (previous && equal(previous.free, nodes.free)) {
        previous = { free: nodes.free, count: previous.count + nodes.count };
        if (kept.length > 0) kept[kept.length - 1] = previous;
        else this.#nodes[at - 1] = previous;
        continue;
      }
      previous = nodes;
      kept.push(nodes);
    }
    this.#nodes.splice(at, count, ...kept);
    return at + kept.length;
  }
}

/**
 * Returns how many sets of components fit on the nodes, at most `max`. Sets are placed one after the other, each replica on the first node on which
 * it fits, and after the sets in `before`. After too many comparisons the result is the number of sets until then, or `max` if the first one was not
 * placed yet. as pkg/estimator SchedulingSimulator.SimulateScheduling
 */
export function* setsThatFit(
  nodes: readonly Nodes[],
  demands: readonly Demand[],
  max: number,
  before: readonly (readonly Demand[])[] = [],
): InSteps<number> {
  const packing = new Packing(demands, before.flat());
  yield* packing.add(nodes);
  for (const set of before) {
    yield* packing.placeOne(set);
    if (packing.isExhausted) break;
  }
  let sets = 0;
  while (sets < max && !packing.isExhausted) {
    if (packing.isStepOver) yield;
    const whole = packing.placeOnFirst(max - sets);
    sets += whole;
    if (whole > 0) continue;
    if (!(yield* packing.placeOne())) break;
    sets++;
  }
  return sets === 0 && packing.isExhausted ? max : sets;
}
