/**
 * Applies strategic merge patches: merge patches for which the schema says which lists are merged, and by which key.
 * as apimachinery/pkg/util/strategicpatch StrategicMergeMapPatch
 */
import type { JsonObject } from '../../interface.js';
import { setKey } from '../../../lib/json/clone.js';
import { atOnce, type InSteps, Strides } from '../../../lib/time-slice.js';
import { badRequest } from '../../errors/status.js';
import type { Schema } from '../../codec/interface.js';
import { ownMember, has, isObject } from '../json.js';
import { jsonKind } from '../json-patch.js';
import { OpenedObject } from '../opened-object.js';
import { elementType, mergeLists, unknownDirective, withoutScalars } from './strategic-list.js';
import { listMeta, objectMeta, type PatchMeta } from './strategic-meta.js';
import { badArgument, checkOrder, directedField, orderElements, serverAfter } from './strategic-order.js';

const orderPrefix = '$setElementOrder';
const deletionPrefix = '$deleteFromPrimitiveList';
const dropped = Symbol('dropped');

/** Returns a value for a new field of the object: without nulls, and without objects that have a directive. */
function* fresh(value: unknown): InSteps<unknown> {
  const strides = new Strides();
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const item of value) {
      const made = typeof item === 'object' ? yield* fresh(item) : (item as unknown);
      if (made !== dropped) list.push(made);
      if (strides.isOver) yield;
    }
    return list;
  }
  if (!isObject(value)) return value;
  if ((ownMember(value, '$patch') ?? null) !== null) return dropped;
  const out: JsonObject = {};
  for (const key of Object.keys(value)) {
    const inner = value[key];
    const made = inner === null ? dropped : typeof inner === 'object' ? yield* fresh(inner) : inner;
    if (made !== dropped) setKey(out, key, made);
    if (strides.isOver) yield;
  }
  return out;
}

/** Keys of an object that is copied at once. */
const maxKeysPerStep = 512;

