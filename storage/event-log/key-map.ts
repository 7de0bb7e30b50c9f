import sortedBtree from 'sorted-btree';

type Tree<V> = InstanceType<typeof sortedBtree.default<string, V>>;

/** hot: keys are texts put together, for which a regular expression takes the long way. */
function isAscii(key: string): boolean {
  for (let i = 0; i < key.length; i++) if (key.charCodeAt(i) > 0x7f) return false;
  return true;
}

/**
 * JavaScript orders strings by UTF-16 units, the store by bytes. ASCII keys (nearly all) agree; others are ordered by a string
 * with one character per byte.
 */
function byteOrdered(key: string): string {
  return isAscii(key) ? key : Buffer.from(key, 'utf8').toString('latin1');
}

/** Above every byte-ordered key. */
const top = '\u0100';

/** The first byte-ordered string that does not begin with `prefix`. Bytes of UTF-8 never reach 0xff, so the last one can grow. */
function prefixEnd(prefix: string): string {
  return prefix === '' ? top : prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A map whose keys stand in byte order and which is cloned in O(1), sharing what neither side changes. */
export class KeyMap<V> {
  #tree: Tree<V>;

  constructor(tree: Tree<V> = new sortedBtree.default<string, V>(undefined, compare)) {
    this.#tree = tree;
  }

  get size(): number {
    return this.#tree.size;
  }

  get(key: string): V | undefined {
    return this.#tree.get(byteOrdered(key));
  }

  set(key: string, value: V): void {
    this.#tree.set(byteOrdered(key), value);
  }

  delete(key: string): void {
    this.#tree.delete(byteOrdered(key));
  }

  clone(): KeyMap<V> {
    return new KeyMap(this.#tree.clone());
  }

  /** Visits the values of keys below `prefix` that are >= `start`, in order, until `visit` answers false. hot: bench/storage.ts */
  scan(prefix: string, start: string | undefined, visit: (value: V) => boolean | undefined): void {
    const low = byteOrdered(prefix);
    const first = start === undefined ? low : byteOrdered(start);
    this.#tree.forRange(first > low ? first : low, prefixEnd(low), false, (_key, value) =>
      visit(value) === false ? stop : undefined,
    );
  }

  /** All values in order. The map must not change meanwhile: iterate a clone. */
  values(): IterableIterator<V> {
    return this.#tree.values();
  }
}

// The library's types leave out that a callback of forRange may answer so (its documentation does not).
const stop = { break: 0 } as unknown as undefined;
