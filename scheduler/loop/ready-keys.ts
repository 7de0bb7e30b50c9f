import type { Key } from '../../client/runtime/interface.js';

/** A key that waits for a worker. */
export interface Ready {
  readonly key: Key;
  readonly priority: number;
}

/** Keys by priority, the highest first, and by age within a priority. */
interface ReadyKeys<T extends Ready> {
  /** Adds an entry. `entry.key` must not be in the set. */
  add(entry: T): void;
  remove(entry: T): void;
  find(key: Key): T | undefined;
  /** Removes and returns the next entry. */
  take(): T | undefined;
  readonly size: number;
}

/** Returns an empty set. Adding and taking take constant time for a number of priorities that does not grow. */
export function readyKeys<T extends Ready>(): ReadyKeys<T> {
  const buckets = new Map<number, Map<Key, T>>(); // priority -> keys by age
  let priorities: number[] = []; // descending

  function remove({ key, priority }: T): void {
    const bucket = buckets.get(priority);
    bucket?.delete(key);
    if (bucket?.size !== 0) return;
    buckets.delete(priority);
    priorities = priorities.filter(p => p !== priority);
  }

  return {
    add(entry) {
      let bucket = buckets.get(entry.priority);
      if (!bucket) {
        bucket = new Map<Key, T>();
        buckets.set(entry.priority, bucket);
        priorities = [...buckets.keys()].sort((a, b) => b - a);
      }
      bucket.set(entry.key, entry);
    },
    remove,
    find(key) {
      for (const bucket of buckets.values()) {
        const entry = bucket.get(key);
        if (entry) return entry;
      }
      return undefined;
    },
    take() {
      for (const priority of priorities) {
        for (const entry of buckets.get(priority)?.values() ?? []) {
          remove(entry);
          return entry;
        }
      }
      return undefined;
    },
    get size() {
      let n = 0;
      for (const bucket of buckets.values()) n += bucket.size;
      return n;
    },
  };
}
