import type { Key } from '../../../client/runtime/interface.js';
import { type InSteps, inTimeSlices, WalkPauses } from '../../../lib/time-slice.js';
import { deepEqual } from '../../../lib/json/equality.js';
import type { Binding, Cluster } from '../../../api/karmada/types.js';
import { type BindingClass, type BindingClasses, type BindingGroup, places } from './binding-classes.js';
import { type ClusterHistory, type ConcernInput, concernInputOf } from './concern.js';

/** States of one cluster that are kept apart until the bindings are checked. Later ones replace the last one. */
const maxStates = 8;

/** Reports whether a change of a cluster may change a decision, besides its resources. as pkg/scheduler Scheduler.updateCluster */
function isRelevant(old: Cluster, cluster: Cluster): boolean {
  const terminates = !old.metadata.deletionTimestamp && cluster.metadata.deletionTimestamp;
  if (terminates || old.metadata.generation !== cluster.metadata.generation) return true;
  if (!deepEqual(old.metadata.labels, cluster.metadata.labels)) return true;
  // differs: Karmada leaves bindings that wait for a kind in its unschedulable queue, for minutes.
  return !deepEqual(old.status?.apiEnablements, cluster.status?.apiEnablements);
}

interface Deps {
  readonly classes: BindingClasses;
  /** Resolves when the bindings that exist are in `classes`. */
  readonly loaded: Promise<unknown>;
  /** Parses a binding, if it exists. */
  readonly read: (key: Key) => Binding | undefined;
  readonly concerns: (history: ClusterHistory, input: ConcernInput) => InSteps<boolean>;
  /** Reports whether the cluster has begun to serve the kind, which matters for bindings that were placed a moment ago. */
  readonly offersKind: (history: ClusterHistory, input: ConcernInput) => InSteps<boolean>;
  readonly wasJustPlaced: (key: Key) => boolean;
  /** Called at most once for each binding and walk. `isOvertaken`: it was placed a moment ago, and the cluster has begun to serve its kind since. */
  readonly found: (binding: Binding, isOvertaken: boolean) => void;
  readonly signal: AbortSignal;
}

/**
 * Finds the bindings that changes of clusters concern. There is one walk through the classes of bindings at a time, for all clusters that have changed
 * until it began. So what waits is limited by the number of clusters, and only the bindings that are found are parsed.
 */
