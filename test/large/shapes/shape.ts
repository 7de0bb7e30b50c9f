/** Large objects of many shapes. The size of each depends on a count; `grown` finds the largest that a budget allows. */
import type { KubeObject } from '../../../apimachinery/interface.js';

export interface Shape {
  readonly name: string;
  /** The path at which objects of the kind are created. */
  readonly collection: string;
  readonly native: boolean;
  /** Returns the object with `count` items. */
  make(count: number): KubeObject;
  /** A small merge patch. */
  readonly small?: object;
}

/** Upper bounds of a body. */
interface Budget {
  readonly bytes: number;
  readonly values: number;
}

export const times = <T>(count: number, item: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i));
export const mapOf = <T>(count: number, key: (i: number) => string, value: (i: number) => T): Record<string, T> =>
  Object.fromEntries(times(count, i => [key(i), value(i)]));

/** Returns the number of values in a JSON value, including itself. */
export function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let sum = 1;
  for (const part of Object.values(value)) sum += valuesIn(part);
  return sum;
}

/** Returns the object of a shape with the largest count that the budget allows, to within 2%. */
export function grown(shape: Shape, { bytes, values }: Budget): KubeObject {
  const fits = (count: number): boolean => {
    const made = shape.make(count);
    return JSON.stringify(made).length <= bytes && valuesIn(made) <= values;
  };
  let low = 1;
  let high = 2;
  while (high < 4_000_000 && fits(high)) [low, high] = [high, high * 2];
  while (high - low > Math.max(1, low / 50)) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return shape.make(low);
}

export const metadata = { name: 'large', namespace: 'default' };
export const core = (plural: string): string => `/api/v1/namespaces/default/${plural}`;
export const inGroup = (group: string, plural: string): string => `/apis/${group}/namespaces/default/${plural}`;
