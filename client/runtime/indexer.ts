import { mightContain } from '../watch/cached-reader.js';
import type { CachedObject } from '../interface.js';
import type { Indexer, Key } from './interface.js';

export interface Index {
  keys(value: string): Iterable<Key>;
  has(key: Key): boolean;
  replace(key: Key, next: CachedObject | undefined): void;
}

const nothing: readonly string[] = [];

/** Creates an index of keys by the values that an indexer returns. The indexer runs once per state, and only changed values are updated. */
export function createIndex(indexer: Indexer): Index {
  const byValue = new Map<string, Set<Key>>();
  const valuesOf = new Map<Key, readonly string[]>();

  function find(cached: CachedObject | undefined): readonly string[] {
    if (!cached) return nothing;
    if (typeof indexer === 'function') return indexer(cached.object);
    return mightContain(cached, indexer.probe) ? indexer.values(cached.object) : nothing;
  }

  return {
    keys: value => byValue.get(value) ?? nothing,
    has: key => valuesOf.has(key),
    replace(key, next) {
      const old = valuesOf.get(key) ?? nothing;
      const wanted = find(next);
      for (const value of old) {
        if (wanted.includes(value)) continue;
        const keys = byValue.get(value);
        keys?.delete(key);
        if (keys?.size === 0) byValue.delete(value);
      }
      for (const value of wanted) {
        const keys = byValue.get(value);
        if (keys) keys.add(key);
        else byValue.set(value, new Set([key]));
      }
      if (wanted.length > 0) valuesOf.set(key, wanted);
      else valuesOf.delete(key);
    },
  };
}