export class ClusterChanges {
  readonly #deps: Deps;
  /** The states of clusters that have changed, the oldest first. */
  #pending = new Map<Key, Cluster[]>();
  #walking = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get isWalking(): boolean {
    return this.#walking;
  }

  /** Takes a change of a cluster, and starts a walk over the bindings unless one is under way: then the next one covers it. */
  changed(old: Cluster, cluster: Cluster): void {
    if (!isRelevant(old, cluster)) return;
    const name = cluster.metadata.name ?? '';
    const known = this.#pending.get(name);
    if (known) {
      if (known.length >= maxStates) known.pop();
      known.push(cluster);
    } else this.#pending.set(name, [old, cluster]);
    if (!this.#walking) void this.#walk();
  }

  async #walk(): Promise<void> {
    this.#walking = true;
    try {
      await this.#deps.loaded;
      while (this.#pending.size > 0 && !this.#deps.signal.aborted) {
        const histories = [...this.#pending.values()].map(states => ({ states }));
        this.#pending = new Map();
        await new Walk(this.#deps, histories).run();
      }
    } finally {
      this.#walking = false;
    }
  }
}

/** What the change of one cluster means for the members of a class: a bit for each of `places` that was judged. */
interface Effect {
  readonly cluster: string;
  readonly concerned: number;
  readonly offered: number;
}

/** The changes that may concern some members of a class. */
interface Judgement {
  readonly effects: readonly Effect[];
  /** The groups whose places were judged; undefined: all places were. */
  readonly groups: ReadonlySet<BindingGroup> | undefined;
}

/** All places are judged for a class with more groups, instead of finding out which of them have members. */
const fewGroups = 8;

/** Effects that a walk remembers, of all classes together. */
const maxEffects = 100_000;

/** Finds the bindings that some changes concern. */
class Walk {
  readonly #deps: Deps;
  readonly #histories: readonly ClusterHistory[];
  readonly #found = new Set<Key>();
  readonly #judgements = new Map<BindingClass, Judgement>();
  #effectCount = 0;
  readonly #pauses = new WalkPauses();

  constructor(deps: Deps, histories: readonly ClusterHistory[]) {
    this.#deps = deps;
    this.#histories = histories;
  }

  async run(): Promise<void> {
    const { classes } = this.#deps;
    const moves = classes.collectMoves();
    try {
      for (const of of [...classes.classes]) {
        if (this.#isOver) return;
        // A binding that joins a group meanwhile has moved.
        const groups = [...of.groups.values()];
        const { effects } = await this.#judge(of);
        if (effects.length > 0) for (const group of groups) await this.#findIn(group, effects);
      }
      for (const key of [...classes.alone]) await this.#findAlone(key);
      // A binding whose class has changed may have left a class before its turn, and joined one whose turn is over.
      for (const key of moves) {
        if (this.#isOver) return;
        await this.#findMoved(key);
      }
    } finally {
      classes.endMoves();
    }
  }

  get #isOver(): boolean {
    return this.#deps.signal.aborted;
  }

  /** Returns the changes that concern the members of a group, at least. */
  async #effectsOn(group: BindingGroup): Promise<readonly Effect[]> {
    const known = this.#judgements.get(group.of);
    if (known && (known.groups?.has(group) ?? true)) return known.effects;
    return (await this.#judge(group.of)).effects;
  }

  /** Returns the changes that may concern some members that a class has now. */
  async #judge(of: BindingClass): Promise<Judgement> {
    const groups = of.groups.size > fewGroups ? undefined : new Set(of.groups.values());
    const effects: Effect[] = [];
    for (const history of this.#histories) {
      const found = inTimeSlices(this.#effectOf(history, of, groups));
      const effect = found instanceof Promise ? await found : found;
      if ((effect.concerned | effect.offered) !== 0) effects.push(effect);
      await this.#pauses.next();
    }
    const judgement = { effects, groups };
    const count = this.#effectCount + effects.length - (this.#judgements.get(of)?.effects.length ?? 0);
    if (count > maxEffects) return judgement;
    this.#judgements.set(of, judgement);
    this.#effectCount = count;
    return judgement;
  }

  *#effectOf(history: ClusterHistory, of: BindingClass, groups: Judgement['groups']): InSteps<Effect> {
    const cluster = history.states[0]?.metadata.name ?? '';
    const judged = groups && new Set([...groups].map(group => group.placeIn(cluster)));
    let [concerned, offered] = [0, 0];
    for (const [i, place] of places.entries()) {
      if (judged?.has(i) === false) continue;
      const input = of.inputIn(cluster, place);
      if (yield* this.#deps.concerns(history, input)) concerned |= 1 << i;
      if (yield* this.#deps.offersKind(history, input)) offered |= 1 << i;
    }
    return { cluster, concerned, offered };
  }

  async #findIn(group: BindingGroup, effects: readonly Effect[]): Promise<void> {
    const { isConcerned, isOffered } = inGroup(group, effects);
    await this.#pauses.next();
    if (!isConcerned && !isOffered) return;
    for (const key of group.members) {
      if (this.#isOver) return;
      this.#find(key, isConcerned, isOffered);
      await this.#pauses.next();
    }
  }

  #find(key: Key, isConcerned: boolean, isOffered: boolean): void {
    const isOvertaken = isOffered && this.#deps.wasJustPlaced(key);
    if ((!isConcerned && !isOvertaken) || this.#found.has(key)) return;
    const binding = this.#deps.read(key);
    if (!binding) return;
    this.#found.add(key);
    this.#deps.found(binding, isOvertaken);
  }

  async #findMoved(key: Key): Promise<void> {
    if (this.#found.has(key)) return;
    const group = this.#deps.classes.groupOf(key);
    if (!group) return this.#findAlone(key);
    const { isConcerned, isOffered } = inGroup(group, await this.#effectsOn(group));
    this.#find(key, isConcerned, isOffered);
    await this.#pauses.next();
  }

  /**
   * Finds a binding that is of no class, or is so only since it is looked at. It may name fifty thousand clusters, and as many may have changed, so each
   * change is a step.
   */
  async #findAlone(key: Key): Promise<void> {
    const binding = this.#isOver || !this.#deps.classes.alone.has(key) ? undefined : this.#deps.read(key);
    if (!binding) return;
    if (this.#deps.classes.settle(key, binding)) return this.#findMoved(key);
    const input = concernInputOf(binding);
    const isConcerned = await this.#isSo(input, this.#deps.concerns);
    this.#find(key, isConcerned, this.#deps.wasJustPlaced(key) && (await this.#isSo(input, this.#deps.offersKind)));
    await this.#pauses.next();
  }

  /** Reports whether something holds for one of the changes. */
  async #isSo(input: ConcernInput, holds: Deps['concerns']): Promise<boolean> {
    return inTimeSlices(holdsForAny(this.#histories, input, holds));
  }
}

function inGroup(
  group: BindingGroup,
  effects: readonly Effect[],
): { readonly isConcerned: boolean; readonly isOffered: boolean } {
  let [concerned, offered] = [0, 0];
  for (const effect of effects) {
    const place = 1 << group.placeIn(effect.cluster);
    concerned |= effect.concerned & place;
    offered |= effect.offered & place;
  }
  return { isConcerned: concerned !== 0, isOffered: offered !== 0 };
}

function* holdsForAny(
  histories: readonly ClusterHistory[],
  input: ConcernInput,
  holds: Deps['concerns'],
): InSteps<boolean> {
  for (const history of histories) {
    if (yield* holds(history, input)) return true;
    yield;
  }
  return false;
}
