/**
 * Finds the errors of Go's strict decoder in a document, in its order: unknown fields, duplicate fields, and the first value of a wrong
 * type. It is used only for documents with errors, which `canonical` detects faster.
 */
import { readDuration } from '../../lib/go/duration.js';
import { goNumber, goQuote } from '../../lib/go/go-text.js';
import { quantityError } from '../quantity/quantity.js';
import { readMicroTime, readTime } from '../../lib/go/time.js';
import { base64Error } from './base64.js';
import type { Schema } from './interface.js';
import { isInt64, isNumeric, numberValue } from '../../lib/json/json.js';
import { Literal } from '../../lib/json/literal.js';
import { ObjectNode } from './strict-json.js';

interface Inspection {
  /** `unknown field "spec.foo"`, `duplicate field "data"`; at most 100, without duplicates. */
  readonly faults: readonly string[];
  /** The paths of unknown fields. */
  readonly unknown: readonly string[];
  /** The text about the first value of a wrong type. */
  readonly error?: string;
}

/** Thrown for a text that the UnmarshalJSON of a type refuses: Go stops there. For values of a wrong type it keeps the first error, and continues. */
class Refused extends Error {}

interface Walk {
  readonly faults: Set<string>;
  readonly unknown: string[];
  /** The path in strict errors. */
  readonly path: string[];
  /** The path in type errors: only the names of fields. */
  readonly names: string[];
  /** The Go struct whose fields are inspected. */
  struct: string;
  error?: string;
}

const maxStrictErrors = 100;

function addFault(walk: Walk, what: 'unknown' | 'duplicate', name: string): void {
  const path = walk.path.length === 0 ? name : `${walk.path.join('')}.${name}`;
  const fault = `${what} field ${goQuote(path)}`;
  if (walk.faults.size >= maxStrictErrors || walk.faults.has(fault)) return;
  walk.faults.add(fault);
  if (what === 'unknown') walk.unknown.push(path);
}

const lastName = (typeName: string): string => typeName.slice(typeName.lastIndexOf('.') + 1);

/** Returns `v1.Container` for `io.k8s.api.core.v1.Container`. */
function qualifiedName(typeName: string): string {
  return typeName.split('.').slice(-2).join('.');
}

const scalarTypes: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool', number: 'float64' };

/** Returns the Go type of a schema. differs: defined types of strings and maps (`v1.PullPolicy`) are not known here. */
function goType(schema: Schema): string {
  if (schema.typeName && !schema.scalar) return qualifiedName(schema.typeName);
  if (schema.type === 'array') return `[]${schema.items ? goType(schema.items) : 'interface {}'}`;
  if (schema.type === 'object')
    return `map[string]${typeof schema.additionalProperties === 'object' ? goType(schema.additionalProperties) : 'interface {}'}`;
  if (schema.type === 'integer') return schema.format ?? 'int64';
  if (schema.format === 'byte') return '[]uint8';
  return scalarTypes[schema.type ?? ''] ?? qualifiedName(schema.typeName ?? 'interface {}');
}

