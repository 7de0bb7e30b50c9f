/** JSON merge patch, RFC 7386, as implemented by kube-apiserver's library (evanphx/json-patch 4). */
import type { JsonObject } from '../interface.js';
import { compareTexts } from '../../lib/collections/compare-texts.js';
import { sortInSteps } from '../../lib/collections/sort-in-steps.js';
import { setKey } from '../../lib/json/clone.js';
import { LargeValues } from '../../lib/json/large-values.js';
import { type InSteps, Strides } from '../../lib/time-slice.js';
import { badRequest } from '../errors/status.js';
import { ownMember, has, isObject, sortedByKey } from './json.js';
import { jsonKind } from './json-patch.js';
import { OpenedObject } from './opened-object.js';

/** Returns a value for a new field of the document: without null fields at any depth, but with null elements of lists. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const key of Object.keys(value).sort())
    if (value[key] !== null && value[key] !== undefined) setKey(out, key, withoutNulls(value[key]));
  return out;
}

function merge(current: unknown, patch: unknown): unknown {
  if (!isObject(current)) return withoutNulls(patch);
  if (!isObject(patch)) return patch;
  const out: JsonObject = { ...current };
  let inOrder = true;
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (change === null || change === undefined) delete out[key];
    else {
      inOrder &&= has(current, key);
      setKey(out, key, merge(ownMember(current, key), change));
    }
  }
  // hot: an object without new keys keeps their order, in which it is decoded fastest
  return inOrder ? out : sortedByKey(out);
}

/**
 * Merges a patch into a document: null deletes, objects merge, everything else replaces. Neither input is changed; fields that the patch
 * does not name are shared with `doc`. Objects with new keys are sorted by key.
 */
export function applyMergePatch(doc: JsonObject, patch: JsonObject): JsonObject {
  return merge(doc, patch) as JsonObject;
}

/** Values that are merged in one step, which takes about a millisecond. */
const maxValuesPerStep = 1000;

/**
 * As `applyMergePatch`, in steps, for a document or a patch that may be large. The first step does nothing: other work may have used up this turn.
 * Small parts are merged at once, by a walk of its own: a patch of an object of 2 KiB took 3 times as long in steps.
 */
export function* mergePatchSteps(doc: JsonObject, patch: JsonObject): InSteps<JsonObject> {
  if ((yield) === true) return applyMergePatch(doc, patch);
  return (yield* mergeSteps(doc, patch, new LargeValues(maxValuesPerStep))) as JsonObject;
}

const isLarge = (value: unknown, large: LargeValues): boolean =>
  typeof value === 'object' && value !== null && large.isLarge(value);

function* mergeSteps(current: unknown, patch: unknown, large: LargeValues): InSteps<unknown> {
  if (!isLarge(patch, large) && !isLarge(current, large)) return merge(current, patch);
  if (!isObject(current)) return yield* withoutNullsSteps(patch, large);
  if (!isObject(patch)) return patch;
  const strides = new Strides();
  const out = new OpenedObject(current);
  let inOrder = true;
  for (const key of large.keysOf(patch)) {
    const change = patch[key];
    if (change === null || change === undefined) out.remove(key);
    else {
      inOrder &&= has(current, key);
      const before = ownMember(current, key);
      out.set(key, typeof change === 'object' ? yield* mergeSteps(before, change, large) : change);
    }
    if (strides.isOver) yield;
  }
  return yield* out.plainSteps(inOrder ? 'kept' : 'sorted');
}

function* withoutNullsSteps(value: unknown, large: LargeValues): InSteps<unknown> {
  if (!isLarge(value, large)) return withoutNulls(value);
  const strides = new Strides();
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      items.push(typeof item === 'object' ? yield* withoutNullsSteps(item, large) : item);
      if (strides.isOver) yield;
    }
    return items;
  }
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const key of yield* sortInSteps(large.keysOf(value), compareTexts)) {
    const member = value[key];
    if (member !== null && member !== undefined)
      setKey(out, key, typeof member === 'object' ? yield* withoutNullsSteps(member, large) : member);
    if (strides.isOver) yield;
  }
  return out;
}

/** Returns the merge patch of a decoded body. Errors: 400. `checked`: fieldValidation is Warn or Strict. */
export function decodeMergePatch(body: unknown, mode: 'checked' | 'unchecked' = 'checked'): JsonObject {
  if (isObject(body)) return body;
  if (body === null || mode === 'unchecked') throw badRequest('Invalid JSON Patch');
  const text = `cannot unmarshal ${jsonKind(body)} into Go value of type map[string]interface {}`;
  throw badRequest(`error decoding patch: json: ${text}`);
}
