import type { Schema } from '../../apimachinery/codec/interface.js';
import { Strides, type InSteps } from '../../lib/time-slice.js';
import { mapSteps } from './schema-document.js';

const isNullable = (schema: Schema | boolean | undefined): boolean =>
  typeof schema === 'object' && schema.nullable === true;

/** What a field may hold that is null or unknown cannot be said in version 2: its readers must not look inside. */
function closed(schema: Schema): Schema {
  const { allOf: _allOf, anyOf: _anyOf, oneOf: _oneOf, not: _not, nullable, ...said } = schema;
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const { type, items, properties, ...rest } = said;
  const kept: Schema = {
    ...rest,
    ...(!nullable && !open && items && { items }),
    ...(!nullable && !open && properties && { properties }),
  };
  const untyped = nullable === true || (type === 'array' && !kept.items) || (open && type === 'object');
  return untyped || type === undefined ? kept : { ...kept, type };
}

function withoutNullable(schema: Schema): Schema {
  const { required, ...rest } = schema;
  if (!required) return schema;
  const kept = isNullable(schema.additionalProperties)
    ? []
    : required.filter(name => !isNullable(schema.properties?.[name]));
  return kept.length ? { ...rest, required: kept } : rest;
}

/** Makes the structural schema of a custom resource in the terms of OpenAPI v2, as old clients can bear it, in steps. */
// as apiextensions-apiserver/pkg/controller/openapi/v2 ToStructuralOpenAPIV2
export function* swaggerSchema(schema: Schema, strides = new Strides()): InSteps<Schema> {
  if (strides.isOver) yield undefined;
  if (schema.typeName !== undefined) return schema;
  const inner = (one: Schema): InSteps<Schema> => swaggerSchema(one, strides);
  const { properties, items, additionalProperties: more, ...rest } = closed(withoutNullable(schema));
  return {
    ...rest,
    ...(properties && { properties: yield* mapSteps(properties, inner) }),
    ...(items && { items: yield* inner(items) }),
    ...(more !== undefined && { additionalProperties: typeof more === 'object' ? yield* inner(more) : more }),
  };
}
