import { FailureState } from '../../lib/logging/failure-state.js';
import type { Maybe } from '../../lib/maybe.js';
import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { CacheSource, Change, Item, Revision } from '../interface.js';
import type { Log } from '../log.js';

/** The part of the cache that the feed fills and updates. */
export interface FeedTarget {
  /** Replaces everything below the prefix by its state at `revision`: the first time, and whenever the changes in between are not available. */
  replace(items: readonly Item<Uint8Array>[], revision: Revision): Promise<void>;
  /** Applies one change. Its previous item may be missing. The next one must wait for the promise. */
  apply(change: Change<Uint8Array>): Maybe<void>;
  /** The revision to watch from. Undefined: everything has to be listed. */
  readonly revision: Revision | undefined;
}

interface FeedOptions {
  readonly backend: CacheSource;
  readonly prefix: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly target: FeedTarget;
  readonly signal: AbortSignal;
}

const pageSize = 10_000;
const firstRetryMs = 100;
const lastRetryMs = 5_000;
/** Milliseconds for which the store may be away before it is logged. */
const lostMs = 1_000;

async function list(backend: CacheSource, prefix: string): Promise<{ items: Item<Uint8Array>[]; revision: Revision }> {
  let page = await backend.range(prefix, { limit: pageSize });
  const { revision } = page;
  const items = [...page.items];
  while (page.remaining > 0) {
    const last = page.items.at(-1);
    if (last === undefined) throw new Error('a page is empty although items remain');
    // The zero byte makes the next possible key: no key lies between a key and itself with a zero byte.
    page = await backend.range(prefix, { limit: pageSize, at: revision, start: `${last.key}\0` });
    for (const item of page.items) items.push(item);
  }
  return { items, revision };
}

/** Lists in a function of its own: V8 keeps the variables of a waiting async function alive, and here they are all items of the store. */
async function fill({ backend, prefix, target }: FeedOptions): Promise<void> {
  const { items, revision } = await list(backend, prefix);
  await target.replace(items, revision);
}

/** Lists and watches until the signal aborts. Watches again after a watch broke off, and lists again when the changes since are compacted. */
async function feed(options: FeedOptions): Promise<void> {
  const { backend, prefix, clock, log, target, signal } = options;
  let retryMs = firstRetryMs;
  let mustList = true;
  const failureState = new FailureState({
    ...{ log, now: () => clock.now(), graceMs: lostMs },
    fails: 'the watch cache cannot read the storage; it tries again',
    works: 'the watch cache reads the storage again',
  });
  while (!signal.aborted) {
    try {
      if (mustList || target.revision === undefined) {
        await fill(options);
        mustList = false;
        retryMs = firstRetryMs;
        failureState.worked();
      }
      const from = target.revision ?? (0 as Revision);
      // hot: etcd would look up the previous item of every change. The target has it.
      for await (const change of backend.watch(prefix, from, signal, { previous: false })) {
        const applying = target.apply(change);
        if (applying) await applying;
        retryMs = firstRetryMs;
        failureState.worked();
        if (target.revision === undefined) break;
      }
    } catch (error) {
      // The changes in between are compacted: only the difference between the two states can be published.
      mustList = error instanceof StorageError && error.code === 'compacted';
      if (signal.aborted) return;
      failureState.failed(error, { prefix });
    }
    if (signal.aborted) return;
    if (mustList) continue;
    await clock.sleep(retryMs, signal);
    retryMs = Math.min(2 * retryMs, lastRetryMs);
  }
}

/** Feeds a target, and begins anew when the store turns out to have gone back in time, which no watch reports. */
export class RestartableFeed implements FeedTarget {
  readonly #options: FeedOptions;
  #restarting = new AbortController();
  /** True from a restart until the target is replaced: its revision is not one of the store. */
  #isLost = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  get revision(): Revision | undefined {
    return this.#isLost ? undefined : this.#options.target.revision;
  }

  /** Runs until the signal aborts. Called once. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      this.#restarting = new AbortController();
      await feed({ ...this.#options, target: this, signal: AbortSignal.any([signal, this.#restarting.signal]) });
      this.#isLost = true;
    }
  }

  /** Begins anew, with a list. */
  restart(): void {
    this.#restarting.abort();
  }

  async replace(items: readonly Item<Uint8Array>[], revision: Revision): Promise<void> {
    await this.#options.target.replace(items, revision);
    this.#isLost = false;
  }

  apply(change: Change<Uint8Array>): Maybe<void> {
    return this.#options.target.apply(change);
  }
}
