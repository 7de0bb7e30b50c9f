/** The codecs of lists and maps. */
import { setKey } from '../../lib/json/clone.js';
import { isMap } from '../../lib/json/is-map.js';
import { compareTexts } from '../../lib/collections/compare-texts.js';
import { isSorted } from '../../lib/collections/is-sorted.js';
import { sortInSteps } from '../../lib/collections/sort-in-steps.js';
import { type InSteps, Strides } from '../../lib/time-slice.js';
import { type LongWalk, type TypeCodec, fail, readInSteps } from './codec.js';

type Plain = Record<string, unknown>;

/** Items that are converted in one step. Each may consist of a thousand values. */
const itemsPerStep = 8;

function* listSteps(items: TypeCodec, value: object, walk: LongWalk): InSteps<unknown> {
  if (!Array.isArray(value)) return fail();
  const given: readonly unknown[] = value;
  const strides = new Strides(itemsPerStep);
  const out: unknown[] = [];
  let isSame = walk.shareCanonical;
  for (const item of given) {
    const written = typeof item === 'object' ? yield* readInSteps(items, item, walk) : items.read(item, walk);
    isSame &&= written === item;
    out.push(written);
    if (strides.isOver) yield;
  }
  return isSame ? given : out;
}

/** Returns the codec of a list. */
export function listCodec(items: TypeCodec): TypeCodec {
  return {
    readSteps: (value, walk) => listSteps(items, value, walk),
    read: (value, walk) => {
      if (value === null) return null;
      if (!Array.isArray(value)) return fail();
      const given: readonly unknown[] = value;
      if (walk.emptyAsNull && given.length === 0) return null;
      // hot: items are pushed, since JSON.stringify is slow for a list that was created with its length
      let out: unknown[] | undefined = walk.shareCanonical ? undefined : [];
      for (let i = 0; i < given.length; i++) {
        const item = given[i];
        const written = items.read(item, walk);
        if (out === undefined && written !== item) out = given.slice(0, i);
        out?.push(written);
      }
      return out ?? given;
    },
    zero: () => null,
    empty: written => written === null || (written as unknown[]).length === 0,
  };
}

/** Returns the entries before the key `end`; all of them by default. */
export function entriesBefore(value: Plain, end?: string): Plain {
  const out: Plain = {};
  for (const key in value) {
    if (key === end) break;
    setKey(out, key, value[key]);
  }
  return out;
}

function* mapSteps(values: TypeCodec, value: object, walk: LongWalk): InSteps<unknown> {
  if (!isMap(value)) return fail();
  const strides = new Strides(itemsPerStep);
  const given = walk.large.keysOf(value);
  const inOrder = isSorted(given);
  const keys = inOrder ? given : yield* sortInSteps(given, compareTexts);
  const written: unknown[] = [];
  let isSame = walk.shareCanonical && inOrder;
  for (const key of keys) {
    const inner = value[key];
    const made = typeof inner === 'object' ? yield* readInSteps(values, inner, walk) : values.read(inner, walk);
    isSame &&= made === inner;
    written.push(made);
    if (strides.isOver) yield;
  }
  if (isSame) return value;
  const out: Plain = {};
  for (const [i, key] of keys.entries()) {
    setKey(out, key, written[i]);
    if (strides.isOver) yield;
  }
  return out;
}

/** Returns the codec of a map, which sorts its keys. */
export function mapCodec(values: TypeCodec): TypeCodec {
  return {
    readSteps: (value, walk) => mapSteps(values, value, walk),
    read: (value, walk) => {
      if (value === null) return null;
      if (!isMap(value)) return fail();
      const keys = Object.keys(value);
      if (walk.emptyAsNull && keys.length === 0) return null;
      const inOrder = isSorted(keys);
      if (!inOrder) keys.sort();
      let out: Plain | undefined = walk.shareCanonical && inOrder ? undefined : {};
      for (const key of keys) {
        const written = values.read(value[key], walk);
        if (out === undefined && written !== value[key]) out = entriesBefore(value, key);
        if (out !== undefined) setKey(out, key, written);
      }
      walk.size = keys.length;
      return out ?? value;
    },
    zero: () => null,
    // The map has just been read, so its many keys need not be counted again.
    empty: (written, walk) => written === null || walk.size === 0,
  };
}
