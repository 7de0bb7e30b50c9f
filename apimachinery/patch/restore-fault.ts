/**
 * Finds why the result of a strategic merge patch cannot be converted to its native type.
 * as apimachinery/pkg/runtime/converter.go fromUnstructured
 */
import type { JsonObject } from '../interface.js';
import { Literal } from '../../lib/json/literal.js';
import type { Schema } from '../codec/interface.js';
import { goType } from './go-value.js';
import { ownMember, isObject } from './json.js';
import { goKindOf } from './strategic/strategic-meta.js';

/** Returns the reflect.Kind of a decoded JSON value. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  return isObject(value) ? 'map' : goType(value);
}

/** Returns whether a number is whole, as are the Literals of a strategic patch. */
const isWhole = (value: unknown): boolean => value instanceof Literal || Number.isInteger(value);

function scalarFault(value: unknown, schema: Schema): string | undefined {
  const from = kindOf(value);
  const to = schema.type === 'boolean' ? 'bool' : schema.type === 'string' ? 'string' : (schema.format ?? 'int64');
  if (schema.type === 'number')
    return from === 'int64' || from === 'float64' ? undefined : 'unrecognized type: float64';
  if (schema.type === 'integer' && from === 'int64') return undefined;
  if (from === to || (schema.type === 'integer' && isWhole(value))) return undefined;
  const convertible = (from === 'int64' && to === 'string') || (from === 'float64' && schema.type === 'integer');
  return convertible ? `cannot convert ${from} to ${to}` : `unrecognized type: ${to}`;
}

/** Returns the fault of the first field that has one. hot: it allocates nothing. */
function structFault(value: JsonObject, { properties = {} }: Schema): string | undefined {
  for (const key in properties) {
    const fault = restoreFault(ownMember(value, key), properties[key]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function mapFault(value: JsonObject, { additionalProperties }: Schema): string | undefined {
  const element = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  for (const key in value) {
    const fault = restoreFault(value[key], element);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function listFault(value: readonly unknown[], { items }: Schema): string | undefined {
  for (const item of value) {
    const fault = restoreFault(item, items);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function objectFault(value: unknown, schema: Schema): string | undefined {
  const struct = goKindOf(schema) === 'struct';
  if (!isObject(value))
    return struct ? `cannot restore struct from: ${kindOf(value)}` : `cannot restore map from ${kindOf(value)}`;
  return struct ? structFault(value, schema) : mapFault(value, schema);
}

/**
 * Returns the text about the first value of a wrong type: `cannot restore slice from string`. Unknown fields are ignored, and so are types
 * with an UnmarshalJSON (quantities, times, ...).
 */
export function restoreFault(value: unknown, schema: Schema | undefined): string | undefined {
  if (value === null || value === undefined || !schema) return undefined;
  if (schema.scalar !== undefined || schema.type === undefined) return undefined;
  if (schema.type === 'array')
    return Array.isArray(value) ? listFault(value, schema) : `cannot restore slice from ${kindOf(value)}`;
  if (schema.type === 'object') return objectFault(value, schema);
  if (schema.format === 'byte')
    return typeof value === 'string' ? undefined : `cannot restore slice from ${kindOf(value)}`;
  return scalarFault(value, schema);
}
