/** JSON merge patch, RFC 7386, as implemented by kube-apiserver's library (evanphx/json-patch 4). */
import type { JsonObject } from '../interface.js';
import { setKey } from '../../lib/json/clone.js';
import { badRequest } from '../errors/status.js';
import { ownMember, has, isObject, sortedByKey } from './json.js';
import { jsonKind } from './json-patch.js';

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

/** Returns the merge patch of a decoded body. Errors: 400. `checked`: fieldValidation is Warn or Strict. */
export function decodeMergePatch(body: unknown, mode: 'checked' | 'unchecked' = 'checked'): JsonObject {
  if (isObject(body)) return body;
  if (body === null || mode === 'unchecked') throw badRequest('Invalid JSON Patch');
  const text = `cannot unmarshal ${jsonKind(body)} into Go value of type map[string]interface {}`;
  throw badRequest(`error decoding patch: json: ${text}`);
}
