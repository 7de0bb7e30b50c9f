import { namespacedName } from '../../../apimachinery/meta/gvk.js';
import { eachInTurns } from '../../../lib/time-slice.js';
import { splitKey } from '../../key.js';
import type { Key } from '../interface.js';

/** Number of keys that are indexed at once: they take less than a millisecond. */
const fewKeys = 1000;
/**
 * Number of searches in all keys while the index is being built. A search of a hundred thousand keys takes some milliseconds, and the rest of the index
 * tens of them: it is built at once instead of more searches.
 */
const maxSearches = 8;

const noKeys: ReadonlySet<Key> = new Set();

/**
 * Index of the keys of a mirror by namespace. It is built at the first use, since most mirrors never need it, and in several turns of the event loop if
 * there are many keys. Before it is complete, the keys of a namespace are found by a search, and known from then on.
 */
export class Namespaces {
  readonly #objects: { readonly size: number; keys: () => Iterable<Key>; has: (key: Key) => boolean };
  /** The keys in the index; undefined before the first use. */
  #known: Map<string, Set<Key>> | undefined;
  /** The namespaces all of whose keys are in the index; undefined when it has all keys. */
  #searched: Set<string> | undefined = new Set();
  #searches = 0;

  /** `objects`: the mirror, whose changes are reported by `added` and `removed` after it has changed. */
  constructor(objects: ReadonlyMap<Key, unknown>) {
    this.#objects = objects;
  }

  /** Returns the keys in a namespace. The set is live, except an empty one. */
  keysIn(namespace: string): ReadonlySet<Key> {
    const known = this.#begun();
    if (this.#searched && !this.#searched.has(namespace) && this.#maySearch()) {
      const prefix = namespacedName(namespace, '');
      for (const key of this.#objects.keys())
        if (namespace === '' ? !key.includes('/') : key.startsWith(prefix)) this.added(key);
      this.#searched.add(namespace);
    }
    return known.get(namespace) ?? noKeys;
  }

  /** Yields the keys of the objects with a name. */
  *keysNamed(name: string): Generator<Key, void> {
    const known = this.#begun();
    if (this.#searched && this.#maySearch()) {
      const suffix = `/${name}`;
      for (const key of this.#objects.keys()) if (key === name || key.endsWith(suffix)) yield key;
      return;
    }
    for (const namespace of known.keys()) {
      const key = namespacedName(namespace, name);
      if (this.#objects.has(key)) yield key;
    }
  }

  added(key: Key): void {
    if (!this.#known) return;
    const { namespace } = splitKey(key);
    const keys = this.#known.get(namespace);
    if (keys) keys.add(key);
    else this.#known.set(namespace, new Set([key]));
  }

  removed(key: Key): void {
    if (!this.#known) return;
    const { namespace } = splitKey(key);
    const keys = this.#known.get(namespace);
    keys?.delete(key);
    if (keys?.size === 0) this.#known.delete(namespace);
  }

  /** Returns the index. The first use begins to build it. */
  #begun(): ReadonlyMap<string, ReadonlySet<Key>> {
    if (this.#known) return this.#known;
    this.#known = new Map();
    if (this.#objects.size <= fewKeys) this.#completeAtOnce();
    else void this.#complete();
    return this.#known;
  }

  /** Adds the existing keys in turns. A key that changes meanwhile is in the index, or out of it, at once. */
  async #complete(): Promise<void> {
    await eachInTurns(this.#objects.keys(), key => this.#searched && this.added(key));
    this.#searched = undefined;
  }

  #completeAtOnce(): void {
    for (const key of this.#objects.keys()) this.added(key);
    this.#searched = undefined;
  }

  /** Reports whether one more search is made. Completes the index otherwise. */
  #maySearch(): boolean {
    if (++this.#searches <= maxSearches) return true;
    this.#completeAtOnce();
    return false;
  }
}
