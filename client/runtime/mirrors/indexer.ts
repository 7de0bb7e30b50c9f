import { mightContain } from '../../watch/cached-reader.js';
import type { CachedObject } from '../../interface.js';
import type { Indexer, Key } from '../interface.js';

const nothing: readonly string[] = [];
const noLabels: Readonly<Record<string, string>> = {};

/** From this number of values on, membership is looked up in a Set. */
const many = 16;

/** Returns the test whether a value is one of these. */
function isIn(values: readonly string[]): (value: string) => boolean {
  if (values.length < many) return value => values.includes(value);
  const set = new Set(values);
  return value => set.has(value);
}

/** An index of keys by the values that an indexer returns. The indexer runs once per state, and only changed values are updated. */
export class Index {
  readonly #indexer: Indexer;
  /** A value that only one object has takes no Set, which is larger than the rest of its entry. */
  readonly #byValue = new Map<string, Key | Set<Key>>();
  readonly #valuesOf = new Map<Key, readonly string[]>();

  constructor(indexer: Indexer) {
    this.#indexer = indexer;
  }

  keys(value: string): Iterable<Key> {
    const keys = this.#byValue.get(value) ?? nothing;
    return typeof keys === 'string' ? [keys] : keys;
  }

  has(key: Key): boolean {
    return this.#valuesOf.has(key);
  }

  replace(key: Key, next: CachedObject | undefined): void {
    const old = this.#valuesOf.get(key) ?? nothing;
    const wanted = this.#find(key, next);
    if (old.length > 0) {
      const isWanted = isIn(wanted);
      for (const value of old) if (!isWanted(value)) this.#remove(value, key);
    }
    for (const value of wanted) this.#add(value, key);
    if (wanted.length > 0) this.#valuesOf.set(key, wanted);
    else this.#valuesOf.delete(key);
  }

  #add(value: string, key: Key): void {
    const keys = this.#byValue.get(value);
    if (keys === undefined) this.#byValue.set(value, key);
    else if (typeof keys !== 'string') keys.add(key);
    else if (keys !== key) this.#byValue.set(value, new Set([keys, key]));
  }

  #remove(value: string, key: Key): void {
    const keys = this.#byValue.get(value);
    if (typeof keys === 'object') keys.delete(key);
    if (keys === key || (typeof keys === 'object' && keys.size === 0)) this.#byValue.delete(value);
  }

  #find(key: Key, cached: CachedObject | undefined): readonly string[] {
    const indexer = this.#indexer;
    if (!cached) return nothing;
    if (typeof indexer === 'function') return indexer(cached.object);
    if ('ofLabels' in indexer) return indexer.ofLabels(cached.labels ?? cached.object.metadata.labels ?? noLabels, key);
    return mightContain(cached, indexer.probe) ? indexer.values(cached.object) : nothing;
  }
}
