import { compareTexts } from '../../lib/collections/compare-texts.js';
import { sortInSteps } from '../../lib/collections/sort-in-steps.js';
import { setKey } from '../../lib/json/clone.js';
import { type InSteps, Strides } from '../../lib/time-slice.js';
import type { JsonObject } from '../interface.js';

const removed = Symbol('removed');

/** An object that a patch changes. The changes stand beside the original: a copy of tens of thousands of members takes some 30 ms. */
export class OpenedObject {
  readonly #original: JsonObject;
  readonly #changes = new Map<string, unknown>();
  /** Whether a member may be removed. */
  #removes = false;

  constructor(original: JsonObject) {
    this.#original = original;
  }

  has(key: string): boolean {
    const change = this.#changes.get(key);
    return change === undefined ? Object.hasOwn(this.#original, key) : change !== removed;
  }

  /** Returns undefined for a key that it does not have. */
  get(key: string): unknown {
    const change = this.#changes.get(key);
    if (change !== undefined) return change === removed ? undefined : change;
    return Object.hasOwn(this.#original, key) ? this.#original[key] : undefined;
  }

  set(key: string, value: unknown): void {
    this.#changes.set(key, value);
  }

  remove(key: string): void {
    this.#removes = true;
    this.#changes.set(key, removed);
  }

  /** Returns the keys of the original that are left, in its order, and then the new ones. */
  keys(): string[] {
    const keys = Object.keys(this.#original);
    if (this.#changes.size === 0) return keys;
    const left = this.#removes ? keys.filter(key => this.#changes.get(key) !== removed) : keys;
    for (const [key, value] of this.#changes)
      if (value !== removed && !Object.hasOwn(this.#original, key)) left.push(key);
    return left;
  }

  /** hot: Returns a plain object with sorted keys. `member` makes its objects and lists. */
  plain(member: (value: unknown) => unknown): JsonObject {
    const out: JsonObject = {};
    for (const key of this.keys().sort()) {
      const value = this.get(key);
      setKey(out, key, typeof value === 'object' ? member(value) : value);
    }
    return out;
  }

  /** Returns a plain object, in steps, with its keys sorted or in the order of `keys()`. `member` makes its objects and lists; by default, they are shared. */
  *plainSteps(order: 'sorted' | 'kept', member?: (value: unknown) => InSteps<unknown>): InSteps<JsonObject> {
    const strides = new Strides();
    const keys = order === 'kept' ? this.keys() : yield* sortInSteps(this.keys(), compareTexts);
    const out: JsonObject = {};
    for (const key of keys) {
      const value = this.get(key);
      setKey(out, key, member && typeof value === 'object' ? yield* member(value) : value);
      if (strides.isOver) yield;
    }
    return out;
  }
}
