/** The patch of a client-side `kubectl apply`, JSON merge flavour. */
import type { JsonObject } from '../interface.js';
import { setKey } from '../meta/clone.js';
import { get, isObject } from './json.js';
import { applyMergePatch, createMergePatch } from './merge-patch.js';

/** Only the deletions of a merge patch, or everything but them. Empty objects are values, not empty patches. */
function only(which: 'deletions' | 'changes', patch: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) {
      if (which === 'deletions') setKey(out, key, null);
    } else if (isObject(value) && Object.keys(value).length > 0) {
      const inner = only(which, value);
      if (Object.keys(inner).length > 0) setKey(out, key, inner);
    } else if (which === 'changes') setKey(out, key, value);
  }
  return out;
}

/** Two merge patches as one: where both name a field the second holds; nulls stay. */
function join(first: JsonObject, second: JsonObject): JsonObject {
  const out: JsonObject = { ...first };
  for (const key of Object.keys(second)) {
    const a = get(first, key);
    const b = second[key];
    setKey(out, key, isObject(a) && isObject(b) ? join(a, b) : b);
  }
  return out;
}

/**
 * The merge patch that takes `current` to `modified` (what the user wants now) and deletes what `original` (what the user wanted
 * last time) had and `modified` no longer has. Fields that only others set stay as they are.
 * as apimachinery/pkg/util/jsonmergepatch CreateThreeWayJSONMergePatch
 */
export function threeWayMergePatch(original: JsonObject, modified: JsonObject, current: JsonObject): JsonObject {
  const changes = only('changes', createMergePatch(current, modified));
  const deletions = only('deletions', createMergePatch(original, modified));
  return join(deletions, changes);
}

/** True when the patch would leave the object as it is. */
export function isNoPatch(patch: JsonObject, current: JsonObject): boolean {
  return Object.keys(createMergePatch(current, applyMergePatch(current, patch))).length === 0;
}
