/** Merges lists with the strategy `merge`: scalars by value, objects by their merge key. */
import type { JsonObject } from '../../interface.js';
import { type InSteps, Strides } from '../../../lib/time-slice.js';
import { patchRejected, plainError } from '../../errors/status.js';
import type { Schema } from '../../codec/interface.js';
import { goString, goType, goValue } from '../go-value.js';
import { ownMember, has, isObject } from '../json.js';
import { goKindOf } from './strategic-meta.js';
import { noMergeKey, orderElements } from './strategic-order.js';

type MergeObjects = (original: JsonObject, patch: JsonObject, schema: Schema | undefined) => InSteps<JsonObject>;

/** Returns the Go type of the elements of lists, ignoring null. Errors: 422 for lists of lists, 500 for different types or no elements. */
export function* elementType(...lists: readonly (readonly unknown[])[]): InSteps<string> {
  const strides = new Strides();
  let type = '';
  for (const list of lists)
    for (const item of list) {
      if (strides.isOver) yield;
      if (item === null) continue;
      const found = goType(item);
      if (type === '' && found === '[]interface {}') throw patchRejected();
      if (type !== '' && found !== type) throw plainError(`list element types are not identical: ${goValue(lists)}`);
      type = found;
    }
  if (type === '') throw plainError('no elements in any of the given slices');
  return type;
}

/** Returns 500 for an unknown value of `$patch`. */
export const unknownDirective = (directive: unknown, patch: JsonObject): Error =>
  plainError(`unknown patch type: ${goString(directive)} in map: ${goValue(patch)}`);

/** Applies the elements with `$patch`. Returns both lists after that. Errors: 500. */
function* applyDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): InSteps<{ server: readonly JsonObject[]; rest: readonly JsonObject[] }> {
  const strides = new Strides();
  const deleted = new Set<unknown>();
  let replaced = false;
  const rest: JsonObject[] = [];
  for (const item of patch) {
    if (strides.isOver) yield;
    if (!has(item, '$patch')) {
      rest.push(item);
      continue;
    }
    const directive = item.$patch;
    if (directive === 'delete') {
      if (!has(item, mergeKey)) throw noMergeKey(item, mergeKey);
      deleted.add(item[mergeKey]);
    } else if (directive === 'replace') replaced = true;
    else if (directive === 'merge') throw plainError('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(directive, item);
  }
  if (replaced) return { server: rest, rest: [] };
  return {
    server: deleted.size === 0 ? original : original.filter(item => !deleted.has(ownMember(item, mergeKey))),
    rest,
  };
}

function* mergeObjectLists(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  field: { readonly schema: Schema | undefined; readonly mergeKey: string },
  mergeObjects: MergeObjects,
): InSteps<unknown[]> {
  const strides = new Strides();
  const { mergeKey, schema } = field;
  if (mergeKey === '') throw plainError(`cannot merge lists without merge key for ${goKindOf(schema)}`);
  const { server, rest } = yield* applyDirectives(original, patch, mergeKey);
  yield;
  const merged = [...server];
  const indexes = new Map<unknown, number>();
  const addIndex = (item: JsonObject, index: number): void => {
    const key = ownMember(item, mergeKey);
    if (!indexes.has(key)) indexes.set(key, index);
  };
  for (const [index, item] of server.entries()) {
    addIndex(item, index);
    if (strides.isOver) yield;
  }
  for (const item of rest) {
    if (strides.isOver) yield;
    if (!has(item, mergeKey)) throw noMergeKey(item, mergeKey);
    const index = indexes.get(item[mergeKey]);
    const found = index === undefined ? undefined : merged[index];
    if (index !== undefined && found) merged[index] = yield* mergeObjects(found, item, schema);
    else addIndex(item, merged.push(item) - 1);
  }
  return yield* orderElements(merged, { mergeKey, order: rest, server });
}

/** Merges a patch into a list. Neither is changed. Errors: as `elementType`, and 500 for elements without the merge key. */
export function* mergeLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  field: { readonly schema: Schema | undefined; readonly mergeKey: string },
  mergeObjects: MergeObjects,
): InSteps<readonly unknown[]> {
  if (original.length === 0 && patch.length === 0) return original;
  if ((yield* elementType(original, patch)) === 'map[string]interface {}')
    return yield* mergeObjectLists(original.filter(isObject), patch.filter(isObject), field, mergeObjects);
  yield;
  const values = new Set(original);
  yield;
  for (const item of patch) values.add(item);
  const merged = [...values];
  if (merged.length === patch.length && merged.every((item, i) => item === patch[i])) return merged;
  yield;
  return yield* orderElements(merged, { mergeKey: '', order: patch, server: original });
}

/** Returns the list without the values of a `$deleteFromPrimitiveList`. */
export function* withoutScalars(
  original: readonly unknown[],
  deleted: readonly unknown[],
): InSteps<readonly unknown[]> {
  if (original.length === 0 && deleted.length === 0) return original;
  yield* elementType(original, deleted);
  yield;
  const values = new Set(deleted);
  return original.filter(item => !values.has(item));
}
