import { Strides, type InSteps } from '../../lib/time-slice.js';
import { nativeSchema } from '../facts/native-schemas.js';
import type { JsonObject } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { setKey } from '../../lib/json/clone.js';
import type { Reference } from './resource-operations.js';

/** Members of a schema that are schemas, or that are not published. */
const structural = new Set<string>([
  ...['properties', 'items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not'],
  ...['typeName', 'scalar', 'presence'],
]);

/** Returns a map with each value converted, in steps. */
export function* mapSteps<T, U>(
  map: Readonly<Record<string, T>>,
  make: (value: T) => InSteps<U>,
): InSteps<Record<string, U>> {
  const made: Record<string, U> = {};
  for (const name of Object.keys(map)) setKey(made, name, yield* make(map[name] as T));
  return made;
}

function plainMembers(schema: Schema, isIncluded: (name: string, value: unknown) => boolean): JsonObject {
  const members: JsonObject = {};
  for (const [name, value] of Object.entries(schema)) if (isIncluded(name, value)) members[name] = value;
  return members;
}

/** Makes the published JSON schema of a custom resource or of a field, in steps. Native types become references. */
export function* schemaDocument(schema: Schema, refer: Reference, strides = new Strides()): InSteps<JsonObject> {
  if (strides.isOver) yield undefined;
  if (schema.typeName !== undefined) return referenceDocument(schema, schema.typeName, refer);
  const inner = (one: Schema): InSteps<JsonObject> => schemaDocument(one, refer, strides);
  const document = plainMembers(schema, name => !structural.has(name));
  const { properties, items, additionalProperties: more, not } = schema;
  if (properties) document['properties'] = yield* mapSteps(properties, inner);
  if (items) document['items'] = yield* inner(items);
  if (more !== undefined) document['additionalProperties'] = typeof more === 'object' ? yield* inner(more) : more;
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
    const schemas = schema[junctor];
    if (!schemas) continue;
    const documents: JsonObject[] = [];
    for (const one of schemas) documents.push(yield* inner(one));
    document[junctor] = documents;
  }
  if (not) document['not'] = yield* inner(not);
  return document;
}

/** Returns a reference to a native type. It is in an allOf if the field has members of its own, since a reference may not have any. */
function referenceDocument(schema: Schema, typeName: string, refer: Reference): JsonObject {
  const type = nativeSchema(typeName) as Readonly<Record<string, unknown>>;
  const members = plainMembers(
    schema,
    (name, value) => !structural.has(name) && name !== 'nullable' && value !== type[name],
  );
  return Object.keys(members).length > 0 ? { ...members, allOf: [refer(typeName)] } : refer(typeName);
}
