import { Strides, type InSteps } from '../../lib/time-slice.js';
import { nativeSchema } from '../facts/load.js';
import type { JsonObject } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { setKey } from '../../lib/json/clone.js';
import type { Reference } from './place.js';

/** Members of a schema that are schemas, or that the documents do not have. */
const structural = new Set<string>([
  ...['properties', 'items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not'],
  ...['typeName', 'scalar', 'presence'],
]);

/** Makes the values of a map anew, in steps. */
export function* mapSteps<T, U>(
  map: Readonly<Record<string, T>>,
  make: (value: T) => InSteps<U>,
): InSteps<Record<string, U>> {
  const made: Record<string, U> = {};
  for (const name of Object.keys(map)) setKey(made, name, yield* make(map[name] as T));
  return made;
}

function plainMembers(schema: Schema, isSaid: (name: string, value: unknown) => boolean): JsonObject {
  const said: JsonObject = {};
  for (const [name, value] of Object.entries(schema)) if (isSaid(name, value)) said[name] = value;
  return said;
}

/** Makes plain JSON schema, in steps: of custom resources, and what their fields are made of. References stand for native types. */
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

/** What the place says besides the type. A reference may have no members beside it, so then it stands in an allOf. */
function referenceDocument(schema: Schema, typeName: string, refer: Reference): JsonObject {
  const type = nativeSchema(typeName) as Readonly<Record<string, unknown>>;
  const said = plainMembers(
    schema,
    (name, value) => !structural.has(name) && name !== 'nullable' && value !== type[name],
  );
  return Object.keys(said).length > 0 ? { ...said, allOf: [refer(typeName)] } : refer(typeName);
}
