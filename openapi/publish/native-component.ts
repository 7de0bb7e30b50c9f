import { kindsOfType, nativeSchema } from '../facts/load.js';
import type { GroupVersionKind, JsonObject } from '../interface.js';
import type { Schema } from '../schema/interface.js';
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

function structDocument(schema: Schema, describe: (field: string) => string | undefined, refer: Reference): JsonObject {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    // Unset pointers without omitempty are null on the wire, which upstream's schemas do not tell.
    const { nullable: _, ...said } = property;
    const description = describe(name);
    return [name, schemaDocument({ ...said, ...(description !== undefined && { description }) }, refer)];
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
      : structDocument(schema, field => describe?.(typeName, field), refer);
  return {
    ...(description !== undefined && { description }),
    ...body,
    ...(kinds.length && { 'x-kubernetes-group-version-kind': kinds }),
  };
}
