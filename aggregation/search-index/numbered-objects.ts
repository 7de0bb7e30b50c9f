import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { compareTexts } from '../../lib/collections/compare-texts.js';
import { sortInSteps } from '../../lib/collections/sort-in-steps.js';
import { LowestTexts } from '../../lib/collections/lowest-texts.js';
import { SortedTexts } from '../../lib/collections/sorted-texts.js';
import { type InSteps, Strides } from '../../lib/time-slice.js';
import type { SearchHealth } from './health.js';
import { type NamespaceMatches, ObjectGroups } from './object-groups.js';
import { isMarked, marked } from './postings.js';

/** A group that no object is in. */
const noGroup = 0;
const minLength = 64;
/** Objects that are visited in one step. */
const stride = 256;
/** Words of bits whose matches are counted in one step: up to a hundred thousand matches, which take less than a millisecond. */
const wordStride = 4096;
/** Namespaces that are sorted at once. */
const fewNamespaces = 512;

/** Which keys of matches are wanted. */
interface Wanted {
  readonly limit: number;
  /** A key: those after it are wanted. '' for all. */
  readonly after: string;
}

/** Keys of a namespace begin with this, and have its order. */
const beginningOf = (namespace: string): string => (namespace === '' ? '' : namespacedName(namespace, ''));

/** Returns how many keys are expected to be read until enough of them match. They are read in the order of the namespaces. */
function keysToRead(namespaces: readonly NamespaceMatches[], limit: number): number {
  let [keys, left] = [0, limit];
  for (const { size, matches } of namespaces) {
    if (matches >= left) return keys + (size * left) / matches;
    keys += size;
    left -= matches;
  }
  return keys;
}

/**
 * The objects of an index by their numbers and by their keys. What a query asks about all its matches is in arrays of numbers: a visit of their
 * objects would take a hundred times as long.
 */
export class NumberedObjects {
  readonly #keys: (string | undefined)[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #sortedKeys = new SortedTexts();
  readonly #groups = new ObjectGroups();
  /** The groups by the numbers of their objects. */
  #groupOf = new Uint32Array(minLength);
  /** The numbers that may be used again. */
  readonly #free: number[] = [];

  get size(): number {
    return this.#numbers.size;
  }

  /** One more than the highest number of an object. */
  get limit(): number {
    return this.#keys.length;
  }

  /** Returns the key of the object with the number; undefined if it has been removed or has a new one. */
  keyOf(number: number): string | undefined {
    return this.#keys[number];
  }

  /** Adds an object with a new key. Returns its number. */
  add(key: string, namespace: string, health: SearchHealth): number {
    const number = this.#free.pop() ?? this.#keys.length;
    this.#keys[number] = key;
    this.#numbers.set(key, number);
    this.#sortedKeys.add(key);
    if (number >= this.#groupOf.length) {
      const longer = new Uint32Array(2 * this.#groupOf.length);
      longer.set(this.#groupOf);
      this.#groupOf = longer;
    }
    this.#groupOf[number] = this.#groups.add(namespace, health);
    return number;
  }

  /** Removes an object. Returns its number, which is not used again before `reuse`; undefined if there is no such object. */
  remove(key: string): number | undefined {
    const number = this.#numbers.get(key);
    if (number === undefined) return undefined;
    this.#numbers.delete(key);
    this.#sortedKeys.delete(key);
    this.#keys[number] = undefined;
    this.#groups.remove(this.#groupOf[number] as number);
    this.#groupOf[number] = noGroup;
    return number;
  }

  /** Lets the number of a removed object be used again. */
  reuse(number: number): void {
    this.#free.push(number);
  }

  /** hot: counts the objects with these numbers. It takes some nanoseconds for each of them, and no memory. */
  *count(bits: Uint32Array): InSteps<readonly NamespaceMatches[]> {
    const groupOf = this.#groupOf;
    const counts = this.#groups.zeros();
    const words = Math.min(bits.length, groupOf.length >>> 5);
    for (let i = 0; i < words; i++) {
      if ((i + 1) % wordStride === 0) yield;
      for (let word = bits[i] as number; word !== 0; word &= word - 1) {
        const group = groupOf[(i << 5) | (31 - Math.clz32(word & -word))] as number;
        counts[group] = (counts[group] as number) + 1;
      }
    }
    return yield* this.#groups.matches(counts);
  }

  /** Returns how many of the objects with these numbers are in some namespaces, and not after a key. */
  *countUpTo(bits: Uint32Array, key: string, namespaces: readonly NamespaceMatches[]): InSteps<number> {
    const names = new Set(namespaces.map(({ namespace }) => namespace));
    const strides = new Strides(stride);
    let count = 0;
    for (const number of marked(bits)) {
      const each = this.#keys[number];
      if (each !== undefined && each <= key && names.has(this.#namespaceOf(number))) count++;
      if (strides.isOver) yield;
    }
    return count;
  }

  /**
   * Returns the lowest keys of the objects with these numbers in some namespaces, sorted. Either the matches are compared with each other, or the
   * keys of the namespaces are read in their order until enough of them match: whatever is expected to visit fewer objects.
   */
  *lowestKeys(bits: Uint32Array, namespaces: readonly NamespaceMatches[], wanted: Wanted): InSteps<readonly string[]> {
    const matches = namespaces.reduce((sum, each) => sum + each.matches, 0);
    const order = (a: NamespaceMatches, b: NamespaceMatches): number =>
      compareTexts(beginningOf(a.namespace), beginningOf(b.namespace));
    const sorted =
      namespaces.length > fewNamespaces ? yield* sortInSteps(namespaces, order) : [...namespaces].sort(order);
    const found =
      keysToRead(sorted, wanted.limit) < matches
        ? this.#firstMatches(bits, sorted, wanted)
        : this.#lowestMatches(bits, sorted, wanted);
    return yield* found;
  }

  *#firstMatches(
    bits: Uint32Array,
    namespaces: readonly NamespaceMatches[],
    { limit, after }: Wanted,
  ): InSteps<readonly string[]> {
    const found: string[] = [];
    const strides = new Strides(stride);
    for (const { namespace, matches } of namespaces) {
      let left = matches;
      for (const key of this.#sortedKeys.startingWith(beginningOf(namespace), after)) {
        if (strides.isOver) yield;
        const number = this.#numbers.get(key) as number;
        if (!isMarked(bits, number) || this.#namespaceOf(number) !== namespace) continue;
        if (found.push(key) === limit) return found;
        if (--left === 0) break;
      }
    }
    return found;
  }

  *#lowestMatches(
    bits: Uint32Array,
    namespaces: readonly NamespaceMatches[],
    { limit, after }: Wanted,
  ): InSteps<readonly string[]> {
    const names = new Set(namespaces.map(({ namespace }) => namespace));
    const found = new LowestTexts(limit);
    const strides = new Strides(stride);
    for (const number of marked(bits)) {
      const key = this.#keys[number];
      if (key !== undefined && key > after && names.has(this.#namespaceOf(number))) found.add(key);
      if (strides.isOver) yield;
    }
    return found.sorted();
  }

  /** Returns the namespace of an object. A walk calls it at every visit: between two steps, a number may go to an object of another namespace. */
  #namespaceOf(number: number): string {
    return this.#groups.namespaceOf(this.#groupOf[number] as number) ?? '';
  }
}
