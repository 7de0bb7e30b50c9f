import type { Binding, BindingSpec, BindingStatus } from '../../../api/karmada/types.js';
import { keyOf } from '../../../client/key.js';
import type { Informer, Key } from '../../../client/runtime/interface.js';
import { walk } from '../../../client/runtime/mirrors/walk.js';
import { isWorkload } from '../../../kinds/karmada/workload.js';
import { jsonText } from '../../../lib/json/json.js';
import { type ConcernInput, concernInputOf } from './concern.js';
import { maxClassText, shortJsonText, textOrDigest } from './short-json-text.js';

/** Lists with more names are not sorted: to sort fifty thousand takes tens of milliseconds. */
const maxNames = 5_000;

/** Characters of long placements and of the names in long lists that are held together. In memory they take a few times as much. */
const maxHeldText = 16 * 1024 * 1024;

/** Lists of names that are searched one by one. */
const shortList = 8;

/** How the members of a class differ in one cluster: they target it, or they are being evicted from it. */
export const places: readonly Place[] = [
  { isTarget: false, isLeaving: false },
  { isTarget: true, isLeaving: false },
  { isTarget: false, isLeaving: true },
  { isTarget: true, isLeaving: true },
];

interface Place {
  readonly isTarget: boolean;
  readonly isLeaving: boolean;
}

/** The members of a class that target the same clusters, and are being evicted from the same ones. */
export class BindingGroup {
  readonly of: BindingClass;
  /** Identifies the group within its class. */
  readonly id: string;
  readonly members = new Set<Key>();
  /** Characters that count for the limit. */
  readonly held: number;
  readonly #targets: readonly string[] | ReadonlySet<string>;
  readonly #leaving: readonly string[] | ReadonlySet<string>;

  constructor(of: BindingClass, { id, held }: Identity, { targets, leaving }: Names) {
    this.of = of;
    this.id = id;
    this.held = held;
    this.#targets = targets.length > shortList ? new Set(targets) : targets;
    this.#leaving = leaving.length > shortList ? new Set(leaving) : leaving;
  }

  /** Returns the index in `places` of what the members have in a cluster. */
  placeIn(cluster: string): number {
    return (has(this.#targets, cluster) ? 1 : 0) + (has(this.#leaving, cluster) ? 2 : 0);
  }
}

const has = (names: readonly string[] | ReadonlySet<string>, name: string): boolean =>
  'has' in names ? names.has(name) : names.includes(name);

/** What members have in common, as a text. */
interface Identity {
  readonly id: string;
  /** Characters of what is held for them, if those are many. */
  readonly held: number;
}

/** Names of clusters: sorted unless they are very many. */
interface Names {
  readonly targets: readonly string[];
  readonly leaving: readonly string[];
}

const countNames = ({ clusters, gracefulEvictionTasks }: BindingSpec): number =>
  (clusters ?? []).length + (gracefulEvictionTasks ?? []).length;

function namesOf(spec: BindingSpec): Names {
  const targets = (spec.clusters ?? []).map(({ name }) => name);
  const leaving = (spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster);
  return countNames(spec) > maxNames ? { targets, leaving } : { targets: targets.sort(), leaving: leaving.sort() };
}

function groupIdentityOf(spec: BindingSpec, { targets, leaving }: Names): Identity {
  const text = JSON.stringify([targets, leaving]);
  return countNames(spec) > maxNames ? { id: textOrDigest(text), held: text.length } : { id: text, held: 0 };
}

/** Bindings that a change of a cluster concerns alike, but for their places in that cluster. */
export class BindingClass {
  readonly id: string;
  /** Characters that count for the limit. */
  readonly held: number;
  readonly isPlaced: boolean;
  readonly observed: string;
  readonly groups = new Map<string, BindingGroup>();
  /** The spec of a member, without what the others do not have. */
  readonly #spec: BindingSpec;

  constructor({ id, held }: Identity, { isPlaced, spec, status }: ConcernInput) {
    this.id = id;
    this.held = held;
    this.isPlaced = isPlaced;
    this.observed = observedOf(spec, status);
    const { apiVersion, kind } = spec.resource;
    this.#spec = {
      resource: { apiVersion, kind, name: '' },
      ...(isWorkload(spec) && { replicas: 1 }),
      ...(spec.placement && { placement: spec.placement }),
    };
  }

  /** Returns what decides for the members with a place in a cluster. */
  inputIn(cluster: string, { isTarget, isLeaving }: Place): ConcernInput {
    const spec = {
      ...this.#spec,
      ...(isTarget && { clusters: [{ name: cluster }] }),
      ...(isLeaving && { gracefulEvictionTasks: [{ fromCluster: cluster, reason: '', producer: '' }] }),
    };
    return { isPlaced: this.isPlaced, spec, status: { schedulerObservingAffinityName: this.observed } };
  }
}

/** Returns the name of the term of clusterAffinities by which a binding was placed; '' for a placement without terms. */
const observedOf = (
  { placement }: BindingSpec,
  { schedulerObservingAffinityName: name = '' }: BindingStatus,
): string => (placement?.clusterAffinities ? name : '');

/** Returns the text of a placement if that takes little time; undefined for a long one, and for very many clusters. */
const shortTextOf = (spec: BindingSpec): string | undefined =>
  countNames(spec) > maxNames ? undefined : shortJsonText(spec.placement ?? null, maxClassText);

/** Returns what the bindings of a class have in common. `placement` is the text of their placement. */
function classIdentityOf({ isPlaced, spec, status }: ConcernInput, placement: string): Identity {
  const { apiVersion, kind } = spec.resource;
  const rest = jsonText([isPlaced, isPlaced && observedOf(spec, status), isWorkload(spec), apiVersion, kind]);
  const held = placement.length > maxClassText ? placement.length : 0;
  return { id: `${rest} ${textOrDigest(placement)}`, held };
}

/** What is known of a binding. */
interface Known {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  /** undefined: the binding is of no class. */
  readonly group: BindingGroup | undefined;
}

/**
 * The bindings that the scheduler schedules, by what decides whether a change of a cluster concerns them. A change is looked at once for each class,
 * and only the members of a class that it may concern are looked at, without parsing them. The placement is kept once for a class, and the names of
 * clusters once for a group, which bindings with different targets do not share; a binding by itself takes an entry in two tables. A binding with a long
 * placement or very many clusters is of no class until it is looked at.
 */
export class BindingClasses {
  readonly #accepts: (binding: Binding) => boolean;
  readonly #known = new Map<Key, Known>();
  readonly #classes = new Map<string, BindingClass>();
  readonly #alone = new Set<Key>();
  readonly #maxHeldText: number;
  #heldText = 0;
  #moves: Set<Key> | undefined;

