import { isDeepStrictEqual } from 'node:util';
import { atOnce, Strides, type InSteps } from '../../lib/time-slice.js';
import { nativeSchema } from '../facts/native-schemas.js';
import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { componentName, listKind, metaType, ownKind } from './component-names.js';
import type { ServedResource } from './group-versions.js';
import type { PublishSource } from './interface.js';
import type { Reference } from './resource-operations.js';
import { mapSteps, schemaDocument } from './schema-document.js';
import { swaggerSchema } from './swagger-schema.js';

/** The kind whose descriptions of apiVersion, kind and metadata are used; they are the same for all native kinds. */
const sample = 'io.k8s.api.core.v1.Pod';
const intOrString: readonly Schema[] = [{ type: 'integer' }, { type: 'string' }];

const conventions = 'More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

/** Descriptions in embedded objects. */
const embeddedTexts: Readonly<Record<string, string>> = {
  apiVersion: `apiVersion defines the versioned schema of this representation of an object. ${conventions}#resources`,
  kind: `kind is a string value representing the type of this object. In CamelCase. ${conventions}#types-kinds`,
};
const listTexts: Readonly<Record<string, string>> = { metadata: `Standard list metadata. ${conventions}#types-kinds` };

function metaProperties(
  schema: Schema,
  meta: string,
  describe: PublishSource['describe'],
  texts: Readonly<Record<string, string>> = {},
) {
  const field = (name: string): Schema => {
    const text = describe && (texts[name] ?? describe(sample, name));
    const description = text ?? schema.properties?.[name]?.description;
    const base: Schema = name === 'metadata' ? nativeSchema(metaType(meta)) : { type: 'string' };
    return { ...base, ...(description !== undefined && { description }) };
  };
  return { apiVersion: field('apiVersion'), kind: field('kind'), metadata: field('metadata') };
}

/** Adds alternatives of types for x-kubernetes-int-or-string, unless the schema has them. */
// as apiextensions-apiserver/pkg/apiserver/schema Unfold
function unfolded(schema: Schema): Schema {
  if (!schema['x-kubernetes-int-or-string']) return schema;
  const hasTypes =
    isDeepStrictEqual(schema.anyOf, intOrString) || isDeepStrictEqual(schema.allOf?.[0]?.anyOf, intOrString);
  if (hasTypes) return schema;
  if (!schema.anyOf) return { ...schema, anyOf: intOrString };
  return { ...schema, allOf: [{ anyOf: intOrString }, ...(schema.allOf ?? [])] };
}

function embedded(schema: Schema, describe: PublishSource['describe'], openApi: OpenApiVersion): Schema {
  if (!schema['x-kubernetes-embedded-resource']) return schema;
  if (openApi === 'v2' && schema['x-kubernetes-preserve-unknown-fields']) return schema;
  const required = new Set([...(schema.required ?? []), 'kind', 'apiVersion']);
  return {
    ...schema,
    properties: { ...schema.properties, ...metaProperties(schema, 'ObjectMeta', describe, embeddedTexts) },
    required: [...required],
  };
}

/** The version of OpenAPI. Version 2 has fewer keywords, and its clients (old kubectl) treat undeclared fields as unknown. */
export type OpenApiVersion = 'v2' | 'v3';

/** Adds the implicit parts of a custom resource's schema, in steps. Schemas in allOf, anyOf, oneOf and not have none. */
function* complete(
  schema: Schema,
  describe: PublishSource['describe'],
  openApi: OpenApiVersion,
  strides = new Strides(),
): InSteps<Schema> {
  if (strides.isOver) yield undefined;
  if (schema.typeName !== undefined) return schema;
  const inner = (one: Schema): InSteps<Schema> => complete(one, describe, openApi, strides);
  const { properties, items, additionalProperties: more } = schema;
  const filled: Schema = {
    ...schema,
    ...(properties && { properties: yield* mapSteps(properties, inner) }),
    ...(items && { items: yield* inner(items) }),
    ...(typeof more === 'object' && { additionalProperties: yield* inner(more) }),
  };
  return embedded(openApi === 'v3' ? unfolded(filled) : filled, describe, openApi);
}

function selectable({ resource, version }: ServedResource): JsonObject {
  const fields = Object.keys(version.selectableFields);
  if (!fields.length || !resource.wire.itemsCarryType) return {};
  return { 'x-kubernetes-selectable-fields': fields.map(fieldPath => ({ fieldPath })) };
}

const kindExtension = (kind: GroupVersionKind): JsonObject => ({ 'x-kubernetes-group-version-kind': [kind] });

/**
 * Makes the component of a kind that is not native, in steps. Without a schema it has no properties: clients would treat undeclared
 * fields as unknown.
 */
// as apiextensions-apiserver/pkg/controller/openapi/builder buildKubeNative
export function* customComponent(
  served: ServedResource,
  describe: PublishSource['describe'],
  refer: Reference,
  openApi: OpenApiVersion,
): InSteps<JsonObject> {
  const { schema } = served.version;
  const open = openApi === 'v2' && schema['x-kubernetes-preserve-unknown-fields'] === true;
  const extensions = [kindExtension(ownKind(served)), selectable(served)];
  if (open || Object.keys(schema).length === 0) return Object.assign({ type: 'object' }, ...extensions) as JsonObject;
  const simple = openApi === 'v2' ? yield* swaggerSchema(schema) : schema;
  const whole = yield* complete(simple, describe, openApi);
  const properties = { ...whole.properties, ...metaProperties(schema, 'ObjectMeta', describe) };
  const document = yield* schemaDocument({ type: 'object', ...whole, properties }, refer);
  return Object.assign(document, ...extensions) as JsonObject;
}

/** Makes the component of the list of a kind that is not native. */
// as apiextensions-apiserver/pkg/controller/openapi/builder buildListSchema
export function customListComponent(
  served: ServedResource,
  describe: PublishSource['describe'],
  refer: Reference,
): JsonObject {
  const meta = metaProperties({}, 'ListMeta', describe, listTexts);
  const text = `List of ${served.resource.plural}. ${conventions}`;
  const fields = (name: keyof typeof meta): JsonObject => atOnce(schemaDocument(meta[name], refer));
  return {
    type: 'object',
    description: `${served.resource.listKind} is a list of ${served.resource.kind}`,
    required: ['items'],
    properties: {
      apiVersion: fields('apiVersion'),
      items: { ...(describe && { description: text }), type: 'array', items: refer(componentName(ownKind(served))) },
      kind: fields('kind'),
      metadata: fields('metadata'),
    },
    ...kindExtension(listKind(served)),
    ...selectable(served),
  };
}
