import { type InSteps, Strides } from '../../lib/time-slice.js';
import type { SpreadConstraint } from '../../api/karmada/types.js';
import type { Candidate } from '../interface.js';
import type { Grouping } from './grouping.js';

/** After this many looks at kinds of clusters, or at clusters, the search for a set stops. */
const maxLooks = 100_000;

/** Clusters that are in the same groups of all groupings, and so are interchangeable for the spread constraints. */
interface Kind {
  /** The group of these clusters, by the index of the grouping. */
  readonly groups: readonly string[];
  /** The clusters in order of preference. */
  readonly members: readonly Candidate[];
}

/** How many clusters or groups a spread constraint demands, and allows. */
interface Limits {
  readonly min: number;
  readonly max: number;
}

/** Returns the number of groups that a constraint demands and allows. Without a maximum all are allowed. */
export const limitsOf = ({ minGroups = 0, maxGroups = 0 }: SpreadConstraint = {}): Limits => ({
  min: minGroups,
  max: maxGroups || Infinity,
});

/** Counts how many members a set has in each group of each grouping. */
class GroupCounts {
  readonly #counts: readonly Map<string, number>[];
  readonly #limits: readonly Limits[];

  constructor(limits: readonly Limits[]) {
    this.#limits = limits;
    this.#counts = limits.map(() => new Map<string, number>());
  }

  add({ groups }: Kind, by: 1 | -1): void {
    for (const [i, counts] of this.#counts.entries()) {
      const group = groups[i] ?? '';
      const count = (counts.get(group) ?? 0) + by;
      if (count > 0) counts.set(group, count);
      else counts.delete(group);
    }
  }

  /** Reports whether one more of the kind keeps all maximums. */
  allows({ groups }: Kind): boolean {
    return this.#counts.every((counts, i) => counts.has(groups[i] ?? '') || counts.size < (this.#limits[i]?.max ?? 0));
  }