/** Returns a copy of an object with changed fields. `dropped` fields are removed. */
function* withChanges(original: JsonObject, changes: ReadonlyMap<string, unknown>): InSteps<JsonObject> {
  if (Object.keys(original).length <= maxKeysPerStep) {
    const out = { ...original };
    for (const [key, value] of changes) {
      if (value === dropped) delete out[key];
      else setKey(out, key, value);
    }
    return out;
  }
  const opened = new OpenedObject(original);
  for (const [key, value] of changes) {
    if (value === dropped) opened.remove(key);
    else opened.set(key, value);
  }
  yield;
  return yield* opened.plainSteps('kept');
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
function* retained(original: JsonObject, patch: JsonObject): InSteps<JsonObject> {
  if (!has(patch, '$retainKeys')) return yield* withChanges(original, new Map());
  const bad = (): Error => badRequest('invalid patch format of retainKeys');
  if (!Array.isArray(patch.$retainKeys)) throw bad();
  const keys = new Set<unknown>(patch.$retainKeys);
  for (const key of Object.keys(patch)) {
    const directive = key === '$retainKeys' || key.startsWith(deletionPrefix) || key.startsWith(orderPrefix);
    if (patch[key] !== null && !directive && !keys.has(key)) throw bad();
  }
  yield;
  const left = Object.keys(original).filter(key => !keys.has(key));
  return yield* withChanges(original, new Map(left.map(key => [key, dropped])));
}

function optionalList(object: JsonObject, key: string): readonly unknown[] | undefined {
  const value = ownMember(object, key);
  if (value !== undefined && !Array.isArray(value)) throw badArgument('[]interface {}', value);
  return value;
}

/** Returns the list of a `$setElementOrder`, merged with its patch and ordered; undefined if there is no list. */
function* orderedList(
  original: JsonObject,
  patch: JsonObject,
  field: string,
  order: readonly unknown[],
  schema: Schema | undefined,
): InSteps<readonly unknown[] | undefined> {
  const server = optionalList(original, field);
  const changes = optionalList(patch, field);
  const meta = listMeta(schema, field);
  yield* checkOrder(changes ?? [], order, meta.mergeKey);
  if (!server && !changes) return undefined;
  let merged = server ?? ((yield* fresh(changes)) as unknown[]);
  if (server && changes) merged = yield* mergedList(server, changes, meta);
  yield* elementType(server ?? [], changes ?? []);
  const before =
    meta.strategy === 'merge' ? yield* serverAfter(server ?? [], changes ?? [], meta.mergeKey) : (server ?? []);
  return yield* orderElements(merged, { mergeKey: meta.mergeKey, order, server: before });
}

function* mergedList(
  server: readonly unknown[],
  changes: readonly unknown[],
  meta: PatchMeta,
): InSteps<readonly unknown[]> {
  return meta.strategy === 'merge' ? yield* mergeLists(server, changes, meta, mergeObjects) : changes;
}

/** Merges the value of a field in the patch into that of the object; returns `dropped` if the field is removed. */
function* mergedField(before: unknown, change: unknown, field: string, schema: Schema | undefined): InSteps<unknown> {
  if (change === null) return dropped;
  if (typeof change !== 'object') return change;
  if (isObject(before) && isObject(change)) {
    const meta = objectMeta(schema, field);
    return meta.strategy === 'replace' ? change : yield* mergeObjects(before, change, meta.schema);
  }
  if (Array.isArray(before) && Array.isArray(change)) return yield* mergedList(before, change, listMeta(schema, field));
  return yield* fresh(change);
}

function* deleteScalars(out: JsonObject, key: string, change: unknown): InSteps<void> {
  const field = directedField(key, deletionPrefix, 'primitive list');
  const before = ownMember(out, field);
  if (change === null) {
    delete out[field];
    return;
  }
  if (Array.isArray(before) && Array.isArray(change)) setKey(out, field, yield* withoutScalars(before, change));
}

/** Returns the original itself if the patch changed nothing, so that callers can compare by reference. */
function unlessSame(original: JsonObject, out: JsonObject): JsonObject {
  const keys = Object.keys(out);
  const same = keys.length === Object.keys(original).length && keys.every(key => ownMember(original, key) === out[key]);
  return same ? original : out;
}

const isDirective = (key: string): boolean => key.startsWith('$');

/** Merges a patch without directives. Copies the original when the first field changes. */
function* mergeFields(original: JsonObject, patch: JsonObject, schema: Schema | undefined): InSteps<JsonObject> {
  const strides = new Strides();
  const changes = new Map<string, unknown>();
  for (const key of Object.keys(patch)) {
    const isThere = has(original, key);
    const before = isThere ? original[key] : undefined;
    const value = yield* mergedField(before, patch[key], key, schema);
    if (value === dropped ? isThere : !isThere || value !== before) changes.set(key, value);
    if (strides.isOver) yield;
  }
  return changes.size === 0 ? original : yield* withChanges(original, changes);
}

function* mergeObjects(original: JsonObject, patch: JsonObject, schema: Schema | undefined): InSteps<JsonObject> {
  if (has(patch, '$patch')) return applyDirective(patch);
  if (!Object.keys(patch).some(isDirective)) return yield* mergeFields(original, patch, schema);
  const strides = new Strides();
  const out = yield* retained(original, patch);
  const done = new Set(['$retainKeys']);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(orderPrefix)) continue;
    done.add(key);
    const order = patch[key];
    if (!Array.isArray(order)) throw badArgument('[]interface {}', order);
    const field = directedField(key, orderPrefix, 'setElementOrder list');
    const list = yield* orderedList(out, patch, field, order, schema);
    if (!list) continue;
    setKey(out, field, list);
    done.add(field);
  }
  for (const key of Object.keys(patch)) {
    if (strides.isOver) yield;
    if (done.has(key)) continue;
    const change = patch[key];
    if (key.startsWith(deletionPrefix)) yield* deleteScalars(out, key, change);
    else {
      const value = yield* mergedField(ownMember(out, key), change, key, schema);
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
export const strategicMergePatch = (...of: Parameters<typeof strategicMergeSteps>): JsonObject =>
  atOnce(strategicMergeSteps(...of));

/** As `strategicMergePatch`, in steps, for an object or a patch that may be large. */
export const strategicMergeSteps = (original: JsonObject, patch: JsonObject, schema: Schema): InSteps<JsonObject> =>
  mergeObjects(original, patch, schema);

/** Returns the strategic merge patch of a decoded body. Errors: 400. */
export function decodeStrategicPatch(body: unknown): JsonObject {
  if (isObject(body)) return body;
  if (body === null) return {};
  throw badRequest(`json: cannot unmarshal ${jsonKind(body)} into Go value of type map[string]interface {}`);
}
