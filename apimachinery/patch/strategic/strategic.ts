/**
 * Applies strategic merge patches: merge patches for which the schema says which lists are merged, and by which key.
 * as apimachinery/pkg/util/strategicpatch StrategicMergeMapPatch
 */
import type { JsonObject } from '../../interface.js';
import { setKey } from '../../../lib/json/clone.js';
import { badRequest } from '../../errors/status.js';
import type { Schema } from '../../codec/interface.js';
import { ownMember, has, isObject } from '../json.js';
import { jsonKind } from '../json-patch.js';
import { elementType, mergeLists, unknownDirective, withoutScalars } from './strategic-list.js';
import { listMeta, objectMeta, type PatchMeta } from './strategic-meta.js';
import { badArgument, checkOrder, directedField, orderElements, serverAfter } from './strategic-order.js';

const orderPrefix = '$setElementOrder';
const deletionPrefix = '$deleteFromPrimitiveList';
const dropped = Symbol('dropped');

/** Returns a value for a new field of the object: without nulls, and without objects that have a directive. */
function fresh(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fresh).filter(item => item !== dropped);
  if (!isObject(value)) return value;
  if ((ownMember(value, '$patch') ?? null) !== null) return dropped;
  const out: JsonObject = {};
  for (const key of Object.keys(value)) {
    const inner = value[key] === null ? dropped : fresh(value[key]);
    if (inner !== dropped) setKey(out, key, inner);
  }
  return out;
}

function without(object: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = object;
  return rest;
}

/** Returns the value of a map with `$patch`: the patch itself, or an empty map. Errors: 500. */
function applyDirective(patch: JsonObject): JsonObject {
  if (patch.$patch === 'replace') return without(patch, '$patch');
  if (patch.$patch === 'delete') return {};
  throw unknownDirective(patch.$patch, patch);
}

/** Returns a copy of the object with only the keys that `$retainKeys` lists. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  if (!has(patch, '$retainKeys')) return { ...original };
  const bad = (): Error => badRequest('invalid patch format of retainKeys');
  if (!Array.isArray(patch.$retainKeys)) throw bad();
  const keys = new Set<unknown>(patch.$retainKeys);
  for (const key of Object.keys(patch)) {
    const directive = key === '$retainKeys' || key.startsWith(deletionPrefix) || key.startsWith(orderPrefix);
    if (patch[key] !== null && !directive && !keys.has(key)) throw bad();
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.has(key)));
}

function optionalList(object: JsonObject, key: string): readonly unknown[] | undefined {
  const value = ownMember(object, key);
  if (value !== undefined && !Array.isArray(value)) throw badArgument('[]interface {}', value);
  return value;
}

/** Returns the list of a `$setElementOrder`, merged with its patch and ordered; undefined if there is no list. */
function orderedList(
  original: JsonObject,
  patch: JsonObject,
  field: string,
  order: readonly unknown[],
  schema: Schema | undefined,
): readonly unknown[] | undefined {
  const server = optionalList(original, field);
  const changes = optionalList(patch, field);
  const meta = listMeta(schema, field);
  checkOrder(changes ?? [], order, meta.mergeKey);
  if (!server && !changes) return undefined;
  let merged = server ?? (fresh(changes) as unknown[]);
  if (server && changes) merged = mergedList(server, changes, meta);
  elementType(server ?? [], changes ?? []);
  const before = meta.strategy === 'merge' ? serverAfter(server ?? [], changes ?? [], meta.mergeKey) : (server ?? []);
  return orderElements(merged, { mergeKey: meta.mergeKey, order, server: before });
}

function mergedList(server: readonly unknown[], changes: readonly unknown[], meta: PatchMeta): readonly unknown[] {
  return meta.strategy === 'merge' ? mergeLists(server, changes, meta, mergeObjects) : changes;
}

/** Merges the value of a field in the patch into that of the object; returns `dropped` if the field is removed. */
function mergedField(before: unknown, change: unknown, field: string, schema: Schema | undefined): unknown {
  if (isObject(before) && isObject(change)) {
    const meta = objectMeta(schema, field);
    return meta.strategy === 'replace' ? change : mergeObjects(before, change, meta.schema);
  }
  if (Array.isArray(before) && Array.isArray(change)) return mergedList(before, change, listMeta(schema, field));
  return fresh(change);
}

function deleteScalars(out: JsonObject, key: string, change: unknown): void {
  const field = directedField(key, deletionPrefix, 'primitive list');
  const before = ownMember(out, field);
  if (change === null) {
    delete out[field];
    return;
  }
  if (Array.isArray(before) && Array.isArray(change)) setKey(out, field, withoutScalars(before, change));
}

/** Returns the original itself if the patch changed nothing, so that callers can compare by reference. */
function unlessSame(original: JsonObject, out: JsonObject): JsonObject {
  const keys = Object.keys(out);
  const same = keys.length === Object.keys(original).length && keys.every(key => ownMember(original, key) === out[key]);
  return same ? original : out;
}

const isDirective = (key: string): boolean => key.startsWith('$');

/** Merges a patch without directives. Copies the original when the first field changes. */
function mergeFields(original: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  let out = original;
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    const isThere = has(original, key);
    const before = isThere ? original[key] : undefined;
    const value = change === null ? dropped : isThere ? mergedField(before, change, key, schema) : fresh(change);
    if (value === dropped ? !isThere : isThere && value === before) continue;
    if (out === original) out = { ...original };
    if (value === dropped) delete out[key];
    else setKey(out, key, value);
  }
  return out;
}

function mergeObjects(original: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  if (has(patch, '$patch')) return applyDirective(patch);
  if (!Object.keys(patch).some(isDirective)) return mergeFields(original, patch, schema);
  const out = retained(original, patch);
  const done = new Set(['$retainKeys']);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(orderPrefix)) continue;
    done.add(key);
    const order = patch[key];
    if (!Array.isArray(order)) throw badArgument('[]interface {}', order);
    const field = directedField(key, orderPrefix, 'setElementOrder list');
    const list = orderedList(out, patch, field, order, schema);
    if (!list) continue;
    setKey(out, field, list);
    done.add(field);
  }
  for (const key of Object.keys(patch)) {
    if (done.has(key)) continue;
    const change = patch[key];
    if (key.startsWith(deletionPrefix)) deleteScalars(out, key, change);
    else {
      const value =
        change === null ? dropped : has(out, key) ? mergedField(out[key], change, key, schema) : fresh(change);
      if (value === dropped) delete out[key];
      else setKey(out, key, value);
    }
  }
  return unlessSame(original, out);
}

/**
 * Merges the patch into the object by the strategies of the schema. Neither input is changed; fields that the patch does not name are
 * shared with `original`. The result is not decoded: it may have unknown fields and values of wrong types.
 * Errors, with upstream's texts: 400 for malformed $retainKeys and list directives, 422 for lists of lists, 500 without reason
 * for the others (unknown directives, missing merge keys).
 */
export function strategicMergePatch(original: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  return mergeObjects(original, patch, schema);
}

/** Returns the strategic merge patch of a decoded body. Errors: 400. */
export function decodeStrategicPatch(body: unknown): JsonObject {
  if (isObject(body)) return body;
  if (body === null) return {};
  throw badRequest(`json: cannot unmarshal ${jsonKind(body)} into Go value of type map[string]interface {}`);
}
