import { nativeSchema } from '../facts/load.js';
import type { JsonObject } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import type { Reference } from './place.js';

/** Members of a schema that are schemas, or that the documents do not have. */
const structural = new Set<string>([
  ...['properties', 'items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not'],
  ...['typeName', 'scalar', 'presence'],
]);

/** As plain JSON schema: of custom resources, and what their fields are made of. References stand for native types. */
export function schemaDocument(schema: Schema, refer: Reference): JsonObject {
  if (schema.typeName !== undefined) return referenceDocument(schema, schema.typeName, refer);
  const own = Object.entries(schema).filter(([key]) => !structural.has(key));
  const list = (schemas: readonly Schema[]): JsonObject[] => schemas.map(s => schemaDocument(s, refer));
  return {
    ...Object.fromEntries(own),
    ...(schema.properties && { properties: propertiesDocument(schema.properties, refer) }),
    ...(schema.items && { items: schemaDocument(schema.items, refer) }),
    ...(schema.additionalProperties !== undefined && {
      additionalProperties:
        typeof schema.additionalProperties === 'object'
          ? schemaDocument(schema.additionalProperties, refer)
          : schema.additionalProperties,
    }),
    ...(schema.allOf && { allOf: list(schema.allOf) }),
    ...(schema.anyOf && { anyOf: list(schema.anyOf) }),
    ...(schema.oneOf && { oneOf: list(schema.oneOf) }),
    ...(schema.not && { not: schemaDocument(schema.not, refer) }),
  };
}

function propertiesDocument(properties: Readonly<Record<string, Schema>>, refer: Reference): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, schemaDocument(property, refer)]),
  );
}

/** What the place says besides the type. A reference may have no members beside it, so then it stands in an allOf. */
function referenceDocument(schema: Schema, typeName: string, refer: Reference): JsonObject {
  const type = nativeSchema(typeName);
  const said = Object.entries(schema).filter(
    ([key, value]) =>
      !structural.has(key) && key !== 'nullable' && value !== (type as Readonly<Record<string, unknown>>)[key],
  );
  return said.length ? { ...Object.fromEntries(said), allOf: [refer(typeName)] } : refer(typeName);
}
