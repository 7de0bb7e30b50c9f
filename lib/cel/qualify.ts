/** Fields and items of values: `a.b`, `a[b]`, `has(a.b)`, `a.?b`. as cel-go interpreter/attributes.go */
import { typeOfValue } from './measure.js';
import { CelError, CelMap, CelObject, List, Uint, type Value, shownKey } from './values.js';
import { typeName } from './types.js';

/** Returns the list index that a value denotes. */
function indexOf(key: Value): number {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof Uint) return Number(key.value);
  if (typeof key === 'number' && Number.isInteger(key)) return key;
  throw new CelError(`unsupported index type '${typeName(typeOfValue(key))}' in list`);
}

/** Returns a field or item; undefined when it is absent. */
export function findMember(value: Value, key: Value): Value | undefined {
  if (value instanceof CelMap) return value.get(key);
  if (value instanceof CelObject) {
    if (typeof key === 'string') return value.get(key);
    throw new CelError('no such overload');
  }
  if (!(value instanceof List)) return undefined;
  const at = indexOf(key);
  return at >= 0 && at < value.size ? value.at(at) : undefined;
}

/** Returns a field or item. Throws when it is absent. */
export function qualify(value: Value, key: Value): Value {
  const found = findMember(value, key);
  if (found !== undefined) return found;
  throw new CelError(`${value instanceof List ? 'index out of bounds' : 'no such key'}: ${shownKey(key)}`);
}
