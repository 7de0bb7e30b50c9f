import { Trouble } from '../../lib/logging/trouble.js';
import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Backend, Change, Item, Revision } from '../interface.js';
import type { Log } from '../log.js';

/** What the feed fills and keeps up. */
export interface Sink {
  /** Everything below the prefix, as it is at `revision`. The first time, and whenever the changes in between could not be had. */
  replace(items: readonly Item<Uint8Array>[], revision: Revision): Promise<void>;
  /** What stood there before need not be told. */
  apply(change: Change<Uint8Array>): void;
  /** From where to watch; undefined: everything has to be listed. */
  readonly revision: Revision | undefined;
}

export interface FeedOptions {
  readonly backend: Backend;
  readonly prefix: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly sink: Sink;
  readonly signal: AbortSignal;
}

const pageSize = 10_000;
const firstRetryMs = 100;
const lastRetryMs = 5_000;
/** Milliseconds that the store may be away before the log tells of it. */
const lostMs = 1_000;

async function list(backend: Backend, prefix: string): Promise<{ items: Item<Uint8Array>[]; revision: Revision }> {
  let page = await backend.range(prefix, { limit: pageSize });
  const { revision } = page;
  const items = [...page.items];
  while (page.remaining > 0) {
    const last = page.items.at(-1);
    if (last === undefined) throw new Error('a page is empty although items remain');
    // The next key after it: no key lies between a key and itself with a zero byte.
    page = await backend.range(prefix, { limit: pageSize, at: revision, start: `${last.key}\0` });
    for (const item of page.items) items.push(item);
  }
  return { items, revision };
}

/** On its own: as long as a function waits, the engine keeps what stood in it, and this is all that the store holds. */
async function fill({ backend, prefix, sink }: FeedOptions): Promise<void> {
  const { items, revision } = await list(backend, prefix);
  await sink.replace(items, revision);
}

/** Lists, watches, watches again where the watch broke off, and lists again when the changes since are forgotten; until the signal aborts. */
export async function feed(options: FeedOptions): Promise<void> {
  const { backend, prefix, clock, log, sink, signal } = options;
  let retryMs = firstRetryMs;
  let mustList = true;
  const trouble = new Trouble({
    ...{ log, now: () => clock.now(), graceMs: lostMs },
    fails: 'the watch cache cannot read the storage; it tries again',
    works: 'the watch cache reads the storage again',
  });
  while (!signal.aborted) {
    try {
      if (mustList || sink.revision === undefined) {
        await fill(options);
        mustList = false;
        retryMs = firstRetryMs;
        trouble.worked();
      }
      const from = sink.revision ?? (0 as Revision);
      // hot: etcd would look up what stood there before, with every change. The sink knows it.
      for await (const change of backend.watch(prefix, from, signal, { previous: false })) {
        sink.apply(change);
        retryMs = firstRetryMs;
        trouble.worked();
        if (sink.revision === undefined) break;
      }
    } catch (error) {
      // What happened in between is forgotten: only the difference between then and now can be told.
      mustList = error instanceof StorageError && error.code === 'compacted';
      if (signal.aborted) return;
      trouble.failed(error, { prefix });
    }
    if (signal.aborted) return;
    if (mustList) continue;
    await clock.sleep(retryMs, signal);
    retryMs = Math.min(2 * retryMs, lastRetryMs);
  }
}
