/** Finds duplicates in lists that are sets or maps. as apiextensions-apiserver/pkg/apiserver/schema/listtype */
import { append } from '../../lib/collections/append.js';
import { maxFaults } from '../../apimachinery/errors/limits.js';
import type { Fault } from '../../apimachinery/interface.js';
import { child, duplicate, index, invalidValue, key, omitted } from '../../apimachinery/errors/faults.js';
import { sortKeys } from '../../lib/go/go-text.js';
import { jsonText } from '../../lib/json/json.js';
import { Literal } from '../../lib/json/literal.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { someSchema } from '../../apimachinery/codec/some-schema.js';
import { isMap } from '../../lib/json/is-map.js';

type Plain = Record<string, unknown>;

/** Returns a text that is the same only for equal values. */
function identity(value: unknown): string {
  if (typeof value === 'string') return `"${value}`;
  // A float is not equal to an int, although both have the same JSON inside of an object.
  if (value instanceof Literal) return `float ${value.text}`;
  return typeof value === 'object' ? jsonText(sortKeys(value)) : String(value);
}

/** Returns the index of the second occurrence of each text. */
function repeats(texts: readonly string[]): number[] {
  if (texts.length < 2 || new Set(texts).size === texts.length) return [];
  const seen = new Map<string, number>();
  const out: number[] = [];
  for (const [i, text] of texts.entries()) {
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    if (count === 2) out.push(i);
  }
  return out;
}

/** Makes the faults of items in a list. Faults beyond those that the response lists have no values. */
const duplicates = (indexes: readonly number[], path: string, shown: (at: number) => unknown): Fault[] =>
  indexes.map((at, i) => duplicate(index(path, at), i < 2 * maxFaults ? sortKeys(shown(at)) : omitted));

function mapKey(item: unknown, keys: readonly string[]): Plain {
  const out: Plain = {};
  if (isMap(item)) for (const name of keys) if (Object.hasOwn(item, name)) out[name] = item[name];
  return out;
}

const keyText = (value: unknown, { length }: readonly string[]): string =>
  length === 1 && value instanceof Literal ? identity(value) : jsonText(value);

/** Maximum number of keys that are looked up in each item; with more keys the fields of the item are looked up instead. */
const maxLookups = 8;

/** Returns a text for each item; texts are equal only for items with equal keys. */
function keyIdentities(list: readonly unknown[], keys: readonly string[]): string[] {
  const indexes = new Map(keys.map((name, at) => [name, at]));
  // An item that is null counts as an object without keys.
  const byKeys = (item: Plain): string => {
    let text = '';
    for (const name of keys) text += Object.hasOwn(item, name) ? `${keyText(item[name], keys)},` : ',';
    return text;
  };
  const byFields = (item: Plain): string =>
    Object.keys(item)
      .flatMap(name => indexes.get(name) ?? [])
      .sort((a, b) => a - b)
      .map(at => `${at}:${keyText(item[keys[at] as string], keys)},`)
      .join('');
  const identity = keys.length <= maxLookups ? byKeys : byFields;
  return list.map(item => identity(isMap(item) ? item : {}));
}

function mapFaults(list: readonly unknown[], schema: Schema, path: string): Fault[] {
  const invalid = list.findIndex(item => item !== null && !isMap(item));
  if (invalid >= 0)
    return [invalidValue(index(path, invalid), list[invalid], 'must be an object for an array of list-type map')];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return duplicates(repeats(keyIdentities(list, keys)), path, i => mapKey(list[i], keys));
}

/** Reports whether a schema has sets or list maps at or below it. */
const hasSetsOrMaps = someSchema(({ 'x-kubernetes-list-type': type }) => type === 'set' || type === 'map');

function listFaults(list: readonly unknown[], schema: Schema, path: string, out: Fault[]): void {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'map') append(out, mapFaults(list, schema, path));
  if (type === 'set' && list.length > 1)
    append(
      out,
      duplicates(repeats(list.map(identity)), path, i => list[i]),
    );
  const { items } = schema;
  if (items) list.forEach((item, i) => walk(item, items, index(path, i), out));
}

function walk(value: unknown, schema: Schema, path: string, out: Fault[]): void {
  if (!hasSetsOrMaps(schema)) return;
  if (Array.isArray(value)) return listFaults(value, schema, path, out);
  if (!isMap(value)) return;
  const { properties, additionalProperties: more } = schema;
  for (const name of Object.keys(value)) {
    const inner = value[name];
    if (typeof inner !== 'object' || inner === null) continue;
    if (typeof more === 'object') walk(inner, more, key(path, name), out);
    const property = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property) walk(inner, property, child(path, name), out);
  }
}

/** Returns one fault for each value of a set, and each key of a list map, that occurs more than once. */
export function listTypeFaults(value: unknown, schema: Schema, path = ''): Fault[] {
  const out: Fault[] = [];
  walk(value, schema, path, out);
  return out;
}
