import t from 'tap';
import { atOnce } from '../../../lib/time-slice.js';
import { groupVersions } from '../../../openapi/publish/group-versions.js';
import { swaggerDocument } from '../../../openapi/publish/openapi-v2.js';
import { groupVersionDocument } from '../../../openapi/publish/openapi-v3.js';
import type { PublishedResource } from '../../../openapi/publish/interface.js';
import { swaggerSchema } from '../../../openapi/publish/swagger-schema.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import type { Fields } from './comparable.js';
import { custom, nativePublished, sourceOf } from './sources.js';

const name = 'com.example.stable.v1.CronTab';
const metaRef = { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };
const kinds = [{ group: 'stable.example.com', version: 'v1', kind: 'CronTab' }];

function crontab(schema: Schema, more: Partial<PublishedResource> = {}): PublishedResource {
  const versions = [{ name: 'v1', served: true, schema, selectableFields: {} }];
  return custom({ group: 'stable.example.com', kind: 'CronTab', versions, ...more });
}

interface Documents {
  v3: { paths: Record<string, Record<string, Fields>>; components: { schemas: Record<string, Fields> } } & Fields;
  v2: { paths: Record<string, Record<string, Fields>>; definitions: Record<string, Fields> } & Fields;
}

function documents(
  resource: PublishedResource,
  describe?: (type: string, field?: string) => string | undefined,
): Documents {
  const entries = groupVersions(sourceOf([resource]));
  const [entry] = entries;
  if (!entry) throw new Error('nothing is served');
  return {
    v3: atOnce(groupVersionDocument(entry, describe ? { describe } : {})) as unknown as Documents['v3'],
    v2: atOnce(swaggerDocument(entries, describe ? { describe } : {})) as unknown as Documents['v2'],
  };
}

