type Plain = Readonly<Record<string, unknown>>;

/**
 * Tells the large parts of a value from the others, for work on it in steps. The list of the keys of an object is made in one piece, and takes
 * milliseconds for a hundred thousand of them, so that of a large object is made once.
 */
export class LargeValues {
  readonly #max: number;
  readonly #keys = new Map<object, readonly string[]>();

  /** A value is large if it consists of more than `max` values. */
  constructor(max: number) {
    this.#max = max;
  }

  isLarge(value: object): boolean {
    return this.#countDown(value, this.#max) < 0;
  }

  /** Returns the keys of an object. */
  keysOf(map: Plain): readonly string[] {
    const known = this.#keys.get(map);
    if (known) return known;
    const keys = Object.keys(map);
    if (keys.length > this.#max) this.#keys.set(map, keys);
    return keys;
  }

  /** Returns what is left of a budget after the values in `value`; negative if they exceed it. */
  #countDown(value: unknown, left: number): number {
    if (--left < 0 || typeof value !== 'object' || value === null) return left;
    if (Array.isArray(value)) {
      if (value.length > left) return -1;
      for (let i = 0; i < value.length && left >= 0; i++) left = this.#countDown(value[i], left);
      return left;
    }
    const keys = this.keysOf(value as Plain);
    if (keys.length > left) return -1;
    for (let i = 0; i < keys.length && left >= 0; i++) left = this.#countDown((value as Plain)[keys[i] ?? ''], left);
    return left;
  }
}