/** Returns the type of a value in the errors of encoding/json. */
export function jsonType(value: unknown): string {
  if (value instanceof Literal || isNumeric(value)) return 'number';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function wrongTypeText(walk: Walk, found: string, type: string): string {
  const field = walk.names.length === 0 ? 'Go value' : `Go struct field ${walk.struct}.${walk.names.join('.')}`;
  return `json: cannot unmarshal ${found} into ${field} of type ${type}`;
}

function wrongType(walk: Walk, found: string, type: string): void {
  walk.error ??= wrongTypeText(walk, found, type);
}

type Report = typeof wrongType;

/** Reports a wrong type to an UnmarshalJSON, at which Go stops. */
const refuseType: Report = (walk, found, type) => refuse(wrongTypeText(walk, found, type));

function inspectNumber(value: unknown, type: string, limit: number, walk: Walk, report: Report = wrongType): void {
  const number = value instanceof Literal ? numberValue(value.text) : value;
  if (!isNumeric(number)) return report(walk, jsonType(value), type);
  const fits =
    limit === Infinity ? Number.isFinite(Number(number)) : isInt64(number) && number >= -limit && number < limit;
  const isWhole = !(value instanceof Literal) || /^-?\d+$/.test(value.text);
  if (fits && (isWhole || limit === Infinity)) return;
  report(walk, `number ${value instanceof Literal ? value.text : goNumber(number)}`, type);
}

const refuse = (text: string | undefined): void => {
  if (text !== undefined) throw new Refused(text);
};

const errorOf = (found: object | string | bigint | null): string | undefined =>
  typeof found === 'object' && found !== null && 'error' in found ? String(found.error) : undefined;

const textChecks: Partial<Record<NonNullable<Schema['scalar']>, (text: string) => string | undefined>> = {
  time: text => errorOf(readTime(text)),
  microTime: text => errorOf(readMicroTime(text)),
  duration: text => errorOf(readDuration(text)),
};

function inspectScalar(value: unknown, scalar: NonNullable<Schema['scalar']>, walk: Walk): void {
  if (scalar === 'quantity') {
    const text =
      value instanceof Literal ? value.text : typeof value === 'string' || isNumeric(value) ? String(value) : '{}';
    return refuse(quantityError(text));
  }
  if (scalar === 'intOrString') {
    if (typeof value !== 'string') inspectNumber(value, 'int32', 2 ** 31, walk, refuseType);
    return;
  }
  const check = textChecks[scalar];
  if (!check) return;
  if (typeof value === 'string') refuse(check(value));
  else refuseType(walk, jsonType(value), 'string');
}

/** Keeps the first error. */
function inspectBase64(value: string, walk: Walk): void {
  const error = walk.error ?? base64Error(value);
  if (error !== undefined) walk.error = error;
}

/** Yields the entries of an object; for one of `parseStrict` with duplicate keys. */
function* entriesOf(value: object): Generator<readonly [string, unknown]> {
  if (value instanceof ObjectNode) yield* value.entries;
  else yield* Object.entries(value);
}

function inspectMap(value: object, schema: Schema | undefined, walk: Walk): void {
  const seen = new Set<string>();
  for (const [name, inner] of entriesOf(value)) {
    if (seen.has(name)) addFault(walk, 'duplicate', name);
    seen.add(name);
    walk.path.push(walk.path.length === 0 ? name : `.${name}`);
    inspect(inner, schema, walk);
    walk.path.pop();
  }
}

function inspectStruct(value: object, schema: Schema, walk: Walk): void {
  const { properties = {} } = schema;
  const struct = lastName(schema.typeName ?? '');
  const outer = walk.struct;
  const seen = new Set<string>();
  for (const [name, inner] of entriesOf(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!property) {
      addFault(walk, 'unknown', name);
      continue;
    }
    if (seen.has(name)) addFault(walk, 'duplicate', name);
    seen.add(name);
    walk.struct = struct;
    walk.path.push(walk.path.length === 0 ? name : `.${name}`);
    walk.names.push(name);
    inspect(inner, property, walk);
    walk.names.pop();
    walk.path.pop();
  }
  walk.struct = outer;
}

function inspectList(value: readonly unknown[], items: Schema | undefined, walk: Walk): void {
  value.forEach((item, i) => {
    walk.path.push(`[${i}]`);
    inspect(item, items, walk);
    walk.path.pop();
  });
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Literal);

/** Without a schema, finds only duplicate keys. */
function inspect(value: unknown, schema: Schema | undefined, walk: Walk): void {
  if (value === null) return;
  if (!schema) {
    if (Array.isArray(value)) inspectList(value, undefined, walk);
    else if (isObject(value)) inspectMap(value, undefined, walk);
    return;
  }
  if (schema.scalar) return inspectScalar(value, schema.scalar, walk);
  switch (schema.type) {
    case undefined:
      // A JSON schema in a JSON schema: its UnmarshalJSON is not strict.
      return;
    case 'array':
      if (Array.isArray(value)) return inspectList(value, schema.items, walk);
      return wrongType(walk, jsonType(value), goType(schema));
    case 'object':
      if (!isObject(value)) return wrongType(walk, jsonType(value), goType(schema));
      if (schema.properties) return inspectStruct(value, schema, walk);
      if (typeof schema.additionalProperties === 'object') inspectMap(value, schema.additionalProperties, walk);
      return;
    case 'integer': {
      const wide = schema.format !== 'int32';
      return inspectNumber(value, wide ? 'int64' : 'int32', wide ? 2 ** 63 : 2 ** 31, walk);
    }
    case 'number':
      return inspectNumber(value, 'float64', Infinity, walk);
    case 'boolean':
      if (typeof value !== 'boolean') wrongType(walk, jsonType(value), 'bool');
      return;
    case 'string':
      if (typeof value !== 'string') wrongType(walk, jsonType(value), goType(schema));
      else if (schema.format === 'byte') inspectBase64(value, walk);
  }
}

/** Inspects a value, or a tree of `parseStrict`. Without a schema (custom resources) it finds only duplicate keys. */
export function inspectFields(value: unknown, schema?: Schema): Inspection {
  const walk: Walk = { faults: new Set(), unknown: [], path: [], names: [], struct: '' };
  try {
    inspect(value, schema, walk);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    walk.error = error.message;
  }
  return { faults: [...walk.faults], unknown: walk.unknown, ...(walk.error !== undefined && { error: walk.error }) };
}
