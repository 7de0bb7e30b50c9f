import type { Binding, BindingSpec, BindingStatus } from '../../api/karmada/types.js';
import { keyOf } from '../../client/key.js';
import type { Informer, Key } from '../../client/runtime/interface.js';
import { walk } from '../../client/runtime/walk.js';
import { isWorkload } from '../../kinds/karmada/workload.js';
import { jsonText } from '../../lib/json/json.js';
import { type ConcernInput, concernInputOf } from './concern.js';
import { maxClassText, shortJsonText } from './short-json-text.js';

/** A binding that is of a class names no more clusters. To sort fifty thousand names takes tens of milliseconds. */
const maxNames = 5_000;

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
  readonly #targets: readonly string[] | ReadonlySet<string>;
  readonly #leaving: readonly string[] | ReadonlySet<string>;

  constructor(of: BindingClass, id: string, { targets, leaving }: Names) {
    this.of = of;
    this.id = id;
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

/** Names of clusters, sorted. */
interface Names {
  readonly targets: readonly string[];
  readonly leaving: readonly string[];
}

const namesOf = ({ clusters, gracefulEvictionTasks }: BindingSpec): Names => ({
  targets: (clusters ?? []).map(({ name }) => name).sort(),
  leaving: (gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster).sort(),
});

/** Bindings that a change of a cluster concerns alike, but for their places in that cluster. */
export class BindingClass {
  readonly id: string;
  readonly isPlaced: boolean;
  readonly observed: string;
  readonly groups = new Map<string, BindingGroup>();
  /** The spec of a member, without what the others do not have. */
  readonly #spec: BindingSpec;

  constructor(id: string, { isPlaced, spec, status }: ConcernInput) {
    this.id = id;
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

/** Returns the text that the bindings of a class have in common; undefined for a long placement, and for many clusters. */
function classIdOf({ isPlaced, spec, status }: ConcernInput): string | undefined {
  if ((spec.clusters ?? []).length + (spec.gracefulEvictionTasks ?? []).length > maxNames) return undefined;
  const { apiVersion, kind } = spec.resource;
  const placement = shortJsonText(spec.placement ?? null, maxClassText);
  if (placement === undefined) return undefined;
  return `${jsonText([isPlaced, isPlaced && observedOf(spec, status), isWorkload(spec), apiVersion, kind])} ${placement}`;
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
 * placement or very many clusters is of no class.
 */
export class BindingClasses {
  readonly #accepts: (binding: Binding) => boolean;
  readonly #known = new Map<Key, Known>();
  readonly #classes = new Map<string, BindingClass>();
  readonly #alone = new Set<Key>();
  #moves: Set<Key> | undefined;

  /** `accepts` reports whether the scheduler schedules a binding. */
  constructor(accepts: (binding: Binding) => boolean) {
    this.#accepts = accepts;
  }

  /** Follows a mirror. Resolves when the bindings that it has are known: they are read in several turns of the event loop. */
  async follow(mirror: Pick<Informer<Binding>, 'onChange' | 'cached' | 'get'>): Promise<void> {
    let isReplay = true;
    // The walk may yield an object just before it changes.
    const changed = new Set<Key>();
    let isWalking = true;
    mirror.onChange(({ key, new: binding }) => {
      if (isReplay) return;
      if (isWalking) changed.add(key);
      this.set(key, binding);
    });
    isReplay = false;
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

  /** A binding has changed; undefined: it is gone. */
  set(key: Key, binding: Binding | undefined): void {
    const known = this.#known.get(key);
    if (!binding || !this.#accepts(binding)) {
      if (known) this.#remove(key, known);
      return;
    }
    const input = concernInputOf(binding);
    if (known && isUnchanged(known, binding, input)) return;
    const { uid, generation } = binding.metadata;
    const group = this.#groupFor(input);
    if (known && (!group || known.group !== group)) this.#remove(key, known);
    if (group) group.members.add(key);
    else this.#alone.add(key);
    this.#known.set(key, { uid, generation, group });
    this.#moves?.add(key);
  }

  #groupFor(input: ConcernInput): BindingGroup | undefined {
    const classId = classIdOf(input);
    if (classId === undefined) return undefined;
    let of = this.#classes.get(classId);
    if (!of) this.#classes.set(classId, (of = new BindingClass(classId, input)));
    const names = namesOf(input.spec);
    const id = JSON.stringify([names.targets, names.leaving]);
    let group = of.groups.get(id);
    if (!group) of.groups.set(id, (group = new BindingGroup(of, id, names)));
    return group;
  }

  #remove(key: Key, { group }: Known): void {
    this.#known.delete(key);
    this.#alone.delete(key);
    if (!group) return;
    group.members.delete(key);
    if (group.members.size > 0) return;
    group.of.groups.delete(group.id);
    if (group.of.groups.size === 0) this.#classes.delete(group.of.id);
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
