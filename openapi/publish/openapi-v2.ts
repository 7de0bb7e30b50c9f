import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import { atOnce, Strides, type InSteps } from '../../lib/time-slice.js';
import { componentName, metaType } from './component-names.js';
import type { GroupVersionEntry } from './group-versions.js';
import type { Descriptions } from './interface.js';
import { groupVersionDocument, smallDocuments, type OpenApiDocument } from './openapi-v3.js';
import { isMap } from '../../lib/json/is-map.js';
import { mapSteps } from './schema-document.js';

/** Types that are strings in version 2. */
const strings: Readonly<Record<string, JsonObject>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'string', format: 'int-or-string' },
};

const reference = (ref: unknown): string => String(ref).replace('#/components/schemas/', '#/definitions/');

/** Members of a schema that are maps from names to schemas. */
const maps = new Set(['properties']);
/** Members that are values, not schemas. */
const values = new Set(['enum', 'example', 'required']);

/** Converts a schema to version 2, in steps: without defaults, and with references beside other members. */
function* definitionSteps(schema: JsonObject, strides = new Strides()): InSteps<JsonObject> {
  if (strides.isOver) yield undefined;
  const inner = (one: unknown): InSteps<JsonObject> => definitionSteps(one as JsonObject, strides);
  const made: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'default') continue;
    if (key === '$ref') made[key] = reference(value);
    else if (key === 'allOf' && Array.isArray(value)) Object.assign(made, yield* inner(value[0]));
    else if (maps.has(key) && isMap(value)) made[key] = yield* mapSteps(value, inner);
    else made[key] = isMap(value) && !values.has(key) && !key.startsWith('x-') ? yield* inner(value) : value;
  }
  return made;
}

/** Converts the schema of a parameter or body, which is short. */
const definition = (schema: JsonObject): JsonObject => atOnce(definitionSteps(schema));

interface Operation extends JsonObject {
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: { readonly content: JsonObject; readonly required?: boolean };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: JsonObject }>>;
}

const flat = (parameter: JsonObject): JsonObject => {
  const { schema, ...others } = parameter;
  return { ...others, ...(schema as JsonObject) };
};

const schemaOf = (content: JsonObject): JsonObject =>
  definition((Object.values(content)[0] as { schema: JsonObject }).schema);

/** Returns `consumes` of an operation without a body: the default types, those of the response for discovery, none for plain files. */
function consumed(given: Operation, produces: readonly string[], defaultTypes: readonly string[]): readonly string[] {
  if (given['x-kubernetes-action'] !== undefined) return defaultTypes;
  const answer = given.responses['200']?.content;
  return answer && '$ref' in schemaOf(answer) ? produces : [];
}

function operation(given: Operation, defaultTypes: readonly string[]): JsonObject {
  const { parameters, requestBody, responses, ...others } = given;
  const produces = Object.keys(Object.values(responses).find(r => r.content)?.content ?? {});
  const consumes = requestBody ? Object.keys(requestBody.content) : consumed(given, produces, defaultTypes);
  const body = requestBody && {
    name: 'body',
    in: 'body',
    ...(requestBody.required && { required: true }),
    schema: schemaOf(requestBody.content),
  };
  const all = [...(body ? [body] : []), ...(parameters ?? []).map(flat)];
  return {
    ...others,
    schemes: ['https'],
    ...(consumes.length && { consumes }),
    produces,
    ...(all.length && { parameters: all }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([code, { description, content }]) => [
        code,
        { description, ...(content && { schema: schemaOf(content) }) },
      ]),
    ),
  };
}

function swaggerPath(item: JsonObject, defaultTypes: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(item).map(([method, value]) => [
      method,
      method === 'parameters' ? (value as JsonObject[]).map(flat) : operation(value as Operation, defaultTypes),
    ]),
  );
}

/** Returns the kinds of DeleteOptions and WatchEvent, which are in every group-version. */
function everywhere(kind: string, entries: readonly GroupVersionEntry[]): GroupVersionKind[] {
  const kinds = entries.filter(e => !e.remote).map(e => ({ group: e.group, version: e.version, kind }));
  const meta = { group: '', version: 'v1', kind };
  return [meta, ...kinds.filter(k => componentName(k) === componentName(meta) && k.group !== '')];
}

/** Makes the document of OpenAPI v2 (Swagger 2.0) with all served group-versions, in steps. */
export function* swaggerDocument(
  entries: readonly GroupVersionEntry[],
  descriptions: Descriptions,
): InSteps<JsonObject> {
  const local = entries.filter(e => !e.remote);
  const paths: Record<string, JsonObject> = {};
  const definitions: Record<string, JsonObject> = {};
  function* add(document: OpenApiDocument, defaultTypes: readonly string[]): InSteps<void> {
    for (const [path, item] of Object.entries(document.paths)) {
      paths[path] = swaggerPath(item as JsonObject, defaultTypes);
      yield undefined;
    }
    for (const [name, schema] of Object.entries(document.components.schemas ?? {})) {
      definitions[name] ??= strings[name] ?? (yield* definitionSteps(schema as JsonObject));
      yield undefined;
    }
  }
  const groups = [...new Set(local.map(e => e.group))];
  for (const make of smallDocuments(groups, descriptions.describe).values()) yield* add(make(), ['*/*']);
  for (const entry of local) {
    const custom = entry.resources.every(served => served.resource.wire.itemsCarryType);
    const document = yield* groupVersionDocument(entry, descriptions, 'v2');
    yield* add(document, custom ? ['application/json', 'application/yaml'] : ['*/*']);
  }
  for (const kind of ['DeleteOptions', 'WatchEvent']) {
    const options = definitions[metaType(kind)];
    if (options) options['x-kubernetes-group-version-kind'] = everywhere(kind, local);
  }
  const byName = (record: Record<string, JsonObject>): JsonObject =>
    Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: byName(paths),
    definitions: byName(definitions),
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  };
}
