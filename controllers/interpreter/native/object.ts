import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { cloneJson } from '../../../lib/json/clone.js';
import { isMap } from '../../../lib/json/is-map.js';
import type { InterpretedPodSpec } from './pod.js';

/** Returns the map at a path of keys; undefined if there is none. */
export function mapAt(object: unknown, ...path: readonly string[]): JsonObject | undefined {
  let value = object;
  for (const key of path) value = isMap(value) ? value[key] : undefined;
  return isMap(value) ? value : undefined;
}

/** Returns the number at a path of fields; undefined if there is another value or none. */
export function numberAt(object: unknown, ...path: readonly string[]): number | undefined {
  const value = mapAt(object, ...path.slice(0, -1))?.[path.at(-1) ?? ''];
  return typeof value === 'number' ? value : undefined;
}

/** Returns the string at a path of fields; undefined if there is another value or none. */
export function textAt(object: unknown, ...path: readonly string[]): string | undefined {
  const value = mapAt(object, ...path.slice(0, -1))?.[path.at(-1) ?? ''];
  return typeof value === 'string' ? value : undefined;
}

/** Returns a copy with the value at the path; missing maps are created. */
export function withValue(object: KubeObject, path: readonly string[], value: unknown): KubeObject {
  const copy = cloneJson(object);
  let map: JsonObject = copy;
  for (const key of path.slice(0, -1)) {
    const next = isMap(map[key]) ? map[key] : {};
    map[key] = next;
    map = next;
  }
  map[path.at(-1) ?? ''] = value;
  return copy;
}

/** Returns the pod template's spec. */
export const templateSpec = (object: KubeObject): InterpretedPodSpec => mapAt(object, 'spec', 'template', 'spec') ?? {};

/** Returns the status; undefined if it is not a map. */
export const statusMapOf = (object: KubeObject): JsonObject | undefined => mapAt(object, 'status');
