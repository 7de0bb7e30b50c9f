/** Copies JSON values, several times faster than structuredClone, which supports all types. */

import { VerbatimObject } from './verbatim-object.js';

type Plain = Record<string, unknown>;

/** Sets a key that may be `__proto__`, which an assignment would use as the prototype. */
export function setKey(target: Plain, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const out: unknown[] = []; // hot: an array created with its length is filled slowly
    for (const item of value) out.push(copy(item));
    return out;
  }
  const from = value as Plain;
  const out: Plain = {};
  for (const key of Object.keys(from)) {
    if (key === '__proto__') setKey(out, key, copy(from[key]));
    else out[key] = copy(from[key]);
  }
  return from instanceof VerbatimObject ? new VerbatimObject(out, VerbatimObject.textOf(from)) : out;
}

/** Returns a deep copy of a JSON value. hot: every object that is changed, since stored ones are shared. */
export function cloneJson<T>(value: T): T {
  return copy(value) as T;
}