  /** Returns in how many groupings one more of the kind is a group that is missing. */
  gain({ groups }: Kind): number {
    let gain = 0;
    for (const [i, counts] of this.#counts.entries())
      if (counts.size < (this.#limits[i]?.min ?? 0) && !counts.has(groups[i] ?? '')) gain++;
    return gain;
  }

  get isEnough(): boolean {
    return this.#counts.every((counts, i) => counts.size >= (this.#limits[i]?.min ?? 0));
  }
}

function* kindsOf(all: readonly Candidate[], groupings: readonly Grouping[]): InSteps<Kind[]> {
  const kinds = new Map<string, { groups: string[]; members: Candidate[] }>();
  const strides = new Strides();
  for (const candidate of all) {
    if (strides.isOver) yield;
    const groups = groupings.map(({ groupNameOf }) => groupNameOf(candidate.cluster));
    if (!groups.every(group => group !== undefined)) continue;
    const key = JSON.stringify(groups);
    const kind = kinds.get(key);
    if (kind) kind.members.push(candidate);
    else kinds.set(key, { groups, members: [candidate] });
  }
  return [...kinds.values()];
}

interface Wanted {
  readonly groupings: readonly Grouping[];
  readonly clusters: Limits;
}

/** Selects clusters in an order: those that come first are taken if the constraints allow that. */
class Selection {
  readonly #ordered: readonly Candidate[];
  readonly #kinds: readonly Kind[];
  readonly #limits: readonly Limits[];
  readonly #clusters: Limits;
  #looks = 0;

  constructor(ordered: readonly Candidate[], kinds: readonly Kind[], { groupings, clusters }: Wanted) {
    this.#ordered = ordered;
    this.#kinds = kinds;
    this.#limits = groupings.map(({ constraint }) => limitsOf(constraint));
    this.#clusters = clusters;
  }

  /** Returns the clusters in their order; undefined if there are none, or none were found in time. */
  *find(): InSteps<Candidate[] | undefined> {
    const cover = yield* this.#coverAtOnce();
    const chosen = cover && (yield* this.#fill(cover));
    return chosen ?? (yield* this.#search([], new GroupCounts(this.#limits)));
  }

  /**
   * Returns kinds that have enough groups of each grouping, one cluster of each: first those that add the most missing groups, and of these the
   * earlier ones. It takes linear time, and may find none where there are some: a kind that is chosen early may use up a maximum.
   */
  *#coverAtOnce(): InSteps<Kind[] | undefined> {
    const counts = new GroupCounts(this.#limits);
    const chosen: Kind[] = [];
    const strides = new Strides();
    // What a kind adds only gets less, and one that a maximum forbids stays forbidden, so each is looked at once for each gain.
    for (let gain = this.#limits.length; gain > 0; gain--)
      for (const kind of this.#kinds) {
        if (strides.isOver) yield;
        if (counts.isEnough || chosen.length >= this.#clusters.max) break;
        if (counts.gain(kind) < gain || !counts.allows(kind)) continue;
        chosen.push(kind);
        counts.add(kind, 1);
      }
    return counts.isEnough ? chosen : undefined;
  }

  /** Searches depth first for kinds with enough groups and clusters. Gives up after a while. */
  *#search(chosen: Kind[], counts: GroupCounts): InSteps<Candidate[] | undefined> {
    yield;
    this.#looks += this.#kinds.length;
    if (counts.isEnough) {
      const found = yield* this.#fill(chosen);
      if (found) return found;
    }
    if (chosen.length >= this.#clusters.max) return undefined;
    const byGain: Kind[][] = [...this.#limits.map(() => []), []];
    for (const kind of this.#kinds) {
      // A set with enough groups may need others for enough clusters.
      const gain = counts.isEnough ? Number(!chosen.includes(kind)) : counts.gain(kind);
      if (gain > 0 && counts.allows(kind)) byGain[this.#limits.length - gain]?.push(kind);
    }
    for (const kind of byGain.flat()) {
      if (this.#looks > maxLooks) return undefined;
      chosen.push(kind);
      counts.add(kind, 1);
      const found = yield* this.#search(chosen, counts);
      if (found) return found;
      chosen.pop();
      counts.add(kind, -1);
    }
    return undefined;
  }

  /** Returns the first cluster of each kind, and then all others that the maximums allow; undefined if they are too few. */
  *#fill(cover: readonly Kind[]): InSteps<Candidate[] | undefined> {
    this.#looks += this.#ordered.length;
    const counts = new GroupCounts(this.#limits);
    const chosen = new Set<Candidate>();
    for (const kind of cover) {
      counts.add(kind, 1);
      chosen.add(kind.members[0] as Candidate);
    }
    const kindOf = new Map<Candidate, Kind>();
    const strides = new Strides();
    for (const kind of this.#kinds)
      for (const member of kind.members) {
        if (strides.isOver) yield;
        kindOf.set(member, kind);
      }
    for (const candidate of this.#ordered) {
      if (strides.isOver) yield;
      if (chosen.size >= this.#clusters.max) break;
      const kind = kindOf.get(candidate);
      if (!kind || chosen.has(candidate) || !counts.allows(kind)) continue;
      counts.add(kind, 1);
      chosen.add(candidate);
    }
    return chosen.size >= this.#clusters.min ? this.#ordered.filter(candidate => chosen.has(candidate)) : undefined;
  }
}

function* selectInOrder(ordered: readonly Candidate[], wanted: Wanted): InSteps<Candidate[] | undefined> {
  const kinds = yield* kindsOf(ordered, wanted.groupings);
  return yield* new Selection(ordered, kinds, wanted).find();
}

/**
 * Selects clusters by several groupings at once, in order of preference: as many as the maximums allow, with the groups that the minimums demand. If
 * `needed` replicas do not fit in them, clusters with more room come first; undefined: every cluster takes all replicas. The same clusters give the
 * same selection. A string is the reason why there is none.
 */
export function* spreadByAll(
  all: readonly Candidate[],
  wanted: Wanted,
  needed: number | undefined,
): InSteps<Candidate[] | string> {
  const names = wanted.groupings.map(({ name }) => name).join(', ');
  const preferred = yield* selectInOrder(all, wanted);
  if (!preferred) return `no clusters satisfy the spread constraints by ${names} together`;
  if (needed === undefined) return preferred;
  const roomOf = (set: readonly Candidate[]): number => set.reduce((sum, { available }) => sum + available, 0);
  if (roomOf(preferred) >= needed) return preferred;
  // The sort is stable: equal ones stay in order of preference.
  const roomiest = yield* selectInOrder(
    all.toSorted((a, b) => b.available - a.available),
    wanted,
  );
  if (!roomiest || roomOf(roomiest) < needed) return `no enough resource in clusters that are spread by ${names}`;
  const chosen = new Set(roomiest);
  return all.filter(candidate => chosen.has(candidate));
}
