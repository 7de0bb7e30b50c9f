import { atOnce } from '../../lib/time-slice.js';
import { nativeEnum } from '../facts/enums.js';
import { kindsOfType, nativeSchema } from '../facts/load.js';
import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { metaType } from './component-names.js';
import type { PublishSource } from './interface.js';
import type { Reference } from './place.js';
import { schemaDocument } from './schema-document.js';

/** What is published of the types whose JSON is not that of a struct. */
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

/** DeleteOptions and WatchEvent are also of the group-version whose document they stand in. */
const everywhere = [metaType('DeleteOptions'), metaType('WatchEvent')];

function kindsIn(typeName: string, home: GroupVersionKind): readonly GroupVersionKind[] {
  const kinds = kindsOfType(typeName);
  const [first] = kinds;
  if (!first || !everywhere.includes(typeName) || home.group === '') return kinds;
  return [...kinds, { group: home.group, version: home.version, kind: first.kind }];
}

/** Of a list its items, and of a map its values, have the enum. */
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
    // Unset pointers without omitempty are null on the wire, which upstream's schemas do not tell.
    const { nullable: _, ...said } = property;
    const description = describe?.(typeName, name);
    const field = { ...withEnum(said, nativeEnum(typeName, name)), ...(description !== undefined && { description }) };
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

/** The component of a native type. `home`: the group-version of the document. */
export function nativeComponent(
  typeName: string,
  home: GroupVersionKind,
  describe: PublishSource['describe'],
  refer: Reference,
): JsonObject {
  const schema = nativeSchema(typeName);
  const description = describe?.(typeName);
  const kinds = kindsIn(typeName, home);
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
