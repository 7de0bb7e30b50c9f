import { atOnce } from '../../lib/time-slice.js';
import { nativeEnum } from '../facts/enums.js';
import { kindsOfType, nativeSchema } from '../facts/native-schemas.js';
import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { metaType } from './component-names.js';
import type { PublishSource } from './interface.js';
import type { Reference } from './resource-operations.js';
import { schemaDocument } from './schema-document.js';

/** The components of types whose JSON is not an object with the fields of the Go struct. */
const scalarDocuments: Readonly<Record<NonNullable<Schema['scalar']>, JsonObject>> = {
  duration: { type: 'string' },
  fieldsV1: { type: 'object' },
  intOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  json: {},
  microTime: { type: 'string', format: 'date-time' },
  quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  rawExtension: { type: 'object' },
  time: { type: 'string', format: 'date-time' },
};

/** DeleteOptions and WatchEvent also belong to the group-version of the document. */
const everywhere = [metaType('DeleteOptions'), metaType('WatchEvent')];

function kindsIn(typeName: string, groupVersion: GroupVersionKind): readonly GroupVersionKind[] {
  const kinds = kindsOfType(typeName);
  const [first] = kinds;
  if (!first || !everywhere.includes(typeName) || groupVersion.group === '') return kinds;
  return [...kinds, { group: groupVersion.group, version: groupVersion.version, kind: first.kind }];
}

/** Adds an enum to a schema: to the items of a list, or to the values of a map. */
function withEnum(schema: Schema, values: readonly string[] | undefined): Schema {
  if (!values) return schema;
  if (schema.items) return { ...schema, items: { ...schema.items, enum: values } };
  const more = schema.additionalProperties;
  return typeof more === 'object'
    ? { ...schema, additionalProperties: { ...more, enum: values } }
    : { ...schema, enum: values };
}

function structDocument(
  typeName: string,
  schema: Schema,
  describe: PublishSource['describe'],
  refer: Reference,
): JsonObject {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    // Unset pointers without omitempty are null on the wire, but not nullable in upstream's schemas.
    const { nullable: _, ...published } = property;
    const description = describe?.(typeName, name);
    const field = {
      ...withEnum(published, nativeEnum(typeName, name)),
      ...(description !== undefined && { description }),
    };
    return [name, atOnce(schemaDocument(field, refer))];
  });
  return {
    type: 'object',
    ...(schema.required && { required: schema.required }),
    ...(properties.length && { properties: Object.fromEntries(properties) as JsonObject }),
    ...(schema['x-kubernetes-map-type'] && { 'x-kubernetes-map-type': schema['x-kubernetes-map-type'] }),
    ...(schema['x-kubernetes-unions'] !== undefined && { 'x-kubernetes-unions': schema['x-kubernetes-unions'] }),
  };
}

/** Returns the component of a native type. `groupVersion` is that of the document. */
export function nativeComponent(
  typeName: string,
  groupVersion: GroupVersionKind,
  describe: PublishSource['describe'],
  refer: Reference,
): JsonObject {
  const schema = nativeSchema(typeName);
  const description = describe?.(typeName);
  const kinds = kindsIn(typeName, groupVersion);
  const body = schema.scalar
    ? scalarDocuments[schema.scalar]
    : schema.type === undefined
      ? {}
      : structDocument(typeName, schema, describe, refer);
  return {
    ...(description !== undefined && { description }),
    ...body,
    ...(kinds.length && { 'x-kubernetes-group-version-kind': kinds }),
  };
}
