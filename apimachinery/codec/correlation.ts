/** Pairs new values with the old values they replace, for ratcheting and transition rules. as apiserver/pkg/cel/common CorrelatedObject */
import { deepEqual } from '../../lib/json/equality.js';
import { jsonText } from '../../lib/json/json.js';
import type { Schema } from './interface.js';
import { isMap } from '../../lib/json/is-map.js';

export interface Correlation {
  readonly value: unknown;
  readonly old: unknown;
  readonly schema: Schema;
  /** Returns the correlation of a field; undefined unless both values have it. */
  key(name: string): Correlation | undefined;
  /** Returns the correlation of an item of a list map; undefined for other lists, and for items that the old list does not have. */
  index(at: number): Correlation | undefined;
  /** Returns whether the values are equal; items of list maps may have been reordered. */
  unchanged(): boolean;
}

/** Returns the key of an item of a list map; undefined if a part is missing or not a scalar. */
export function listMapKey(item: unknown, keys: readonly string[]): string | undefined {
  if (!isMap(item)) return undefined;
  const parts: unknown[] = [];
  for (const name of keys) {
    const part = Object.hasOwn(item, name) ? item[name] : undefined;
    if (part == null || typeof part === 'object') return undefined;
    parts.push(part);
  }
  return jsonText(parts);
}

/** Returns the items of a list map by key; of duplicates the first. */
export function listMapIndex(list: readonly unknown[], keys: readonly string[]): Map<string, unknown> {
  const out = new Map<string, unknown>();
  for (const item of list) {
    const id = listMapKey(item, keys);
    if (id !== undefined && !out.has(id)) out.set(id, item);
  }
  return out;
}

/** Returns the schema of a property, or of the values of a map; undefined if there is none. */
export function fieldSchema(schema: Schema, name: string): Schema | undefined {
  if (schema.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

/** Pairs a value with the old one. Children are correlated on demand, once. */
export function correlate(value: unknown, old: unknown, schema: Schema): Correlation {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const isListMap = schema['x-kubernetes-list-type'] === 'map' && keys.length > 0;
  const children = new Map<string | number, Correlation | undefined>();
  let before: Map<string, unknown> | undefined;
  let same: boolean | undefined;

  const makeKey = (name: string): Correlation | undefined => {
    if (!isMap(value) || !isMap(old)) return undefined;
    const property = fieldSchema(schema, name);
    if (!property || !Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
    return correlate(value[name], old[name], property);
  };

  const makeIndex = (at: number): Correlation | undefined => {
    if (!isListMap || !schema.items || !Array.isArray(value) || !Array.isArray(old)) return undefined;
    before ??= listMapIndex(old, keys);
    const id = listMapKey(value[at], keys);
    const match = id === undefined ? undefined : before.get(id);
    return match == null ? undefined : correlate(value[at], match, schema.items);
  };

  const memoized = <K extends string | number>(id: K, make: (id: K) => Correlation | undefined) => {
    if (!children.has(id)) children.set(id, make(id));
    return children.get(id);
  };

  const compare = (): boolean => {
    if (!isListMap || !Array.isArray(value) || !Array.isArray(old)) {
      if (!isMap(value) || !isMap(old)) return deepEqual(value, old);
      const names = Object.keys(value);
      if (names.length !== Object.keys(old).length) return false;
      return names.every(name => self.key(name)?.unchanged() ?? false);
    }
    return value.length === old.length && value.every((_, i) => self.index(i)?.unchanged() ?? false);
  };

  const self: Correlation = {
    value,
    old,
    schema,
    key: name => memoized(name, makeKey),
    index: at => memoized(at, makeIndex),
    unchanged: () => (same ??= compare()),
  };
  return self;
}
