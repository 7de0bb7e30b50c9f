import type { Schema } from '../../apimachinery/codec/interface.js';
import { Strides, type InSteps } from '../../lib/time-slice.js';
import { mapSteps } from './schema-document.js';

const isNullable = (schema: Schema | boolean | undefined): boolean =>
  typeof schema === 'object' && schema.nullable === true;

/** Removes the parts of a schema that version 2 cannot express: a field that may be null or have unknown fields becomes untyped. */
function closed(schema: Schema): Schema {
  const { allOf: _allOf, anyOf: _anyOf, oneOf: _oneOf, not: _not, nullable, ...supported } = schema;
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const { type, items, properties, ...others } = supported;
  const made: Schema = {
    ...others,
    ...(!nullable && !open && items && { items }),
    ...(!nullable && !open && properties && { properties }),
  };
  const untyped = nullable === true || (type === 'array' && !made.items) || (open && type === 'object');
  return untyped || type === undefined ? made : { ...made, type };
}

function withoutNullable(schema: Schema): Schema {
  const { required, ...others } = schema;
  if (!required) return schema;
  const requiredNames = isNullable(schema.additionalProperties)
    ? []
    : required.filter(name => !isNullable(schema.properties?.[name]));
  return requiredNames.length ? { ...others, required: requiredNames } : others;
}

/** Converts the structural schema of a custom resource to OpenAPI v2, in the form that old clients accept, in steps. */
// as apiextensions-apiserver/pkg/controller/openapi/v2 ToStructuralOpenAPIV2
export function* swaggerSchema(schema: Schema, strides = new Strides()): InSteps<Schema> {
  if (strides.isOver) yield undefined;
  if (schema.typeName !== undefined) return schema;
  const inner = (one: Schema): InSteps<Schema> => swaggerSchema(one, strides);
  const { properties, items, additionalProperties: more, ...others } = closed(withoutNullable(schema));
  return {
    ...others,
    ...(properties && { properties: yield* mapSteps(properties, inner) }),
    ...(items && { items: yield* inner(items) }),
    ...(more !== undefined && { additionalProperties: typeof more === 'object' ? yield* inner(more) : more }),
  };
}
