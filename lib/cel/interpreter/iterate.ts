/** The items of a comprehension's range. */
import type { Steps } from '../../steps.js';
import { findMember } from '../qualify.js';
import { typeName } from '../types.js';
import { typeOfValue } from '../measure.js';
import { CelError, CelMap, CelObject, List, type Value } from '../values.js';

export interface Items {
  readonly size: number;
  readonly first: (at: number) => Value;
  readonly second: (at: number) => Value;
}

/** Returns the items of a list or the keys of a map; with `pairs` the indexes or keys, and the items or values. `steps` counts the keys. */
export function iterate(range: Value, pairs: boolean, steps: Steps): Items {
  if (range instanceof List)
    return { size: range.size, first: pairs ? at => BigInt(at) : at => range.at(at), second: at => range.at(at) };
  if (range instanceof CelMap || range instanceof CelObject) {
    steps.take(range instanceof CelMap ? range.size : Object.keys(range.raw).length);
    const keys = range instanceof CelMap ? range.keys() : Object.keys(range.raw).flatMap(key => range.knows(key) ?? []);
    return {
      size: keys.length,
      first: at => keys[at] as Value,
      second: at => findMember(range, keys[at] as Value) ?? null,
    };
  }
  throw new CelError(`unsupported comprehension range type: ${typeName(typeOfValue(range))}`);
}
