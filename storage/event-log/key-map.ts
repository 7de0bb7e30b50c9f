import sortedBtree from 'sorted-btree';
import { compareTexts } from '../../lib/collections/compare-texts.js';

type Tree<V> = InstanceType<typeof sortedBtree.default<string, V>>;

/** hot: keys are concatenated strings, on which a regular expression is slow. */
function isAscii(key: string): boolean {
  for (let i = 0; i < key.length; i++) if (key.charCodeAt(i) > 0x7f) return false;
  return true;
}

/**
 * Returns a string that JavaScript orders as the store orders the key. JavaScript orders by UTF-16 units, the store by bytes; they agree for
 * ASCII keys (nearly all). Other keys become strings with one character per byte.
 */
function byteOrdered(key: string): string {
  return isAscii(key) ? key : Buffer.from(key, 'utf8').toString('latin1');
}

/** A string above every byte-ordered key. */
const top = '\u0100';

/**
 * Returns the first byte-ordered string that does not begin with `prefix`. Bytes of UTF-8 never reach 0xff, so the last one can be incremented.
 */
function prefixEnd(prefix: string): string {
  return prefix === '' ? top : prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

/** A map with its keys in byte order. A clone takes O(1) and shares what neither side changes. */
export class KeyMap<V> {
  #tree: Tree<V>;

  constructor(tree: Tree<V> = new sortedBtree.default<string, V>(undefined, compareTexts)) {
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

  /**
   * Visits the values of keys below `prefix` that are >= `start`, in order, until `visit` returns false. hot: runs for every range read,
   * measured by bench/storage.ts.
   */
  scan(prefix: string, start: string | undefined, visit: (value: V) => boolean | undefined): void {
    const low = byteOrdered(prefix);
    const first = start === undefined ? low : byteOrdered(start);
    this.#tree.forRange(first > low ? first : low, prefixEnd(low), false, (_key, value) =>
      visit(value) === false ? stop : undefined,
    );
  }

  /** Returns all values in order. The map must not change meanwhile: iterate a clone. */
  values(): IterableIterator<V> {
    return this.#tree.values();
  }
}

// The library accepts this result of a forRange callback; its types and documentation leave it out.
const stop = { break: 0 };
