/** Merging one list into another, by strategy `merge`: scalars by value, objects by their merge key. */
import type { JsonObject } from '../../interface.js';
import { patchRejected, plainError } from '../../errors/status.js';
import type { Schema } from '../../codec/interface.js';
import { goString, goType, goValue } from '../go-value.js';
import { get, has, isObject } from '../json.js';
import { goKindOf } from './strategic-meta.js';
import { noMergeKey, orderElements } from './strategic-order.js';

export type MergeObjects = (original: JsonObject, patch: JsonObject, schema: Schema | undefined) => JsonObject;

/** What the elements of both lists are. Errors: 422 for lists of lists, 500 for mixtures. Null elements count for nothing. */
export function elementType(...lists: readonly (readonly unknown[])[]): string {
  let type = '';
  for (const list of lists)
    for (const item of list) {
      if (item === null) continue;
      const found = goType(item);
      if (type === '' && found === '[]interface {}') throw patchRejected();
      if (type !== '' && found !== type) throw plainError(`list element types are not identical: ${goValue(lists)}`);
      type = found;
    }
  if (type === '') throw plainError('no elements in any of the given slices');
  return type;
}

export const unknownDirective = (directive: unknown, patch: JsonObject): Error =>
  plainError(`unknown patch type: ${goString(directive)} in map: ${goValue(patch)}`);

/** Obeys the elements that carry `$patch`, and hands back both lists without them. */
function obeyDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { server: readonly JsonObject[]; rest: readonly JsonObject[] } {
  const deleted = new Set<unknown>();
  let replaced = false;
  const rest: JsonObject[] = [];
  for (const item of patch) {
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
  return { server: deleted.size === 0 ? original : original.filter(item => !deleted.has(get(item, mergeKey))), rest };
}

function mergeObjectLists(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  field: { readonly schema: Schema | undefined; readonly mergeKey: string },
  mergeObjects: MergeObjects,
): unknown[] {
  const { mergeKey, schema } = field;
  if (mergeKey === '') throw plainError(`cannot merge lists without merge key for ${goKindOf(schema)}`);
  const { server, rest } = obeyDirectives(original, patch, mergeKey);
  const merged = [...server];
  const places = new Map<unknown, number>();
  const place = (item: JsonObject, at: number): void => {
    const key = get(item, mergeKey);
    if (!places.has(key)) places.set(key, at);
  };
  server.forEach(place);
  for (const item of rest) {
    if (!has(item, mergeKey)) throw noMergeKey(item, mergeKey);
    const at = places.get(item[mergeKey]);
    const found = at === undefined ? undefined : merged[at];
    if (at !== undefined && found) merged[at] = mergeObjects(found, item, schema);
    else place(item, merged.push(item) - 1);
  }
  return orderElements(merged, { mergeKey, wanted: rest, server });
}

/** The original list with the patch merged in. Neither is changed. */
export function mergeLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  field: { readonly schema: Schema | undefined; readonly mergeKey: string },
  mergeObjects: MergeObjects,
): readonly unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (elementType(original, patch) === 'map[string]interface {}')
    return mergeObjectLists(original.filter(isObject), patch.filter(isObject), field, mergeObjects);
  const values = new Set(original);
  for (const item of patch) values.add(item);
  const merged = [...values];
  if (merged.length === patch.length && merged.every((item, i) => item === patch[i])) return merged;
  return orderElements(merged, { mergeKey: '', wanted: patch, server: original });
}

/** Returns the list without the values of a `$deleteFromPrimitiveList`. */
export function withoutScalars(original: readonly unknown[], gone: readonly unknown[]): readonly unknown[] {
  if (original.length === 0 && gone.length === 0) return original;
  elementType(original, gone);
  const values = new Set(gone);
  return original.filter(item => !values.has(item));
}
