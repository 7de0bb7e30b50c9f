import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { CacheSource, PrefixActivity, Revision } from '../interface.js';
import type { Replica } from './replica.js';

/** Where a revision has been reached: in the cache, or only in the store behind it. */
type Reached = 'cache' | 'store';

export interface FreshnessOptions<V> {
  readonly backend: CacheSource;
  readonly prefix: string;
  readonly replica: Replica<V, unknown>;
  readonly clock: Clock;
  /** Milliseconds for which a read waits. */
  readonly freshnessTimeoutMs: number;
  /** Called with the seconds that a read waited. */
  readonly waited: ((seconds: number) => void) | undefined;
}

interface Waiter {
  readonly target: number;
  resolve(): void;
}

/** The interval of kube-apiserver's progress requests to etcd (as storage/cacher/progress: every 100 ms while a read waits). */
const progressIntervalMs = 100;

/** Lets reads wait until the cache has seen a revision of the store. */
export class Freshness<V> {
  readonly #backend: CacheSource;
  readonly #prefix: string;
  readonly #replica: Replica<V, unknown>;
  readonly #clock: Clock;
  readonly #freshnessTimeoutMs: number;
  readonly #waited: ((seconds: number) => void) | undefined;
  #waiters: Waiter[] = [];

  constructor({ backend, prefix, replica, clock, freshnessTimeoutMs, waited }: FreshnessOptions<V>) {
    this.#backend = backend;
    this.#prefix = prefix;
    this.#replica = replica;
    this.#clock = clock;
    this.#freshnessTimeoutMs = freshnessTimeoutMs;
    this.#waited = waited;
  }

  /** Reports that the cache has seen newer revisions. */
  onAdvanced(): void {
    if (this.#waiters.length === 0) return;
    const seen = this.#seen;
    for (const waiter of this.#waiters) if (waiter.target <= seen) waiter.resolve();
  }

  /**
   * Waits until the cache has seen `target`. Returns 'store' when it has not, in time or for lack of progress, although the store has reached
   * it. Throws 'future' when the store has not reached it either.
   */
  async reach(target: Revision): Promise<Reached> {
    if (this.#seen < target) {
      const began = performance.now();
      return this.#reachLater(target).finally(() => this.#waited?.((performance.now() - began) / 1000));
    }
    this.#waited?.(0);
    return 'cache';
  }

  /** Returns what happened between the revision seen and `target`, as far as the store knows. After 'nothing' the cache has seen `target`. */
  happened(target: Revision): PrefixActivity {
    const { revision } = this.#replica;
    if (revision === undefined || this.#backend.happened === undefined) return 'unknown';
    const found = revision >= target ? 'nothing' : this.#backend.happened(this.#prefix, revision, target);
    if (found === 'nothing') this.#replica.advance(target);
    return found;
  }

  /** The revision that the cache has seen; -1 before it is ready. */
  get #seen(): number {
    return this.#replica.revision ?? -1;
  }

  async #reachLater(target: Revision): Promise<Reached> {
    const deadline = this.#clock.now() + this.#freshnessTimeoutMs;
    let noProgress = false;
    while (this.#clock.now() < deadline) {
      const before = this.#seen;
      const happened = this.happened(target);
      if (happened === 'nothing') return 'cache';
      // Before the cache is ready it moves by filling, not by progress.
      const requested = before < 0 || this.#backend.requestProgress(this.#prefix);
      if (!requested && (happened === 'unknown' || noProgress)) {
        const { revision, coming } = await this.#compare();
        if (this.#seen >= target) return 'cache';
        if (revision >= target && (noProgress || !coming)) return 'store';
      }
      if (this.#seen === before) await this.#wait(requested ? target : before + 1);
      if (this.#seen >= target) return 'cache';
      noProgress = this.#seen === before;
    }
    const revision = await this.#backend.revision();
    if (revision >= target) return 'store';
    throw new StorageError('future', `revision ${target} is not reached yet`, { revision });
  }

  /**
   * Asks the store for its revision. If nothing changed up to there, the cache has seen it. `coming`: something changed, and the watch will
   * deliver it.
   */
  async #compare(): Promise<{ readonly revision: Revision; readonly coming: boolean }> {
    const { eventLog } = this.#replica;
    if (eventLog === undefined || this.#backend.compare === undefined)
      return { revision: await this.#backend.revision(), coming: false };
    const { revision, same } = await this.#backend.compare(this.#prefix, eventLog.revision, eventLog.size);
    if (same && eventLog === this.#replica.eventLog) this.#replica.advance(revision);
    return { revision, coming: !same };
  }

  /** Resolves when the cache has seen `target`, or after one interval. */
  async #wait(target: number): Promise<void> {
    const timeout = new AbortController();
    let resolve = (): void => undefined;
    const arrived = new Promise<void>(r => (resolve = r));
    const waiter = { target, resolve };
    this.#waiters.push(waiter);
    void this.#clock.sleep(progressIntervalMs, timeout.signal).then(resolve);
    await arrived;
    timeout.abort();
    this.#waiters = this.#waiters.filter(w => w !== waiter);
  }
}
