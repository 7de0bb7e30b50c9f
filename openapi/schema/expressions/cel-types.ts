/**
 * Converts schemas to types of CEL, with the maximum sizes of their values, and JSON to values of CEL.
 * as apiserver/pkg/cel/common/schemas.go and valuesunstructured.go
 */
import { readDuration } from '../../../lib/go/duration.js';
import { type Int64, isInt64, isNumeric } from '../../../lib/json/json.js';
import { escapeName, isReserved } from './cel-names.js';
import type { Sizes } from '../../../lib/cel/checker/node-sizes.js';
import {
  type Type,
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  list,
  map,
  string,
  timestamp,
} from '../../../lib/cel/types.js';
import { CelError, CelMap, CelObject, Duration, List, type Value, keeping } from '../../../lib/cel/values.js';
import { equalJson } from '../../../lib/cel/compare.js';
import { goType } from '../../../apimachinery/patch/go-value.js';
import { Opaque } from '../../../lib/cel/opaque.js';
import { readTimestamp } from '../../../lib/cel/time.js';
import { opaque } from '../../../lib/cel/types.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import type { SchemaProps } from '../schema-props.js';

/** Maximum size of a request in bytes. */
export const maxRequest = 3 * 1024 * 1024;

/** A schema as a type of CEL. */
export interface Declared {
  readonly type: Type;
  readonly sizes: Sizes;
  /** Minimum length of a value's JSON, in bytes. */
  readonly minSize: number;
  /** The declared types of fields by escaped name. */
  readonly fields?: ReadonlyMap<string, Declared>;
  /** The declared type of items, or of values of a map. */
  readonly items?: Declared;
}

const scalar = (type: Type, minSize: number, max = 0): Declared => ({ type, sizes: { max }, minSize });

const stringType: Schema = { type: 'string' };
const metaSchema: Schema = { type: 'object', properties: { name: stringType, generateName: stringType } };

/** Returns the schema of a resource with kind, apiVersion, and metadata of only name and generateName, unless it declares all of them. */
function withMeta(schema: Schema): Schema {
  const properties = { ...schema.properties, kind: stringType, apiVersion: stringType };
  const given = schema.properties;
  const isDeclared =
    given?.['kind']?.type === 'string' &&
    given['apiVersion']?.type === 'string' &&
    given['metadata']?.type === 'object' &&
    given['metadata'].properties?.['name']?.type === 'string' &&
    given['metadata'].properties['generateName']?.type === 'string';
  return isDeclared ? schema : { ...schema, properties: { ...properties, metadata: metaSchema } };
}

function maxText(schema: Schema): number {
  if (schema.maxLength !== undefined) return Math.max(0, Number(schema.maxLength)) * 4;
  const { enum: values = [] } = schema;
  if (values.length > 0)
    return Math.max(0, ...values.map(value => (typeof value === 'string' ? Buffer.byteLength(value) : 0)));
  return maxRequest - 2;
}

function declareString(schema: Schema): Declared {
  switch (schema.format) {
    case 'byte':
      return scalar(bytes, 2, schema.maxLength === undefined ? maxRequest - 2 : Math.max(0, Number(schema.maxLength)));
    case 'duration':
      return scalar(duration, 3, 32);
    case 'date':
      return scalar(timestamp, 12, 12);
    case 'date-time':
      return scalar(timestamp, 21, 32);
    default:
      return scalar(string, 2, maxText(schema));
  }
}

let names = 0;

function declareObject(schema: Schema): Declared {
  const fields = new Map<string, Declared>();
  let minSize = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const declared = declare(property, property['x-kubernetes-embedded-resource'] === true);
    if (!declared) continue;
    const field = escapeName(name);
    if (field !== undefined) fields.set(field, declared);
    if (schema.required?.includes(name) && property.default === undefined)
      minSize += Buffer.byteLength(name) + declared.minSize + 4;
  }
  const name = `selfType${(names += 1)}`;
  return {
    type: {
      kind: 'object',
      name,
      field: field => (fields.get(field) ?? (isReserved(field) ? fields.get(`__${field}__`) : undefined))?.type,
    },
    sizes: { max: 0, field: field => fields.get(field)?.sizes },
    minSize,
    fields,
  };
}

const maxElements = (given: Int64 | undefined, size: number): number =>
  given === undefined ? Math.floor((maxRequest - 2) / size) : Math.max(0, Number(given));

/** Returns the type of a schema; undefined if expressions cannot access its values. `root`: the schema is that of a resource. */
export function declare(given: Schema | SchemaProps, root: boolean): Declared | undefined {
  let schema = given as Schema;
  if (schema['x-kubernetes-int-or-string'])
    return scalar(dyn, 1, schema.maxLength === undefined ? maxRequest - 2 : Math.max(0, Number(schema.maxLength)) * 4);
  if (root) schema = withMeta(schema);
  switch (schema.type) {
    case 'array': {
      const items = schema.items && declare(schema.items, schema.items['x-kubernetes-embedded-resource'] === true);
      if (!items) return undefined;
      const sizes = { max: maxElements(schema.maxItems, items.minSize + 1), items: items.sizes };
      return { type: list(items.type), sizes, minSize: 2, items };
    }
    case 'object': {
      const { additionalProperties: more } = schema;
      if (typeof more !== 'object') return declareObject(schema);
      const items = declare(more, more['x-kubernetes-embedded-resource'] === true);
      if (!items) return undefined;
      const sizes = { max: maxElements(schema.maxProperties, items.minSize + 6), items: items.sizes, keys: { max: 0 } };
      return { type: map(string, items.type), sizes, minSize: 2, items };
    }
    case 'string':
      return declareString(schema);
    case 'boolean':
      return scalar(bool, 4);
    case 'number':
      return scalar(double, 1);
    case 'integer':
      return scalar(int, 1);
    default:
      return undefined;
  }
}

