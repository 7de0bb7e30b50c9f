interface Cell<V> {
  value: V | undefined;
}

/**
 * A Map for what comes and goes: what was deleted keeps nothing alive. It goes through its entries in the order in which they came.
 *
 * A plain Map moves to a new table whenever as many entries have come as it has room for, and leaves the old one as it was, pointing to the
 * new one, for those who are in the midst of going through it (`OrderedHashTable` in V8). Of old objects the collection of young ones takes
 * every reference for a living one. So once a single table has grown old, each that follows it, with all that stood in it, is carried from
 * table to table into the old space: with 32 requests in flight at a time that was a third of all requests, 60 MB a second, and
 * collections of 2.4 ms in place of 0.5. Here old tables hold empty cells.
 */
export class ChurnMap<K, V> {
  readonly #cells = new Map<K, Cell<V>>();

  get size(): number {
    return this.#cells.size;
  }

  has(key: K): boolean {
    return this.#cells.has(key);
  }

  get(key: K): V | undefined {
    return this.#cells.get(key)?.value;
  }

  /** A key that is there stays where it is in the order. */
  set(key: K, value: V): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, { value });
    else cell.value = value;
  }

  /** Whether it was there. */
  delete(key: K): boolean {
    const cell = this.#cells.get(key);
    if (cell === undefined) return false;
    cell.value = undefined;
    return this.#cells.delete(key);
  }

  clear(): void {
    for (const cell of this.#cells.values()) cell.value = undefined;
    this.#cells.clear();
  }

  /** As with a Map, entries may be deleted meanwhile, and what is added meanwhile comes in its turn. */
  *entries(): IterableIterator<[K, V]> {
    for (const [key, { value }] of this.#cells) yield [key, value as V];
  }

  *values(): IterableIterator<V> {
    for (const { value } of this.#cells.values()) yield value as V;
  }
}
