import { mightContain } from '../watch/cached-reader.js';
import type { CachedObject } from '../interface.js';
import type { Indexer, Key } from './interface.js';

const nothing: readonly string[] = [];
const noLabels: Readonly<Record<string, string>> = {};

/** An index of keys by the values that an indexer returns. The indexer runs once per state, and only changed values are updated. */
export class Index {
  readonly #indexer: Indexer;
  readonly #byValue = new Map<string, Set<Key>>();
  readonly #valuesOf = new Map<Key, readonly string[]>();

  constructor(indexer: Indexer) {
    this.#indexer = indexer;
  }

  keys(value: string): Iterable<Key> {
    return this.#byValue.get(value) ?? nothing;
  }

  has(key: Key): boolean {
    return this.#valuesOf.has(key);
  }

  replace(key: Key, next: CachedObject | undefined): void {
    const old = this.#valuesOf.get(key) ?? nothing;
    const wanted = this.#find(key, next);
    for (const value of old) {
      if (wanted.includes(value)) continue;
      const keys = this.#byValue.get(value);
      keys?.delete(key);
      if (keys?.size === 0) this.#byValue.delete(value);
    }
    for (const value of wanted) {
      const keys = this.#byValue.get(value);
      if (keys) keys.add(key);
      else this.#byValue.set(value, new Set([key]));
    }
    if (wanted.length > 0) this.#valuesOf.set(key, wanted);
    else this.#valuesOf.delete(key);
  }

  #find(key: Key, cached: CachedObject | undefined): readonly string[] {
    const indexer = this.#indexer;
    if (!cached) return nothing;
    if (typeof indexer === 'function') return indexer(cached.object);
    if ('ofLabels' in indexer) return indexer.ofLabels(cached.labels ?? cached.object.metadata.labels ?? noLabels, key);
    return mightContain(cached, indexer.probe) ? indexer.values(cached.object) : nothing;
  }
}