// --- values -----------------------------------------------------------------------------------------------------

type Plain = Readonly<Record<string, unknown>>;

const unknown = opaque('unknown');

const fail = (text: string): never => {
  throw new CelError(text);
};

/** Parses a timestamp, which may have any letter between date and time. */
function time(text: string): Value {
  return readTimestamp(text.toUpperCase().replace(/^(.{10})./, '$1T'));
}

function textValue(text: string, format: string | undefined): Value {
  switch (format) {
    case 'duration': {
      const found = readDuration(text);
      return typeof found === 'bigint' ? new Duration(found) : fail(`Invalid duration ${text}: ${found.error}`);
    }
    case 'date':
      return time(`${text}T00:00:00Z`);
    case 'date-time':
      return time(text);
    case 'byte':
      return Buffer.from(text, 'base64');
    default:
      return text;
  }
}

function listValue(value: readonly unknown[], schema: Schema): List {
  const { items } = schema;
  if (!items) return fail('invalid array type, expected Items with a non-empty Schema');
  const type = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys']?.map(key => escapeName(key) ?? key);
  const like = type === 'set' ? 'set' : type === 'map' ? keys : undefined;
  return new List(value.length, keeping(i => celValue(value[i], items)) as List['at'], like);
}

/** By schema: the property of each identifier. A reserved word is found by its unescaped name, too. */
const escapedNames = new WeakMap<Schema, ReadonlyMap<string, string>>();

function namesOf(schema: Schema): ReadonlyMap<string, string> {
  let found = escapedNames.get(schema);
  if (!found) {
    const entries = Object.keys(schema.properties ?? {}).flatMap(name => {
      const field = escapeName(name);
      if (field === undefined) return [];
      return isReserved(name) ? [[field, name] as const, [name, name] as const] : [[field, name] as const];
    });
    found = new Map(entries);
    escapedNames.set(schema, found);
  }
  return found;
}

const roots = new WeakMap<Schema, Schema>();

function rootSchema(schema: Schema): Schema {
  let found = roots.get(schema);
  if (!found) {
    found = withMeta(schema);
    roots.set(schema, found);
  }
  return found;
}

function objectValue(value: Plain, schema: Schema): Value {
  const { properties, additionalProperties: more } = schema;
  if (!properties && typeof more === 'object') {
    const get = keeping((key: Value) =>
      typeof key === 'string' && Object.hasOwn(value, key) ? celValue(value[key], more) : undefined,
    );
    const keys = Object.keys(value);
    return new CelMap(keys.length, () => keys, get);
  }
  const fields = namesOf(schema);
  const get = keeping((field: string): Value | undefined => {
    const name = fields.get(field);
    const property = name === undefined ? undefined : properties?.[name];
    if (name === undefined || !property || !Object.hasOwn(value, name)) return undefined;
    return value[name] == null ? undefined : celValue(value[name], property);
  });
  return new CelObject(get, value, member =>
    properties && Object.hasOwn(properties, member) ? escapeName(member) : undefined,
  );
}

/** Converts JSON to a value of CEL, whose parts are converted on access. Throws CelError if the value does not match the schema. */
export function celValue(
  value: unknown,
  schema: Schema,
  root = schema['x-kubernetes-embedded-resource'] === true,
): Value {
  if (value == null) return schema.nullable ? null : fail('invalid data, got null for schema with nullable=false');
  if (schema['x-kubernetes-int-or-string']) {
    if (typeof value === 'string') return value;
    if (isInt64(value)) return BigInt(value);
    return fail('invalid data, expected XIntOrString value to be either a string or integer');
  }
  switch (schema.type) {
    case 'object':
      if (typeof value !== 'object' || Array.isArray(value))
        return fail('invalid data, expected a map for the provided schema with type=object');
      return objectValue(value as Plain, root ? rootSchema(schema) : schema);
    case 'array':
      if (!Array.isArray(value)) return fail('invalid data, expected an array for the provided schema with type=array');
      return listValue(value, schema);
    case 'string':
      return typeof value === 'string'
        ? textValue(value, schema.format)
        : fail(`invalid data, expected string, got ${goType(value)}`);
    case 'number':
      return isNumeric(value) ? Number(value) : fail(`invalid data, expected float, got ${goType(value)}`);
    case 'integer':
      return isInt64(value) ? BigInt(value) : fail(`invalid data, expected int, got ${goType(value)}`);
    case 'boolean':
      return typeof value === 'boolean' ? value : fail(`invalid data, expected bool, got ${goType(value)}`);
    default:
      // Values without a schema can only be compared.
      if (schema['x-kubernetes-preserve-unknown-fields'])
        return new Opaque(unknown, value, (other, steps) => equalJson(value, other.value, steps));
      return fail(`invalid type, expected object, array, number, integer, boolean or string, got ${schema.type ?? ''}`);
  }
}