  /** `accepts` reports whether the scheduler schedules a binding. */
  constructor(accepts: (binding: Binding) => boolean, limits: { readonly maxHeldText?: number } = {}) {
    this.#accepts = accepts;
    this.#maxHeldText = limits.maxHeldText ?? maxHeldText;
  }

  /** Follows a mirror. Resolves when the bindings that it has are known: they are read in several turns of the event loop. */
  async follow(mirror: Pick<Informer<Binding>, 'onLaterChange' | 'cached' | 'get'>): Promise<void> {
    // The walk may yield an object just before it changes.
    const changed = new Set<Key>();
    let isWalking = true;
    mirror.onLaterChange(({ key, new: binding }) => {
      if (isWalking) changed.add(key);
      this.set(key, binding);
    });
    for await (const binding of walk(mirror)) {
      const key = keyOf(binding);
      if (!changed.has(key)) this.set(key, binding);
    }
    isWalking = false;
    changed.clear();
  }

  get classes(): Iterable<BindingClass> {
    return this.#classes.values();
  }

  /** The bindings that are of no class. */
  get alone(): ReadonlySet<Key> {
    return this.#alone;
  }

  groupOf(key: Key): BindingGroup | undefined {
    return this.#known.get(key)?.group;
  }

  /** Returns a set to which the bindings are added that come or change their class from now on, until the next call of this or `endMoves`. */
  collectMoves(): ReadonlySet<Key> {
    return (this.#moves = new Set());
  }

  endMoves(): void {
    this.#moves = undefined;
  }

  /** Applies a change of a binding; undefined: it is gone. */
  set(key: Key, binding: Binding | undefined): void {
    const known = this.#known.get(key);
    if (!binding || !this.#accepts(binding)) {
      if (known) this.#remove(key, known);
      return;
    }
    const input = concernInputOf(binding);
    if (known && isUnchanged(known, binding, input)) return;
    const { uid, generation } = binding.metadata;
    const placement = shortTextOf(input.spec);
    const group = placement === undefined ? undefined : this.#groupFor(input, placement);
    if (known && (!group || known.group !== group)) this.#remove(key, known);
    if (group) group.members.add(key);
    else this.#alone.add(key);
    this.#known.set(key, { uid, generation, group });
    this.#moves?.add(key);
  }

  /**
   * Finds the group of a binding that is of no class, for a caller that has parsed it in order to look at it. To write its texts takes about as long as
   * to parse it, so it is not done before, but the next look does not parse it. Returns undefined if too much text is held.
   */
  settle(key: Key, binding: Binding): BindingGroup | undefined {
    const known = this.#known.get(key);
    const input = concernInputOf(binding);
    if (!known || known.group || !isUnchanged(known, binding, input)) return known?.group;
    const group = this.#groupFor(input, jsonText(input.spec.placement ?? null));
    if (!group) return undefined;
    this.#alone.delete(key);
    group.members.add(key);
    this.#known.set(key, { ...known, group });
    this.#moves?.add(key);
    return group;
  }

  /** Returns the group of bindings with the text of a placement; undefined if it would hold too much text. */
  #groupFor(input: ConcernInput, placement: string): BindingGroup | undefined {
    const ofClass = classIdentityOf(input, placement);
    const names = namesOf(input.spec);
    const ofGroup = groupIdentityOf(input.spec, names);
    const known = this.#classes.get(ofClass.id);
    const member = known?.groups.get(ofGroup.id);
    if (member) return member;
    const held = ofGroup.held + (known ? 0 : ofClass.held);
    if (held > 0 && this.#heldText + held > this.#maxHeldText) return undefined;
    this.#heldText += held;
    const of = known ?? new BindingClass(ofClass, input);
    const group = new BindingGroup(of, ofGroup, names);
    this.#classes.set(of.id, of);
    of.groups.set(group.id, group);
    return group;
  }

  #remove(key: Key, { group }: Known): void {
    this.#known.delete(key);
    this.#alone.delete(key);
    if (!group) return;
    group.members.delete(key);
    if (group.members.size > 0) return;
    group.of.groups.delete(group.id);
    this.#heldText -= group.held;
    if (group.of.groups.size > 0) return;
    this.#classes.delete(group.of.id);
    this.#heldText -= group.of.held;
  }
}

/** Reports whether a binding has the spec and the class that are known. Most changes are such: of the status of its resources. */
function isUnchanged(
  { uid, generation, group }: Known,
  { metadata }: Binding,
  { isPlaced, spec, status }: ConcernInput,
): boolean {
  if (generation === undefined || generation !== metadata.generation || uid !== metadata.uid) return false;
  return !group || (group.of.isPlaced === isPlaced && (!isPlaced || group.of.observed === observedOf(spec, status)));
}
