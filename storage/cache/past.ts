import { StorageError } from '../error.js';
import type { Backend, Item, Revision } from '../interface.js';
import type { KeyChange } from '../timeline/history.js';

export interface PastOptions<V> {
  readonly backend: Backend;
  /** Throws 'corrupt'. */
  readonly decode: (item: Item<Uint8Array>) => Item<V>;
}

/**
 * Changes below a prefix after `from`, up to and including `to`, which the store has reached. The iterator throws 'compacted' when the store has
 * forgotten them too, or cannot say where they end.
 */
export type Past<V> = (
  prefix: string,
  from: Revision,
  to: Revision,
  signal: AbortSignal,
) => AsyncGenerator<KeyChange<V>>;

/** The past that a store remembers and a younger cache around it does not: after a restart, watches go on where they were. */
export function createPast<V>({ backend, decode }: PastOptions<V>): Past<V> {
  /** What cannot be decoded any more was replaced: it ends no watch. */
  function replaced(item: Item<Uint8Array> | undefined): Item<V> | undefined {
    try {
      return item && decode(item);
    } catch (error) {
      if (error instanceof StorageError && error.code === 'corrupt') return undefined;
      throw error;
    }
  }

  function decoded(change: KeyChange<Uint8Array>): KeyChange<V> {
    const previous = replaced(change.previous);
    return change.type === 'put' ? { ...change, item: decode(change.item), previous } : { ...change, previous };
  }

  return async function* past(prefix, from, to, signal) {
    const end = new AbortController();
    const watch = backend.watch(prefix, from, AbortSignal.any([signal, end.signal]))[Symbol.asyncIterator]();
    const first = watch.next();
    try {
      // Where nothing happened any more, only progress says that all has been told. An etcd cannot be asked before its watch stands.
      if (!backend.requestProgress(prefix)) {
        first.catch(() => undefined);
        const what = `changes after revision ${from} are forgotten up to ${to}`;
        throw new StorageError('compacted', what, { revision: to });
      }
      for (let result = await first; result.done !== true; result = await watch.next()) {
        const change = result.value;
        if (change.revision > to) return;
        if (change.type !== 'progress') yield decoded(change);
        else if (change.revision === to) return;
        if (signal.aborted) return;
      }
    } finally {
      end.abort();
    }
  };
}
