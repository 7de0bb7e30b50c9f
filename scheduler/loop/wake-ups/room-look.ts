import type { Key } from '../../../client/runtime/interface.js';
import type { Binding, Cluster, ReplicaRequirements } from '../../../api/karmada/types.js';
import { WalkPauses } from '../../../lib/time-slice.js';
import { type BindingClass, type BindingClasses, type BindingGroup, places } from './binding-classes.js';

/** A cluster before and after it has reported other resources. */
export interface RoomChange {
  readonly before: Cluster;
  readonly now: Cluster;
}

/** What bindings that wait ask of a cluster, besides what their class asks. Those that ask the same share it. */
export interface RoomNeeds {
  readonly id: string;
  readonly requirements: ReplicaRequirements | undefined;
  /** A set of components is estimated as a whole. */
  readonly hasComponents: boolean;
  /** The number of bindings. */
  members: number;
}

/** What decides whether a cluster has more room for a binding. */
export type RoomInput = Pick<Binding, 'spec' | 'status'>;

export interface RoomDeps {
  /** Parses a binding, if it exists. */
  readonly get: (key: Key) => Binding | undefined;
  /** The classes and the targets of bindings, which are known without parsing them. */
  readonly classes?: Pick<BindingClasses, 'groupOf' | 'settle'>;
  /** Reports whether the replicas of the binding find more room in a cluster than in its earlier state. */
  readonly hasMoreRoom: (input: RoomInput, before: Cluster, now: Cluster) => boolean;
}

/** Classes with different needs whose results are kept during a look. */
const maxKnown = 1_000;
/** Groups whose results are kept during a look. */
const maxAnswers = 100_000;

/** What is known of the bindings of one class that need the same. */
interface Known {
  /** By change: a bit for each of `places` that was judged, and four bits higher whether there is more room for it. */
  readonly bits: Uint8Array;
  /** Whether the members of a group find more room. */
  readonly answers: Map<BindingGroup, boolean>;
}

/** What is judged: whether a change helps the members of a group. */
interface Judgement {
  readonly group: BindingGroup;
  readonly needs: RoomNeeds;
  readonly change: RoomChange;
  readonly index: number;
  /** Absent: the result is not kept. */
  readonly bits: Uint8Array | undefined;
}

/**
 * One look at the clusters that have reported other resources, for all bindings that wait for room. A cluster is judged once for each class of bindings
 * and their place in it: most of thousands that wait are of a few classes, whatever their targets are, and none of them is parsed. One with a long
 * placement is parsed by the first look.
 */
export class RoomLook {
  /** Divides all searches, and the walk over the bindings that calls them. */
  readonly pauses = new WalkPauses();
  readonly #deps: RoomDeps;
  readonly #changes: readonly RoomChange[];
  readonly #known = new Map<RoomNeeds, Map<BindingClass, Known>>();
  #knownCount = 0;
  #answerCount = 0;

  constructor(deps: RoomDeps, changes: readonly RoomChange[]) {
    this.#deps = deps;
    this.#changes = changes;
  }

  /** Returns whether a binding finds more room in some cluster. `needs`: undefined for one that is looked at by itself. */
  async finds(key: Key, needs: RoomNeeds | undefined): Promise<boolean> {
    if (this.#changes.length === 0) return false;
    const group = needs && this.#deps.classes?.groupOf(key);
    return group ? this.#findsInGroup(group, needs) : this.#findsAlone(key, needs);
  }

  async #findsInGroup(group: BindingGroup, needs: RoomNeeds): Promise<boolean> {
    const known = this.#knownFor(group.of, needs);
    const before = known?.answers.get(group);
    if (before !== undefined) return before;
    const found = await this.#search((i, change) =>
      this.#hasRoom({ group, needs, change, bits: known?.bits, index: i }),
    );
    if (known && this.#answerCount++ < maxAnswers) known.answers.set(group, found);
    return found;
  }

  async #findsAlone(key: Key, needs: RoomNeeds | undefined): Promise<boolean> {
    const binding = this.#deps.get(key);
    if (!binding) return false;
    const group = needs && this.#deps.classes?.settle(key, binding);
    if (group) return this.#findsInGroup(group, needs);
    return this.#search((_, { before, now }) => this.#deps.hasMoreRoom(binding, before, now));
  }

  async #search(hasRoom: (index: number, change: RoomChange) => boolean): Promise<boolean> {
    for (const [i, change] of this.#changes.entries()) {
      if (hasRoom(i, change)) return true;
      const pause = this.pauses.next();
      if (pause) await pause;
    }
    return false;
  }

  /** Returns what is known of a class; undefined if too many are known. */
  #knownFor(of: BindingClass, needs: RoomNeeds): Known | undefined {
    let classes = this.#known.get(needs);
    if (!classes) this.#known.set(needs, (classes = new Map<BindingClass, Known>()));
    let known = classes.get(of);
    if (known || this.#knownCount >= maxKnown) return known;
    known = { bits: new Uint8Array(this.#changes.length), answers: new Map() };
    classes.set(of, known);
    this.#knownCount++;
    return known;
  }

  #hasRoom({ group, needs, change: { before, now }, bits, index }: Judgement): boolean {
    const name = now.metadata.name ?? '';
    const place = group.placeIn(name);
    const bit = 1 << place;
    const known = bits?.[index] ?? 0;
    if ((known & bit) !== 0) return (known & (bit << places.length)) !== 0;
    const found = this.#deps.hasMoreRoom(inputOf(group.of, needs, name, place), before, now);
    if (bits) bits[index] = known | bit | (found ? bit << places.length : 0);
    return found;
  }
}

/** Returns what decides about the room of the members of a class with a place in a cluster. */
function inputOf(of: BindingClass, needs: RoomNeeds, cluster: string, place: number): RoomInput {
  const { spec, status } = of.inputIn(cluster, places[place] as (typeof places)[number]);
  const { requirements, hasComponents } = needs;
  return {
    spec: {
      ...spec,
      ...(requirements && { replicaRequirements: requirements }),
      ...(hasComponents && { components: [{ name: '', replicas: 1 }] }),
    },
    status,
  };
}
