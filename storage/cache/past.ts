import { StorageError } from '../error.js';
import type { CacheSource, Item, Revision } from '../interface.js';
import type { KeyChange } from '../event-log/history.js';

/**
 * Reads changes that the store still has and a younger cache around it does not: watches resume after a restart. Watches that resume at the same
 * time share the decoded items.
 */
export class PastReader<V> {
  readonly #backend: CacheSource;
  readonly #decode: (item: Item<Uint8Array>) => Item<V>;
  /** The decoded items, for as long as the backend holds theirs. */
  readonly #known = new WeakMap<Item<Uint8Array>, Item<V>>();

  /** `decode` throws 'corrupt' when the value cannot be decoded. */
  constructor(backend: CacheSource, decode: (item: Item<Uint8Array>) => Item<V>) {
    this.#backend = backend;
    this.#decode = decode;
  }

  /**
   * Yields the changes below the prefix after `from`, up to and including `to`, which the store has reached. Throws 'compacted' when the store has
   * compacted them too, or cannot tell where they end.
   */
  async *read(prefix: string, from: Revision, to: Revision, signal: AbortSignal): AsyncGenerator<KeyChange<V>> {
    if (this.#backend.past === undefined) {
      yield* this.#watched(prefix, from, to, signal);
      return;
    }
    for (const change of await this.#backend.past(prefix, from, to)) {
      if (signal.aborted) return;
      yield this.#decoded(change);
    }
  }

  /** Reads the changes with a watch, and requests progress to find their end. */
  async *#watched(prefix: string, from: Revision, to: Revision, signal: AbortSignal): AsyncGenerator<KeyChange<V>> {
    const end = new AbortController();
    const watch = this.#backend.watch(prefix, from, AbortSignal.any([signal, end.signal]))[Symbol.asyncIterator]();
    const first = watch.next();
    try {
      // When nothing happens any more, only a progress change marks the end.
      if (!this.#backend.requestProgress(prefix)) {
        first.catch(() => undefined); // the watch is abandoned
        const what = `changes after revision ${from} are forgotten up to ${to}`;
        throw new StorageError('compacted', what, { revision: to });
      }
      for (let result = await first; result.done !== true; result = await watch.next()) {
        const change = result.value;
        if (change.revision > to) return;
        if (change.type !== 'progress') yield this.#decoded(change);
        else if (change.revision === to) return;
        if (signal.aborted) return;
      }
    } finally {
      end.abort();
    }
  }

  #decoded(change: KeyChange<Uint8Array>): KeyChange<V> {
    const previous = this.#replaced(change.previous);
    return change.type === 'put' ? { ...change, item: this.#shared(change.item), previous } : { ...change, previous };
  }

  /** Returns undefined for a previous value that cannot be decoded: it was replaced, so it need not end the watch. */
  #replaced(item: Item<Uint8Array> | undefined): Item<V> | undefined {
    try {
      return item && this.#shared(item);
    } catch (error) {
      if (error instanceof StorageError && error.code === 'corrupt') return undefined;
      throw error;
    }
  }

  #shared(item: Item<Uint8Array>): Item<V> {
    const found = this.#known.get(item);
    if (found !== undefined) return found;
    const made = this.#decode(item);
    this.#known.set(item, made);
    return made;
  }
}
