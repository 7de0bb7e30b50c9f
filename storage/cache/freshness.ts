import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Happened, Revision } from '../interface.js';

/** Where a revision has been reached: in the cache, or only in the store behind it. */
export type Reached = 'cache' | 'store';

export interface Freshness {
  /** Reports that the cache has seen newer revisions. */
  moved(): void;
  /**
   * Waits until the cache has seen `target`. Returns 'store' when it has not, in time or for lack of progress, although the store has reached
   * it. Throws 'future' when the store has not reached it either.
   */
  reach(target: Revision): Promise<Reached>;
}

export interface FreshnessOptions {
  readonly clock: Clock;
  /** The revision that the cache has seen; -1 before the cache is ready. */
  readonly seen: () => number;
  /** Requests a progress change of the store's watch; false when the store cannot promise one. */
  readonly requestProgress: () => boolean;
  readonly storeRevision: () => Promise<Revision>;
  /** Returns what happened between the revision seen and `target`, as far as the store knows. After 'nothing' the cache has seen `target`. */
  readonly happened: (target: Revision) => Happened;
  /**
   * Asks the store for its revision. If nothing changed up to there, the cache has seen it. `coming`: something changed, and the watch will
   * deliver it.
   */
  readonly compare: () => Promise<{ readonly revision: Revision; readonly coming: boolean }>;
  readonly freshMs: number;
  /** Called with the seconds that a read waited. */
  readonly waited: ((seconds: number) => void) | undefined;
}

interface Waiter {
  readonly target: number;
  resolve(): void;
}

/** The interval of kube-apiserver's progress requests to etcd (as storage/cacher/progress: every 100 ms while a read waits). */
const progressIntervalMs = 100;

export function createFreshness(options: FreshnessOptions): Freshness {
  const { clock, seen } = options;
  let waiters: Waiter[] = [];

  /** Resolves when the cache has seen `target`, or after one interval. */
  async function wait(target: number): Promise<void> {
    const timeout = new AbortController();
    let resolve = (): void => undefined;
    const arrived = new Promise<void>(r => (resolve = r));
    const waiter = { target, resolve };
    waiters.push(waiter);
    void clock.sleep(progressIntervalMs, timeout.signal).then(resolve);
    await arrived;
    timeout.abort();
    waiters = waiters.filter(w => w !== waiter);
  }

  return {
    moved() {
      if (waiters.length === 0) return;
      const revision = seen();
      for (const waiter of waiters) if (waiter.target <= revision) waiter.resolve();
    },
    async reach(target) {
      if (seen() < target) {
        const began = performance.now();
        return reachLater(target).finally(() => options.waited?.((performance.now() - began) / 1000));
      }
      options.waited?.(0);
      return 'cache';
    },
  };

  async function reachLater(target: Revision): Promise<Reached> {
    const deadline = clock.now() + options.freshMs;
    let noProgress = false;
    while (clock.now() < deadline) {
      const before = seen();
      const happened = options.happened(target);
      if (happened === 'nothing') return 'cache';
      // Before the cache is ready it moves by filling, not by progress.
      const requested = before < 0 || options.requestProgress();
      if (!requested && (happened === 'unknown' || noProgress)) {
        const { revision, coming } = await options.compare();
        if (seen() >= target) return 'cache';
        if (revision >= target && (noProgress || !coming)) return 'store';
      }
      if (seen() === before) await wait(requested ? target : before + 1);
      if (seen() >= target) return 'cache';
      noProgress = seen() === before;
    }
    const revision = await options.storeRevision();
    if (revision >= target) return 'store';
    throw new StorageError('future', `revision ${target} is not reached yet`, { revision });
  }
}
