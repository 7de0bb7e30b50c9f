import type { Clock } from '../clock.js';
import { StorageError } from '../error.js';
import type { Revision } from '../interface.js';

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
  readonly freshMs: number;
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
      if (seen() >= target) return 'cache';
      const deadline = clock.now() + options.freshMs;
      while (clock.now() < deadline) {
        // Before it is ready the cache moves by filling, not by progress.
        const told = seen() < 0 || options.requestProgress();
        if (!told && (await options.storeRevision()) >= target) return 'store';
        await wait(target);
        if (seen() >= target) return 'cache';
      }
      const revision = await options.storeRevision();
      if (revision >= target) return 'store';
      throw new StorageError('future', `revision ${target} is not reached yet`, { revision });
    },
  };
}
