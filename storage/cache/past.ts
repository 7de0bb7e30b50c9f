import { StorageError } from '../error.js';
import type { CachedBackend, Item, Revision } from '../interface.js';
import type { KeyChange } from '../event-log/history.js';

export interface PastOptions<V> {
  readonly backend: CachedBackend;
  /** Throws 'corrupt' when the value cannot be decoded. */
  readonly decode: (item: Item<Uint8Array>) => Item<V>;
}

/**
 * Changes below a prefix after `from`, up to and including `to`, which the store has reached. The iterator throws 'compacted' when the store has
 * compacted them too, or cannot tell where they end.
 */
export type Past<V> = (
  prefix: string,
  from: Revision,
  to: Revision,
  signal: AbortSignal,
) => AsyncGenerator<KeyChange<V>>;

/**
 * Reads changes that the store still has and a younger cache around it does not: watches resume after a restart. Watches that resume at the same
 * time share the decoded items.
 */
export function createPast<V>({ backend, decode }: PastOptions<V>): Past<V> {
  const known = new WeakMap<Item<Uint8Array>, Item<V>>();

  function shared(item: Item<Uint8Array>): Item<V> {
    const found = known.get(item);
    if (found !== undefined) return found;
    const made = decode(item);
    known.set(item, made);
    return made;
  }

  /** Returns undefined for a previous value that cannot be decoded: it was replaced, so it need not end the watch. */
  function replaced(item: Item<Uint8Array> | undefined): Item<V> | undefined {
    try {
      return item && shared(item);
    } catch (error) {
      if (error instanceof StorageError && error.code === 'corrupt') return undefined;
      throw error;
    }
  }

  function decoded(change: KeyChange<Uint8Array>): KeyChange<V> {
    const previous = replaced(change.previous);
    return change.type === 'put' ? { ...change, item: shared(change.item), previous } : { ...change, previous };
  }

  /** Reads the changes with a watch, and requests progress to find their end. */
  async function* watched(
    prefix: string,
    from: Revision,
    to: Revision,
    signal: AbortSignal,
  ): AsyncGenerator<KeyChange<V>> {
    const end = new AbortController();
    const watch = backend.watch(prefix, from, AbortSignal.any([signal, end.signal]))[Symbol.asyncIterator]();
    const first = watch.next();
    try {
      // When nothing happens any more, only a progress change marks the end.
      if (!backend.requestProgress(prefix)) {
        first.catch(() => undefined); // the watch is abandoned
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
  }

  return async function* past(prefix, from, to, signal) {
    if (backend.past === undefined) {
      yield* watched(prefix, from, to, signal);
      return;
    }
    for (const change of await backend.past(prefix, from, to)) {
      if (signal.aborted) return;
      yield decoded(change);
    }
  };
}
