/** Searches values among others, with a hash table for strings, integers and booleans. */
import type { Steps } from '../steps.js';
import { CelMap, CelObject, Uint, type Value } from './values.js';

type Equal = (a: Value, b: Value, steps: Steps) => boolean;

const isSafe = (n: bigint): boolean => n <= BigInt(Number.MAX_SAFE_INTEGER) && n >= -BigInt(Number.MAX_SAFE_INTEGER);

/** Returns a string that two values share exactly when they are equal; undefined when they have to be compared. */
function keyOf(value: Value): string | undefined {
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'boolean') return `b${value}`;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? `n${BigInt(value)}` : undefined;
  const whole = value instanceof Uint ? value.value : value;
  return typeof whole === 'bigint' && isSafe(whole) ? `n${whole}` : undefined;
}

/** A set of values. */
export class CelValueSet {
  private readonly keyed = new Set<string>();
  private readonly unkeyed: Value[] = [];
  private readonly equal: Equal;

  constructor(values: Iterable<Value>, equal: Equal, steps: Steps) {
    this.equal = equal;
    for (const value of values) this.add(value, steps);
  }

  add(value: Value, steps: Steps): void {
    steps.take(4);
    const key = keyOf(value);
    if (key === undefined) this.unkeyed.push(value);
    else this.keyed.add(key);
  }

  has(value: Value, steps: Steps): boolean {
    const key = keyOf(value);
    steps.take(key === undefined ? 1 + this.unkeyed.length : 4 + (key.length >> 3));
    return key === undefined ? this.unkeyed.some(other => this.equal(other, value, steps)) : this.keyed.has(key);
  }
}

const partOf = (of: Value, key: string): Value | undefined =>
  of instanceof CelObject || of instanceof CelMap ? of.get(key) : undefined;

/** Returns the key of a list map's item; undefined when keys have to be compared. */
function identityOf(item: Value, keys: readonly string[]): string | undefined {
  const parts: string[] = [];
  for (const key of keys) {
    const part = partOf(item, key);
    const partKey = part === undefined ? '' : keyOf(part);
    if (partKey === undefined) return undefined;
    parts.push(`${partKey.length}:${partKey}`);
  }
  return parts.join('');
}

/** Returns a function that finds the first item of a list map with the same keys as a given item. */
export function counterpartsOf(
  among: readonly Value[],
  keys: readonly string[],
  equal: Equal,
  steps: Steps,
): (item: Value, steps: Steps) => Value | undefined {
  steps.take(8 * among.length * keys.length);
  const known = new Map<string, Value>();
  let areKeyed = true;
  for (const item of among) {
    const id = identityOf(item, keys);
    if (id === undefined) areKeyed = false;
    else if (!known.has(id)) known.set(id, item);
  }
  const same = (a: Value, b: Value, counted: Steps): boolean =>
    keys.every(key => {
      const [x, y] = [partOf(a, key), partOf(b, key)];
      return x === undefined || y === undefined ? x === y : equal(x, y, counted);
    });
  return (item, counted) => {
    const id = areKeyed ? identityOf(item, keys) : undefined;
    counted.take(id === undefined ? 4 * among.length : 8 * keys.length);
    return id === undefined ? among.find(other => same(item, other, counted)) : known.get(id);
  };
}
