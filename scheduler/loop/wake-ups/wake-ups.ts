import type { Key } from '../../../client/runtime/interface.js';

import type { Clock } from '../../../lib/clock.js';
import type { Binding, Cluster, ResourceSummary } from '../../../api/karmada/types.js';
import { type RoomChange, type RoomDeps, RoomLook, type RoomNeeds } from './room-look.js';
import { maxClassText, shortJsonText } from './short-json-text.js';

/**
 * What may help a binding that could not be placed, besides changes of its own spec and those that `ClusterChanges` finds. 'room': a cluster has more
 * room for it. 'peers': members of its affinity groups have other targets. 'quota': a FederatedResourceQuota of its namespace has changed.
 */
export type Help = 'room' | 'peers' | 'quota';

/** Milliseconds between two looks at the clusters that have more room. */
const lookEveryMs = 1_000;
/** Milliseconds between two wake-ups of a binding by room: one more after each that has not helped, up to the last. */
const firstPauseMs = 1_000;
const lastPauseMs = 60_000;

interface Waiting {
  readonly help: ReadonlySet<Help>;
  /** undefined: it is looked at by itself. */
  readonly needs: RoomNeeds | undefined;
  /** Wake-ups by room since it waits. */
  readonly wakes: number;
  /** Milliseconds before which room does not wake it. */
  readonly notBefore: number;
  /** There was more room before `notBefore`. */
  isOverdue: boolean;
}

interface Deciding {
  readonly binding: Binding;
  isHelped: boolean;
}

interface Deps extends RoomDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly cluster: (name: string) => Cluster | undefined;
  /** Called when a binding is to be scheduled again. */
  readonly found: (binding: Binding, help: Help) => void;
  readonly signal: AbortSignal;
}

/**
 * Wakes bindings that could not be placed when something happens that may help them, instead of after minutes. Entries are limited to the bindings that
 * wait, and to clusters that have changed within a second. Room is looked at for all clusters together, and a binding that it does not help is woken
 * less and less often: clusters report other room every few seconds. as kube-scheduler's queueing hints
 */
export class WakeUps {
  readonly #deps: Deps;
  readonly #waiting = new Map<Key, Waiting>();
  /** The needs of the bindings that wait, by id. */
  readonly #needs = new Map<string, RoomNeeds>();
  /** Decisions that are being made: what happens meanwhile may come too late for them. */
  readonly #deciding = new Map<Key, Deciding>();
  /** The summaries of clusters before they changed, by cluster. */
  #changed = new Map<string, ResourceSummary | undefined>();
  #looking = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether no binding waits, and none is being decided about. */
  get isIdle(): boolean {
    return this.#waiting.size + this.#deciding.size === 0;
  }

  /** Notes that a decision about a binding begins: what helps it until its end is noticed. */
  began(key: Key, binding: Binding): void {
    this.#deciding.set(key, { binding, isHelped: false });
  }

  /** Lets a binding wait for help, since the decision has ended without targets. */
  waits(key: Key, help: readonly Help[]): void {
    const before = this.#waiting.get(key);
    const now = this.#deps.clock.now();
    const wakes = before ? before.wakes + 1 : 0;
    const notBefore = now + Math.min(firstPauseMs * 2 ** wakes, lastPauseMs);
    const deciding = this.#deciding.get(key);
    const needs = deciding && help.includes('room') ? this.#join(deciding.binding) : undefined;
    this.#leave(before);
    const isOverdue = deciding?.isHelped ?? false;
    this.#waiting.set(key, { help: new Set(help), needs, wakes, notBefore, isOverdue });
    if (deciding?.isHelped) this.#look();
  }

  /** Notes that the attempt has ended. The binding waits only if `waits` was called. */
  ended(key: Key): void {
    this.#deciding.delete(key);
  }

  /** Forgets a binding that is placed, or gone. */
  forget(key: Key): void {
    this.#leave(this.#waiting.get(key));
    this.#waiting.delete(key);
  }