t.test('schemas of custom resources', async t => {
  const apiVersion = { type: 'string' };
  const meta = { apiVersion, kind: apiVersion, metadata: metaRef };
  const v2Meta = { ...meta, metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' } };
  const spec: Schema = {
    type: 'object',
    description: 'What is wanted.',
    required: ['image', 'note'],
    properties: {
      image: { type: 'string', pattern: '^a', default: 'a', oneOf: [{ minLength: 1 }, { maxLength: 3 }] },
      note: { type: 'object', nullable: true, properties: { a: { type: 'string' } } },
      tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    },
    'x-kubernetes-validations': [{ rule: 'self.image != ""' }],
  };
  const table: { name: string; given: Schema; v3: Fields; v2?: Fields }[] = [
    { name: 'no schema, no properties', given: {}, v3: { type: 'object' }, v2: { type: 'object' } },
    {
      name: 'empty',
      given: { type: 'object' },
      v3: { type: 'object', properties: meta },
      v2: { type: 'object', properties: v2Meta },
    },
    {
      name: 'all fields are open',
      given: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      v3: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: meta },
      v2: { type: 'object' },
    },
    {
      name: 'validation, defaults and nullable',
      given: {
        type: 'object',
        required: ['spec'],
        properties: {
          spec,
        },
      },
      v3: {
        type: 'object',
        required: ['spec'],
        properties: {
          ...meta,
          spec,
        },
      },
      v2: {
        type: 'object',
        required: ['spec'],
        properties: {
          ...v2Meta,
          spec: {
            type: 'object',
            description: 'What is wanted.',
            required: ['image'],
            properties: {
              image: { type: 'string', pattern: '^a' },
              note: {},
              tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
            },
            'x-kubernetes-validations': [{ rule: 'self.image != ""' }],
          },
        },
      },
    },
    {
      name: 'integers or strings, embedded objects',
      given: {
        type: 'object',
        properties: {
          port: { 'x-kubernetes-int-or-string': true },
          typed: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          limited: { 'x-kubernetes-int-or-string': true, anyOf: [{ maximum: 3 }, { pattern: 'a' }] },
          template: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      },
      v3: {
        type: 'object',
        properties: {
          ...meta,
          port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          typed: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          limited: {
            'x-kubernetes-int-or-string': true,
            anyOf: [{ maximum: 3 }, { pattern: 'a' }],
            allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }],
          },
          template: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
            properties: meta,
            required: ['kind', 'apiVersion'],
          },
        },
      },
      v2: {
        type: 'object',
        properties: {
          ...v2Meta,
          port: { 'x-kubernetes-int-or-string': true },
          typed: { 'x-kubernetes-int-or-string': true },
          limited: { 'x-kubernetes-int-or-string': true },
          template: { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  ];
  for (const row of table) {
    const { v3, v2 } = documents(crontab(row.given));
    const gvk = { 'x-kubernetes-group-version-kind': kinds };
    t.strictSame(v3.components.schemas[name], { ...row.v3, ...gvk }, `${row.name}: v3`);
    if (row.v2) t.strictSame(v2.definitions[name], { ...row.v2, ...gvk }, `${row.name}: v2`);
  }
});

t.test('v2 has no schemas that old clients do not accept', async t => {
  const table: { name: string; given: Schema; expect: Schema }[] = [
    { name: 'a list without items', given: { type: 'array' }, expect: {} },
    {
      name: 'a list of anything',
      given: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      expect: { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } },
    },
    {
      name: 'a map of null',
      given: { type: 'object', required: ['a'], additionalProperties: { type: 'string', nullable: true } },
      expect: { type: 'object', additionalProperties: {} },
    },
    {
      name: 'a native type',
      given: { typeName: 'io.k8s.api.core.v1.Pod' },
      expect: { typeName: 'io.k8s.api.core.v1.Pod' },
    },
  ];
  for (const row of table) t.strictSame(atOnce(swaggerSchema(row.given)), row.expect, row.name);
});

t.test('paths and lists of custom resources', async t => {
  const scaled = crontab(
    { type: 'object' },
    {
      subresources: {
        scale: { type: 'scale', verbs: ['get', 'patch', 'update'] },
        status: { type: 'part', verbs: ['get', 'patch', 'update'] },
      },
      versions: [{ name: 'v1', served: true, schema: { type: 'object' }, selectableFields: { 'spec.image': true } }],
    },
  );
  const { v3, v2 } = documents(scaled);
  const root = '/apis/stable.example.com/v1';
  t.same(Object.keys(v3.paths), [
    `${root}/crontabs`,
    `${root}/namespaces/{namespace}/crontabs`,
    `${root}/namespaces/{namespace}/crontabs/{name}`,
    `${root}/namespaces/{namespace}/crontabs/{name}/scale`,
    `${root}/namespaces/{namespace}/crontabs/{name}/status`,
  ]);
  t.same(v3['info'], { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' });
  const one = v3.paths[`${root}/namespaces/{namespace}/crontabs/{name}`];
  t.match(one?.['patch'], {
    operationId: 'patchStableExampleComV1NamespacedCronTab',
    tags: ['stableExampleCom_v1'],
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': kinds[0] as Fields,
  });
  t.same(Object.keys((one?.['patch']?.['requestBody'] as { content: Fields }).content), [
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/apply-patch+yaml',
  ]);
  t.same(
    Object.keys(one?.['patch']?.['responses'] as Fields),
    ['200', '401'],
    '200 is documented for server-side apply that creates',
  );
  const scale = v3.paths[`${root}/namespaces/{namespace}/crontabs/{name}/scale`]?.['get'];
  t.match(scale, { 'x-kubernetes-group-version-kind': kinds[0] as Fields }, 'the kind of the resource, as upstream');
  t.match(scale?.['responses'], {
    200: {
      content: { 'application/json': { schema: { $ref: '#/components/schemas/io.k8s.api.autoscaling.v1.Scale' } } },
    },
  });
  const collection = v3.paths[`${root}/namespaces/{namespace}/crontabs`];
  t.equal(collection?.['delete']?.['operationId'], 'deleteStableExampleComV1CollectionNamespacedCronTab');
  t.equal(collection?.['delete']?.['requestBody'], undefined);
  t.match(v3.components.schemas[name], { 'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.image' }] });
  t.match(v3.components.schemas[`${name}List`], {
    description: 'CronTabList is a list of CronTab',
    required: ['items'],
    properties: { items: { type: 'array', items: { $ref: `#/components/schemas/${name}` } } },
    'x-kubernetes-group-version-kind': [{ group: 'stable.example.com', version: 'v1', kind: 'CronTabList' }],
    'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.image' }],
  });
  t.match(v2.paths[`${root}/namespaces/{namespace}/crontabs/{name}`]?.['get'], {
    consumes: ['application/json', 'application/yaml'],
    produces: ['application/json', 'application/yaml'],
    schemes: ['https'],
  });
});

t.test('every reference of a document is in it', async t => {
  const entries = groupVersions(sourceOf([...nativePublished(r => r.onByDefault), crontab({ type: 'object' })]));
  for (const entry of entries) {
    const document = atOnce(groupVersionDocument(entry, {}));
    const names = new Set(Object.keys(document.components.schemas ?? {}));
    const missing = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)]
      .map(([, ref]) => ref ?? '')
      .filter(ref => !names.has(ref));
    t.same(missing, [], `${entry.group}/${entry.version}`);
  }
});

t.test('components have the descriptions of the source', async t => {
  const describe = (type: string, field?: string): string => `${type.split('.').pop()} ${field ?? 'itself'}`;
  const { v3 } = documents(crontab({ type: 'object', properties: { metadata: { type: 'object' } } }), describe);
  t.match(v3.components.schemas[name], {
    properties: { kind: { description: 'Pod kind' }, metadata: { description: 'Pod metadata', allOf: [metaRef] } },
  });
  t.match(v3.components.schemas['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'], {
    description: 'ObjectMeta itself',
    properties: {
      name: { type: 'string', description: 'ObjectMeta name' },
      creationTimestamp: { allOf: [{}], description: 'ObjectMeta creationTimestamp' },
    },
  });
});
