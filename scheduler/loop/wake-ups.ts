import type { Key } from '../../client/runtime/interface.js';
import { WalkPauses } from '../../lib/time-slice.js';
import type { Clock } from '../../lib/clock.js';
import type { Binding, Cluster, ResourceSummary } from '../../api/karmada/types.js';

/**
 * What may help a binding that could not be placed, besides changes of its own spec and those that `ClusterChanges` finds. 'room': a cluster has more
 * room for it. 'peers': members of its affinity groups have other targets. 'quota': a FederatedResourceQuota of its namespace has changed.
 */
export type Help = 'room' | 'peers' | 'quota';

/** A cluster before and after it has reported other resources. */
interface RoomChange {
  readonly before: Cluster;
  readonly now: Cluster;
}

/** Milliseconds between two looks at the clusters that have more room. */
const lookEveryMs = 1_000;
/** Milliseconds between two wake-ups of a binding by room: one more after each that has not helped, up to the last. */
const firstPauseMs = 1_000;
const lastPauseMs = 60_000;

interface Waiting {
  readonly help: ReadonlySet<Help>;
  /** Wake-ups by room since it waits. */
  readonly wakes: number;
  /** Milliseconds before which room does not wake it. */
  readonly notBefore: number;
  /** There was more room before `notBefore`. */
  isOverdue: boolean;
}

/** Classes of bindings of one look whose result is kept. */
const maxRoomClasses = 1_000;

interface Deciding {
  readonly binding: Binding;
  isHelped: boolean;
}

interface Deps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly get: (key: Key) => Binding | undefined;
  readonly cluster: (name: string) => Cluster | undefined;
  /** Reports whether the replicas of the binding find more room in a cluster than in its earlier state. */
  readonly hasMoreRoom: (binding: Binding, before: Cluster, now: Cluster) => boolean;
  /** Returns the same text for bindings that find the same room; undefined for one that is looked at by itself. */
  readonly roomClassOf?: (binding: Binding) => string | undefined;
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
  /** Decisions that are being made: what happens meanwhile may come too late for them. */
  readonly #deciding = new Map<Key, Deciding>();
  /** The summaries of clusters before they changed, by cluster. */
  #changed = new Map<string, ResourceSummary | undefined>();
  #looking = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** No binding waits, and none is being decided about. */
  get isIdle(): boolean {
    return this.#waiting.size + this.#deciding.size === 0;
  }

  /** A decision about a binding begins. */
  began(key: Key, binding: Binding): void {
    this.#deciding.set(key, { binding, isHelped: false });
  }

  /** The decision has ended without targets: the binding waits for help. */
  waits(key: Key, help: readonly Help[]): void {
    const before = this.#waiting.get(key);
    const now = this.#deps.clock.now();
    const wakes = before ? before.wakes + 1 : 0;
    const notBefore = now + Math.min(firstPauseMs * 2 ** wakes, lastPauseMs);
    const deciding = this.#deciding.get(key);
    this.#waiting.set(key, { help: new Set(help), wakes, notBefore, isOverdue: deciding?.isHelped ?? false });
    if (deciding?.isHelped) this.#look();
  }

  /** The attempt has ended. It does not wait unless it was told so. */
  ended(key: Key): void {
    this.#deciding.delete(key);
  }

  /** The binding is placed, or gone. */
  forget(key: Key): void {
    this.#waiting.delete(key);
  }

  /** A cluster has reported other resources than before. */
  clusterChanged(name: string, before: ResourceSummary | undefined): void {
    const change = this.#changeOf(name, before);
    if (!change) return;
    for (const deciding of this.#deciding.values())
      deciding.isHelped ||= this.#deps.hasMoreRoom(deciding.binding, change.before, change.now);
    if (this.#waiting.size === 0) return;
    if (!this.#changed.has(name)) this.#changed.set(name, before);
    this.#look();
  }

  /** Something has happened that helps these bindings, if they wait for it. */
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
    else this.#waiting.delete(key);
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
    const pauses = new WalkPauses();
    const known = new Map<string, boolean>();
    for (const [key, waiting] of this.#waiting) {
      waiting.isOverdue ||= waiting.help.has('room') && (await this.#findsRoom(key, changes, known));
      if (waiting.isOverdue && this.#deps.clock.now() >= waiting.notBefore) {
        waiting.isOverdue = false;
        this.#wake(key, 'room');
      }
      someOverdue ||= waiting.isOverdue;
      const pause = pauses.next();
      if (pause) await pause;
      if (this.#deps.signal.aborted) return false;
    }
    return someOverdue;
  }

  /** `known`: what was found for bindings of the same class. Thousands that wait are mostly of a few classes. */
  async #findsRoom(key: Key, changes: readonly RoomChange[], known: Map<string, boolean>): Promise<boolean> {
    const binding = changes.length > 0 ? this.#deps.get(key) : undefined;
    if (!binding) return false;
    const roomClass = this.#deps.roomClassOf?.(binding);
    const before = roomClass === undefined ? undefined : known.get(roomClass);
    if (before !== undefined) return before;
    const found = await this.#findsRoomIn(binding, changes);
    if (roomClass !== undefined && known.size < maxRoomClasses) known.set(roomClass, found);
    return found;
  }

  async #findsRoomIn(binding: Binding, changes: readonly RoomChange[]): Promise<boolean> {
    const pauses = new WalkPauses();
    for (const { before, now } of changes) {
      if (this.#deps.hasMoreRoom(binding, before, now)) return true;
      const pause = pauses.next();
      if (pause) await pause;
    }
    return false;
  }
}
