import { setKey } from '../../../lib/json/clone.js';
import type { JsonObject } from '../../../apimachinery/interface.js';

/** Returns whether a script sees nothing, or an empty table. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object') return false;
  for (const key in value) if ((value as JsonObject)[key] != null) return false;
  return true;
}

/** Returns the list itself if nothing is left out. */
function pruneList(list: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [i, item] of list.entries()) {
    const kept = isEmpty(item) ? undefined : prune(item);
    if (copy === undefined && kept !== item) copy = list.slice(0, i);
    if (kept !== undefined) copy?.push(kept);
  }
  return copy ?? list;
}

/** Returns the first keys of a map, with their values. */
function head(map: JsonObject, keys: readonly string[]): JsonObject {
  const copy: JsonObject = {};
  for (const key of keys) setKey(copy, key, map[key]);
  return copy;
}

/** Returns the map itself if nothing is left out. */
function pruneMap(map: JsonObject): JsonObject {
  let copy: JsonObject | undefined;
  const keys = Object.keys(map);
  for (const [i, key] of keys.entries()) {
    const item = map[key];
    const kept = isEmpty(item) ? undefined : prune(item);
    if (copy === undefined && (kept !== item || kept === undefined)) copy = head(map, keys.slice(0, i));
    if (copy !== undefined && kept !== undefined) setKey(copy, key, kept);
  }
  return copy ?? map;
}

function prune(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? pruneList(value) : pruneMap(value as JsonObject);
}

/**
 * Returns the object without null, empty lists and empty objects, which do not come back from Karmada's scripts. An object that becomes empty by
 * this is kept. The result shares its parts with the given object.
 * as pkg/resourceinterpreter/customized/declarative/luavm convertEmptySliceToEmptyStructPartly
 */
export const withoutEmpty = <T extends JsonObject>(object: T): T => pruneMap(object) as T;