  /** Drops what a binding needs that no longer waits, unless another binding needs the same. */
  #leave(waiting: Waiting | undefined): void {
    const needs = waiting?.needs;
    if (needs && --needs.members === 0) this.#needs.delete(needs.id);
  }

  /** Returns what a binding needs, which is found while it is parsed, for all looks; undefined if that takes too much text. */
  #join(binding: Binding): RoomNeeds | undefined {
    const id = needsTextOf(binding);
    if (id === undefined) return undefined;
    let known = this.#needs.get(id);
    if (!known) {
      const { replicaRequirements: requirements, components } = binding.spec;
      this.#needs.set(id, (known = { id, requirements, hasComponents: Boolean(components?.length), members: 0 }));
    }
    known.members++;
    return known;
  }

  /** Takes the report of a cluster with other resources than `before`, and looks for bindings that it helps. */
  clusterChanged(name: string, before: ResourceSummary | undefined): void {
    const change = this.#changeOf(name, before);
    if (!change) return;
    for (const deciding of this.#deciding.values())
      deciding.isHelped ||= this.#deps.hasMoreRoom(deciding.binding, change.before, change.now);
    if (this.#waiting.size === 0) return;
    if (!this.#changed.has(name)) this.#changed.set(name, before);
    this.#look();
  }

  /** Wakes those of the bindings that wait for this help. */
  happened(help: Exclude<Help, 'room'>, keys: Iterable<Key>): void {
    for (const key of keys) {
      const deciding = this.#deciding.get(key);
      if (deciding) deciding.isHelped = true;
      if (this.#waiting.get(key)?.help.has(help)) this.#wake(key, help);
    }
  }

  /** Returns the bindings that wait for help. */
  *waitingFor(help: Help): Generator<Key> {
    for (const [key, waiting] of this.#waiting) if (waiting.help.has(help)) yield key;
  }

  #wake(key: Key, help: Help): void {
    const binding = this.#deps.get(key);
    if (binding) this.#deps.found(binding, help);
    else this.forget(key);
  }

  #changeOf(name: string, before: ResourceSummary | undefined): RoomChange | undefined {
    const now = this.#deps.cluster(name);
    if (!now) return undefined;
    const status = { ...now.status };
    delete status.resourceSummary;
    return { before: { ...now, status: { ...status, ...(before && { resourceSummary: before }) } }, now };
  }

  #look(): void {
    if (!this.#looking) void this.#lookRepeatedly();
  }

  /** Looks until no cluster has changed, and no binding is overdue. */
  async #lookRepeatedly(): Promise<void> {
    this.#looking = true;
    const { clock, signal } = this.#deps;
    try {
      for (let isOverdue = true; isOverdue || this.#changed.size > 0;) {
        await clock.sleep(lookEveryMs, signal);
        if (signal.aborted) return;
        isOverdue = await this.#lookOnce();
      }
    } finally {
      this.#looking = false;
    }
  }

  /** Wakes the bindings that find more room. Returns whether some are overdue. */
  async #lookOnce(): Promise<boolean> {
    const changes = [...this.#changed].flatMap(([name, before]) => this.#changeOf(name, before) ?? []);
    this.#changed = new Map();
    let someOverdue = false;
    const look = new RoomLook(this.#deps, changes);
    for (const [key, waiting] of this.#waiting) {
      waiting.isOverdue ||= waiting.help.has('room') && (await look.finds(key, waiting.needs));
      if (waiting.isOverdue && this.#deps.clock.now() >= waiting.notBefore) {
        waiting.isOverdue = false;
        this.#wake(key, 'room');
      }
      someOverdue ||= waiting.isOverdue;
      const pause = look.pauses.next();
      if (pause) await pause;
      if (this.#deps.signal.aborted) return false;
    }
    return someOverdue;
  }
}

/** Returns the same text for bindings whose replicas or components are estimated alike; undefined for a long one. */
const needsTextOf = ({ spec: { replicaRequirements, components } }: Binding): string | undefined =>
  shortJsonText([Boolean(components?.length), replicaRequirements ?? null], maxClassText);
