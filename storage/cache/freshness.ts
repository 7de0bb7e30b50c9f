import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Happened, Revision } from '../interface.js';

/** Who has reached a revision: the cache, or only the store behind it. */
export type Reached = 'cache' | 'store';

export interface Freshness {
  /** The cache has seen so much more. */
  moved(): void;
  /**
   * Waits until the cache has seen `target`. 'store': it has not, in time or for want of progress, but the store is there. Throws 'future' when
   * the store is not there either.
   */
  reach(target: Revision): Promise<Reached>;
}

export interface FreshnessOptions {
  readonly clock: Clock;
  /** The revision seen; -1 before the cache is ready. */
  readonly seen: () => number;
  /** Asks the store to tell how far its watch is; false when it cannot. */
  readonly requestProgress: () => boolean;
  readonly storeRevision: () => Promise<Revision>;
  /** What the store knows to have happened up to there since what is seen. If it is nothing, that much is seen now. */
  readonly happened: (target: Revision) => Happened;
  /** How far the store is. If nothing happened up to there, that much is seen now. `coming`: something did, which the cache will see. */
  readonly compare: () => Promise<{ readonly revision: Revision; readonly coming: boolean }>;
  readonly freshMs: number;
  /** Is told how many seconds somebody waited. */
  readonly waited: ((seconds: number) => void) | undefined;
}

interface Waiter {
  readonly target: number;
  resolve(): void;
}

/** As kube-apiserver asks etcd (// as storage/cacher/progress: every 100 ms while a read waits). */
const askEveryMs = 100;

export function createFreshness(options: FreshnessOptions): Freshness {
  const { clock, seen } = options;
  let waiters: Waiter[] = [];

  /** Resolves when the cache is there, or after a while. */
  async function wait(target: number): Promise<void> {
    const timeout = new AbortController();
    let resolve = (): void => undefined;
    const arrived = new Promise<void>(r => (resolve = r));
    const waiter = { target, resolve };
    waiters.push(waiter);
    void clock.sleep(askEveryMs, timeout.signal).then(resolve);
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
    let inVain = false;
    while (clock.now() < deadline) {
      const before = seen();
      const happened = options.happened(target);
      if (happened === 'nothing') return 'cache';
      // Before it is ready the cache moves by filling, not by progress.
      const told = before < 0 || options.requestProgress();
      if (!told && (happened === 'unknown' || inVain)) {
        const { revision, coming } = await options.compare();
        if (seen() >= target) return 'cache';
        if (revision >= target && (inVain || !coming)) return 'store';
      }
      if (seen() === before) await wait(told ? target : before + 1);
      if (seen() >= target) return 'cache';
      inVain = seen() === before;
    }
    const revision = await options.storeRevision();
    if (revision >= target) return 'store';
    throw new StorageError('future', `revision ${target} is not reached yet`, { revision });
  }
}
