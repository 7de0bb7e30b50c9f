/** Fields and items of values: `a.b`, `a[b]`, `has(a.b)`, `a.?b`. as cel-go interpreter/attributes.go */
import { typeOfValue } from './measure.js';
import { CelError, CelMap, CelObject, List, Uint, type Value, shownKey } from './values.js';
import { typeName } from './types.js';

/** The place in a list that a number means. */
function place(key: Value): number {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof Uint) return Number(key.value);
  if (typeof key === 'number' && Number.isInteger(key)) return key;
  throw new CelError(`unsupported index type '${typeName(typeOfValue(key))}' in list`);
}

/** A field or item; undefined when it is not there. */
export function find(value: Value, key: Value): Value | undefined {
  if (value instanceof CelMap) return value.get(key);
  if (value instanceof CelObject) {
    if (typeof key === 'string') return value.get(key);
    throw new CelError('no such overload');
  }
  if (!(value instanceof List)) return undefined;
  const at = place(key);
  return at >= 0 && at < value.size ? value.at(at) : undefined;
}

/** A field or item. Throws when it is not there. */
export function qualify(value: Value, key: Value): Value {
  const found = find(value, key);
  if (found !== undefined) return found;
  throw new CelError(`${value instanceof List ? 'index out of bounds' : 'no such key'}: ${shownKey(key)}`);
}
