/**
 * Copies values in steps. `cloneJson` is a second walk since generators take time: all 2 KiB of an object took 2.2 times as long in steps as at once.
 * So small parts are copied at once. `test/registry/both-forms.test.ts` holds the two forms of this and of other walks against each other.
 */
import { type InSteps, Strides } from '../time-slice.js';
import { cloneJson, setKey } from './clone.js';
import { LargeValues } from './large-values.js';
import { VerbatimObject } from './verbatim-object.js';

/** Values that are copied in one step, which takes less than a millisecond. */
const maxValuesPerStep = 1000;

/** As `cloneJson`, in steps, for values that may be large. The first step does nothing: other work may have used up this turn. */
export function* cloneSteps<T>(value: T): InSteps<T> {
  if ((yield) === true) return cloneJson(value);
  return (yield* copySteps(value, new LargeValues(maxValuesPerStep))) as T;
}

function* copySteps(value: unknown, large: LargeValues): InSteps<unknown> {
  if (typeof value !== 'object' || value === null || value instanceof VerbatimObject || !large.isLarge(value))
    return cloneJson(value);
  const strides = new Strides();
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const item of value) {
      list.push(typeof item === 'object' ? yield* copySteps(item, large) : item);
      if (strides.isOver) yield;
    }
    return list;
  }
  const from = value as Readonly<Record<string, unknown>>;
  const out: Record<string, unknown> = {};
  for (const key of large.keysOf(from)) {
    const member = from[key];
    setKey(out, key, typeof member === 'object' ? yield* copySteps(member, large) : member);
    if (strides.isOver) yield;
  }
  return out;
}
