/** CustomResourceDefinitions and their objects over a real socket, row by row of what Kubernetes 1.36 was seen to do. */
import t, { type Test } from 'tap';
import { type TestServer, runningServer } from '../apiserver/running.js';
import { type Reply, type Wired, wire } from './wire.js';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const json = 'application/json';
const merge = 'application/merge-patch+json';
const text = { type: 'string' };
const whole = { type: 'integer' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

interface Ask {
  (what: string, body?: unknown, type?: string): Promise<Reply>;
}

const version = (name: string, openAPIV3Schema: object, more: object = {}) => ({
  ...{ name, served: true, storage: true },
  schema: { openAPIV3Schema },
  ...more,
});

let made = 0;

/** A definition with a group of its own. */
function definition(versions: readonly object[], spec: object = {}) {
  const group = `g${++made}.example.com`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `foos.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural: 'foos', kind: 'Foo' }, versions, ...spec },
  };
}

type Definition = ReturnType<typeof definition>;

interface Scene {
  readonly ask: Ask;
  /** Created, and served in the version. */
  defined(of: Definition, served?: string): Promise<void>;
  readonly server: TestServer;
}

async function scene(t: Test): Promise<Scene> {
  const server = await runningServer(t);
  const { send } = wire(t, server);
  const ask: Ask = (what, body, type = json) =>
    send(what, { accept: json, ...(body !== undefined && { body: JSON.stringify(body), type }) });
  return {
    ask,
    server,
    async defined(of, served = 'v1') {
      const { status, object } = await ask(`POST ${crds}`, of);
      if (status !== 201) throw new Error(JSON.stringify(object));
      await until(
        () => ask(`GET ${pathOf(of, '', served)}`),
        ({ status }) => status === 200,
      );
    },
  };
}

async function until(attempt: () => Promise<Reply>, isSo: (reply: Reply) => boolean): Promise<Reply> {
  for (;;) {
    const reply = await attempt();
    if (isSo(reply)) return reply;
  }
}

const pathOf = ({ spec }: Definition, rest = '', name = 'v1'): string =>
  `/apis/${spec.group}/${name}/namespaces/default/foos${rest}`;

const foo = ({ spec }: Definition, name: string, fields: object = {}, apiVersion = 'v1') => ({
  ...{ apiVersion: `${spec.group}/${apiVersion}`, kind: 'Foo', metadata: { name } },
  ...fields,
});

/** `code: cause; cause`, of what was refused. */
function refusal({ status, object }: Reply): string {
  const { causes = [] } = (object['details'] ?? {}) as { causes?: { field: string; message: string }[] };
  return `${status}: ${causes.map(({ field, message }) => `${field}: ${message}`).join('; ') || String(object.message)}`;
}

t.test('definitions', async t => {
  const { ask, defined } = await scene(t);

  await t.test('CRD-002: what is filled in', async t => {
    const of = definition([version('v1', object({}))], {
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { service: { namespace: 'n', name: 's' } },
        },
      },
    });
    const { status, object: seen } = await ask(`POST ${crds}`, of);
    t.equal(status, 201);
    t.match(seen, {
      spec: {
        names: { singular: 'foo', listKind: 'FooList' },
        conversion: { webhook: { clientConfig: { service: { port: 443 } } } },
      },
    });
    t.same(seen['status'], { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
    const plain = await ask(`POST ${crds}?dryRun=All`, definition([version('v1', object({}))]));
    t.same((plain.object['spec'] as { conversion: unknown }).conversion, { strategy: 'None' });
  });

  await t.test('CRD-003: what may not change, and storedVersions', async t => {
    const of = definition([version('v1', object({})), version('v2', object({}), { storage: false })]);
    await defined(of);
    const path = `${crds}/${of.metadata.name}`;
    const patched = (patch: object, rest = '') => ask(`PATCH ${path}${rest}`, patch, merge);
    for (const spec of [
      { group: 'other.example.com' },
      { scope: 'Cluster' },
      { names: { kind: 'Bar' } },
      { names: { plural: 'bars' } },
    ])
      t.match(
        refusal(await patched({ spec })),
        /^422: .*(field is immutable|must be spec.names.plural)/,
        JSON.stringify(spec),
      );
    const versions = of.spec.versions.map((each, i) => ({ ...each, storage: i === 1 }));
    const moved = await patched({ spec: { versions } });
    t.same((moved.object['status'] as { storedVersions: unknown }).storedVersions, ['v1', 'v2']);
    t.equal(
      refusal(await patched({ spec: { versions: versions.slice(1) } })),
      '422: status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    );
    t.equal((await patched({ status: { storedVersions: ['v2'] } }, '/status')).status, 200);
    t.equal((await patched({ spec: { versions: versions.slice(1) } })).status, 200);
  });

  await t.test('CRD-004: versions that are deprecated say so with every answer', async t => {
    const of = definition([
      version('v1', object({})),
      version('v1beta1', object({}), { storage: false, deprecated: true }),
      version('v1alpha1', object({}), { storage: false, deprecated: true, deprecationWarning: 'go away' }),
    ]);
    await defined(of);
    const warningOf = async (name: string) => (await ask(`GET ${pathOf(of, '', name)}`)).headers['warning'];
    t.equal(await warningOf('v1'), undefined);
    t.equal(
      await warningOf('v1beta1'),
      `299 - "${of.spec.group}/v1beta1 Foo is deprecated; use ${of.spec.group}/v1 Foo"`,
    );
    t.equal(await warningOf('v1alpha1'), '299 - "go away"');
    const odd = definition([version('v1', object({}), { deprecationWarning: 'no' })]);
    t.match(
      refusal(await ask(`POST ${crds}`, odd)),
      'spec.versions[0].deprecationWarning: Invalid value: "no": can only be set for deprecated versions',
    );
  });

  await t.test('CRD-005, CRD-013: groups of the community', async t => {
    const of = definition([version('v1', object({}))], { group: 'x.k8s.io' });
    const named = (annotations: object) => ({ ...of, metadata: { name: 'foos.x.k8s.io', annotations } });
    t.match(
      refusal(await ask(`POST ${crds}`, named({}))),
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation',
    );
    t.equal((await ask(`POST ${crds}`, named({ 'api-approved.kubernetes.io': 'unapproved, for now' }))).status, 201);
    const conditionOf = ({ object }: Reply) =>
      ((object['status'] as { conditions?: { type: string; status: string; reason: string }[] }).conditions ?? []).find(
        ({ type }) => type === 'KubernetesAPIApprovalPolicyConformant',
      );
    const seen = await until(
      () => ask(`GET ${crds}/foos.x.k8s.io`),
      reply => conditionOf(reply) !== undefined,
    );
    t.match(conditionOf(seen), { status: 'False', reason: 'UnapprovedAnnotation' });
  });

  await t.test('CRD-006, CRD-038: discovery', async t => {
    const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' };
    const schema = object({ spec: object({ n: { ...whole, nullable: true } }), status: object({ n: whole }) });
    const all = ['v2alpha1', 'v1', 'foo1', 'v10', 'v2beta2', 'v2'].map(name =>
      version(name, schema, { storage: name === 'v1', subresources: { status: {}, scale } }),
    );
    const of = definition(all, { names: { plural: 'foos', kind: 'Foo', shortNames: ['fo'], categories: ['all'] } });
    await defined(of);
    const { object: group } = await ask(`GET /apis/${of.spec.group}`);
    t.same(
      (group['versions'] as { version: string }[]).map(({ version }) => version),
      ['v10', 'v2', 'v1', 'v2beta2', 'v2alpha1', 'foo1'],
    );
    t.match(group['preferredVersion'], { version: 'v10' });
    const { object: list } = await ask(`GET /apis/${of.spec.group}/v1`);
    const resources = list['resources'] as { name: string; verbs: string[]; storageVersionHash?: string }[];
    t.match(resources, [
      { name: 'foos', singularName: 'foo', namespaced: true, kind: 'Foo', shortNames: ['fo'], categories: ['all'] },
      { name: 'foos/status', verbs: ['get', 'patch', 'update'] },
      { name: 'foos/scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
    ]);
    t.same(resources[0]?.verbs, ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']);
    t.match(resources[0]?.storageVersionHash, /^[A-Za-z0-9+/]{11}=$/);
    const key = `com.example.${of.spec.group.split('.')[0] ?? ''}.v1.Foo`;
    const { object: v3 } = await until(
      () => ask(`GET /openapi/v3/apis/${of.spec.group}/v1`),
      ({ status }) => status === 200,
    );
    const schemas = (v3['components'] as { schemas: Record<string, Wired> }).schemas;
    t.match(schemas[key], {
      properties: { spec: { properties: { n: { type: 'integer', nullable: true } } } },
      'x-kubernetes-group-version-kind': [{ group: of.spec.group, kind: 'Foo', version: 'v1' }],
    });
    const { object: v2 } = await until(
      () => ask('GET /openapi/v2'),
      ({ object }) => key in (object['definitions'] as object),
    );
    t.same((v2['definitions'] as Record<string, { properties: { spec: unknown } }>)[key]?.properties.spec, {
      type: 'object',
      properties: { n: {} },
    });
  });

  await t.test('CRD-020 to CRD-024: rules of schemas', async t => {
    const cases: { name: string; given: object; expect: string }[] = [
      {
        name: 'a list of items',
        given: { a: { type: 'array', items: [text] } },
        expect:
          'spec.validation.openAPIV3Schema.properties[a].items: Forbidden: items must be a schema object and not an array',
      },
      {
        name: 'fields and more fields',
        given: { a: { ...object({ b: text }), additionalProperties: text } },
        expect:
          'spec.validation.openAPIV3Schema.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
      },

      {
        name: 'a default that would be pruned',
        given: { a: { ...object({ b: text }), default: { c: 1 } } },
        expect:
          'spec.validation.openAPIV3Schema.properties[a].default: Invalid value: {"c":1}: must not have unknown fields',
      },
      {
        name: 'a default of metadata',
        given: { metadata: object({ name: { ...text, default: 'x' } }) },
        expect:
          'spec.validation.openAPIV3Schema.properties[metadata].properties[name].default: Forbidden: must not be set',
      },
    ];
    for (const { name, given, expect } of cases)
      t.match(refusal(await ask(`POST ${crds}?dryRun=All`, definition([version('v1', object(given))]))), expect, name);
    const alternative = definition([
      version('v1', { ...object({ a: text }), anyOf: [{ properties: { b: { minLength: 1 } } }] }),
    ]);
    t.match(
      refusal(await ask(`POST ${crds}`, alternative)),
      'spec.validation.openAPIV3Schema.properties[b]: Required value: because it is defined in spec.validation.openAPIV3Schema.anyOf[0].properties[b]',
    );
    const root = definition([version('v1', { ...object({}), nullable: true })]);
    t.match(
      refusal(await ask(`POST ${crds}`, root)),
      'spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root',
    );
    const old = definition([version('v1', object({}))], { preserveUnknownFields: true });
    t.match(
      refusal(await ask(`POST ${crds}`, old)),
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    );
    const { schema: _schema, ...bare } = version('v1', {});
    t.match(
      refusal(await ask(`POST ${crds}`, definition([bare]))),
      'spec.versions[0].schema.openAPIV3Schema: Required value',
    );
    const two = definition([
      version('v1', object({ a: { type: 'array' } })),
      version('v2', object({}), { storage: false }),
    ]);
    t.match(
      refusal(await ask(`POST ${crds}`, two)),
      'spec.versions[0].schema.openAPIV3Schema.properties[a].items: Required value: must be specified',
    );
    const strange = await ask(
      `POST ${crds}?dryRun=All`,
      definition([version('v1', object({ a: { ...text, strange: 1 } }))]),
    );
    t.equal(strange.status, 201);
    t.match(
      strange.headers['warning'],
      'unknown field \\"spec.versions[0].schema.openAPIV3Schema.properties.a.strange\\"',
    );
  });

  await t.test('CRD-028: definitions may not be larger than etcd takes them', async t => {
    const large = definition([version('v1', { ...object({}), description: 'x'.repeat(1_600_000) })]);
    const { status } = await ask(`POST ${crds}`, large);
    t.ok(status === 413 || status === 500, String(status));
  });

  await t.test('CRD-039: names of other groups are free, those of a native resource are not served', async t => {
    const of = definition([version('v1', object({}))], {
      names: { plural: 'foos', kind: 'Deployment', shortNames: ['deploy'] },
    });
    await defined(of);
    const native = {
      ...definition([version('v1', object({}))], {
        group: 'networking.k8s.io',
        names: { plural: 'ingresses', kind: 'Ingress' },
      }),
      metadata: {
        name: 'ingresses.networking.k8s.io',
        annotations: { 'api-approved.kubernetes.io': 'unapproved, for now' },
      },
    };
    t.equal((await ask(`POST ${crds}`, native)).status, 201);
    const ingresses = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
    t.equal((await ask(`GET ${ingresses}`)).object.kind, 'IngressList');
    const bad = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'x' }, spec: { bogus: 1 } };
    t.equal((await ask(`POST ${ingresses}`, bad)).status, 422, 'judged by the rules of the native kind');
  });
});

t.test('custom resources', async t => {
  const { ask, defined, server } = await scene(t);
  const spec = object({
    replicas: { ...whole, maximum: 10 },
    color: { ...text, enum: ['red', 'blue'] },
    list: {
      type: 'array',
      items: object({ k: text }, { required: ['k'] }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
    short: { ...text, maxLength: 10 },
    nullable: { ...text, nullable: true },
    filled: { ...text, default: 'full' },
    free: { ...object({ known: whole }), 'x-kubernetes-preserve-unknown-fields': true },
    any: { 'x-kubernetes-int-or-string': true },
    flag: { type: 'boolean' },
  });
  const replicas = {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  };
  const of = definition([
    version('v1', object({ spec, status: object({ replicas: whole, selector: text }) }), {
      subresources: { status: {}, scale: replicas },
      selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.replicas' }, { jsonPath: '.spec.flag' }],
      additionalPrinterColumns: [
        { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
        { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        { name: 'Wide', type: 'string', jsonPath: '.spec.color', priority: 1 },
      ],
    }),
  ]);
  await defined(of);
  const path = pathOf(of);
  const post = (fields: object, name = 'x', query = '') => ask(`POST ${path}${query}`, foo(of, name, fields));

  await t.test('CRD-026, CRD-030: what is wrong', async t => {
    const cases: { given: object; expect: string }[] = [
      {
        given: { replicas: 'a' },
        expect: 'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
      },
      { given: { color: 'green' }, expect: 'spec.color: Unsupported value: "green": supported values: "red", "blue"' },
      {
        given: { replicas: 11 },
        expect: 'spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10',
      },
      { given: { list: [{ k: 'a' }, { k: 'a' }] }, expect: 'spec.list[1]: Duplicate value: {"k":"a"}' },
      { given: { list: [{}] }, expect: 'spec.list[0].k: Required value' },
      { given: { short: 'x'.repeat(11) }, expect: 'spec.short: Too long: may not be more than 10 bytes' },
      {
        given: { any: true },
        expect: 'spec.any: Invalid value: "boolean": spec.any in body must be of type integer,string: "boolean"',
      },
    ];
    for (const { given, expect } of cases) t.match(refusal(await post({ spec: given })), `422: ${expect}`, expect);
    const { send } = wire(t, server);
    const raw = (fields: string) =>
      send(`POST ${path}?dryRun=All`, {
        accept: json,
        type: json,
        body: `{"apiVersion":"${of.spec.group}/v1","kind":"Foo","metadata":{"name":"x"},"spec":{${fields}}}`,
      });
    const float = await raw('"free":{"known":2.0}');
    t.equal(float.status, 201);
    t.match(float.bytes.toString(), '"known":2}');
  });

  await t.test('CRD-031, CRD-032: what is kept', async t => {
    const { object: seen, headers } = await post(
      { spec: { bogus: 1, free: { x: { y: null } }, nullable: null, filled: null, short: null }, other: 1 },
      'kept',
    );
    t.same(seen['spec'], { filled: 'full', free: { x: { y: null } }, nullable: null });
    t.equal('other' in seen, false);
    t.match(headers['warning'], 'unknown field \\"spec.bogus\\"');
    const required = definition([version('v1', object({ spec: object({ a: text }, { required: ['a'] }) }))]);
    await defined(required);
    t.match(
      refusal(await ask(`POST ${pathOf(required)}`, foo(required, 'x', { spec: { a: null } }))),
      '422: spec.a: Required value',
    );
  });

  await t.test('CRD-033: /status', async t => {
    await post({ spec: { color: 'red' }, status: { replicas: 9 } }, 'st');
    const { object: seen } = await ask(`GET ${path}/st`);
    t.equal('status' in seen, false, 'not taken from a create');
    const changed = await ask(`PUT ${path}/st/status`, { ...seen, spec: { color: 'blue' }, status: { replicas: 3 } });
    t.match(changed.object, { spec: { color: 'red' }, status: { replicas: 3 } });
    t.equal(changed.object.metadata.generation, 1);
    const back = await ask(`PUT ${path}/st`, { ...changed.object, status: { replicas: 5 } });
    t.match(back.object, { status: { replicas: 3 } });
    t.match(
      refusal(await ask(`PATCH ${path}/st/status`, { status: { replicas: 'a' } }, merge)),
      '422: status.replicas: Invalid value: "string"',
    );
    const without = definition([version('v1', object({}))]);
    await defined(without);
    await ask(`POST ${pathOf(without)}`, foo(without, 'x'));
    t.equal((await ask(`GET ${pathOf(without, '/x/status')}`)).status, 404);
    t.equal((await ask(`GET ${pathOf(without, '/x/scale')}`)).status, 404);
  });

  await t.test('CRD-034: /scale', async t => {
    await post({ spec: {} }, 'sc');
    const none = await ask(`GET ${path}/sc/scale`);
    t.equal(
      `${none.status} ${none.object.message}`,
      '500 Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    );
    const scale = (n: number) => ({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'sc', namespace: 'default' },
      spec: { replicas: n },
    });
    const set = await ask(`PUT ${path}/sc/scale`, scale(4));
    t.match(set.object, { kind: 'Scale', spec: { replicas: 4 }, status: { replicas: 0 } });
    t.match(refusal(await ask(`PUT ${path}/sc/scale`, scale(-1))), /^422: .*greater than or equal to 0/);
    await ask(`PATCH ${path}/sc/status`, { status: { replicas: 2, selector: 'a=b' } }, merge);
    t.same((await ask(`GET ${path}/sc/scale`)).object['status'], { replicas: 2, selector: 'a=b' });
    t.match((await ask(`PATCH ${path}/sc/scale`, { spec: { replicas: 6 } }, merge)).object, { spec: { replicas: 6 } });
    t.equal((await ask(`PATCH ${path}/sc/scale`, {}, 'application/strategic-merge-patch+json')).status, 415);
    t.equal(
      (
        await ask(`PUT ${path}/sc/scale`, {
          ...scale(5),
          metadata: { name: 'sc', namespace: 'default', resourceVersion: '1' },
        })
      ).status,
      409,
    );
  });

  await t.test('CRD-035: columns', async t => {
    await post({ spec: { replicas: 3 } }, 'co');
    const { send } = wire(t, server);
    const { object: table } = await send(`GET ${path}/co`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    t.match(table['columnDefinitions'], [
      { name: 'Name', type: 'string', format: 'name', priority: 0 },
      { name: 'Replicas', type: 'integer', priority: 0 },
      { name: 'Since', type: 'date', priority: 0 },
      { name: 'Wide', type: 'string', priority: 1 },
    ]);
    t.match((table['rows'] as { cells: unknown[] }[])[0]?.cells, ['co', 3, /^\d+s$/, null]);
    const plain = definition([version('v1', object({}))]);
    await defined(plain);
    const { object: usual } = await send(`GET ${pathOf(plain)}`, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    t.same(
      (usual['columnDefinitions'] as { name: string }[]).map(({ name }) => name),
      ['Name', 'Age'],
    );
  });

  await t.test('CRD-036, CRD-037: lists', async t => {
    const group = definition([
      version('v1', object({ spec }), {
        selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.replicas' }, { jsonPath: '.spec.flag' }],
      }),
    ]);
    await defined(group);
    const at = pathOf(group);
    for (const [name, fields] of [
      ['b', { color: 'red', replicas: 2 }],
      ['a', { color: 'blue', flag: true }],
      ['c', { color: 'red' }],
    ] as const)
      await ask(`POST ${at}`, foo(group, name, { spec: fields }));
    const names = async (query: string) => {
      const { object: list } = await ask(`GET ${at}${query}`);
      return list.items?.map(({ metadata }) => metadata.name).join();
    };
    t.equal(await names(''), 'a,b,c');
    t.equal(await names('?fieldSelector=spec.color%3Dred'), 'b,c');
    t.equal(await names('?fieldSelector=spec.color%3Dred,spec.replicas%3D2'), 'b');
    t.equal(await names('?fieldSelector=spec.flag%3Dtrue'), 'a');
    t.equal(await names('?fieldSelector=spec.color!%3Dred'), 'a');
    const odd = await ask(`GET ${at}?fieldSelector=spec.x%3Dred`);
    t.equal(`${odd.status} ${odd.object.message}`, '400 field label not supported: spec.x');
    const { send } = wire(t, server);
    t.equal((await send(`GET ${at}`, { accept: 'application/vnd.kubernetes.protobuf' })).status, 406);
    t.equal((await ask(`PATCH ${at}/a`, {}, 'application/strategic-merge-patch+json')).status, 415);
    const partial = await send(`GET ${at}`, {
      accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    });
    t.equal(partial.object.kind, 'PartialObjectMetadataList');
    t.equal((await ask(`DELETE ${at}?fieldSelector=spec.color%3Dred`)).status, 200);
    t.equal(await names(''), 'a');
    const nine = Array.from({ length: 9 }, (_, i) => ({ jsonPath: `.spec.f${i}` }));
    const fields = Object.fromEntries(nine.map((_, i) => [`f${i}`, text]));
    const many = definition([version('v1', object({ spec: object(fields) }), { selectableFields: nine })]);
    t.match(
      refusal(await ask(`POST ${crds}`, many)),
      '422: spec.selectableFields: Too many: 9: must have at most 8 items',
    );
  });

  await t.test('CRD-027: what was wrong before may stay', async t => {
    const at = (schema: object) => [version('v1', object({ spec: object({ a: schema, b: text }) }))];
    const loose = definition(at(text));
    await defined(loose);
    const one = pathOf(loose, '/r');
    await ask(`POST ${pathOf(loose)}`, foo(loose, 'r', { spec: { a: 'long' } }));
    const rule = { rule: "self != 'long'", message: 'no' };
    await ask(
      `PATCH ${crds}/${loose.metadata.name}`,
      { spec: { versions: at({ ...text, maxLength: 2, 'x-kubernetes-validations': [rule] }) } },
      merge,
    );
    await until(
      () => ask(`POST ${pathOf(loose)}?dryRun=All`, foo(loose, 'new', { spec: { a: 'long' } })),
      ({ status }) => status === 422,
    );
    t.equal((await ask(`PATCH ${one}`, { spec: { b: 'x' } }, merge)).status, 200);
    t.match(
      refusal(await ask(`PATCH ${one}`, { spec: { a: 'longer' } }, merge)),
      '422: spec.a: Too long: may not be more than 2 bytes',
    );
  });
});

t.test('rules in CEL', async t => {
  const { ask, defined } = await scene(t);
  const withRule = (rule: object, more: object = {}) =>
    definition([
      version(
        'v1',
        object({
          spec: {
            ...object({ a: text, n: whole, 'x-y': text, list: { type: 'array', items: text } }),
            'x-kubernetes-validations': [rule],
            ...more,
          },
        }),
      ),
    ]);

  await t.test('CRD-042, CRD-043, CRD-044: rules that are refused', async t => {
    const cases: { name: string; given: object; expect: RegExp }[] = [
      {
        name: 'no such field',
        given: { rule: 'self.zzz' },
        expect:
          /rule: Invalid value: .*compilation failed: ERROR: <input>:1:5: undefined field 'zzz'\n \| self\.zzz\n \| \.\.\.\.\^/,
      },
      {
        name: 'cost',
        given: { rule: 'self.list.all(x, self.list.all(y, x == y))' },
        expect:
          /estimated rule cost exceeds budget by factor of .*x \(try simplifying the rule, or adding maxItems, maxProperties, and maxLength/,
      },
      {
        name: 'several lines without a message',
        given: { rule: 'true\n|| false' },
        expect: /message: Required value: message must be specified if rule contains line breaks/,
      },
      {
        name: 'authorizer',
        given: { rule: "authorizer.group('').resource('x').check('get').allowed()" },
        expect: /undeclared reference to 'authorizer'/,
      },
      {
        name: 'fieldPath',
        given: { rule: 'true', fieldPath: '.zzz' },
        expect: /fieldPath: Invalid value: "\.zzz": must be a valid path/,
      },
      {
        name: 'reason',
        given: { rule: 'true', reason: 'Other' },
        expect: /reason: Unsupported value: "Other": supported values/,
      },
    ];
    for (const { name, given, expect } of cases)
      t.match(refusal(await ask(`POST ${crds}`, withRule(given))), expect, name);
    const inList = definition([
      version(
        'v1',
        object({ l: { type: 'array', items: { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } } }),
      ),
    ]);
    t.match(
      refusal(await ask(`POST ${crds}`, inList)),
      /oldSelf cannot be used on the uncorrelatable portion of the schema/,
    );
  });

  await t.test('CRD-040, CRD-046: fields of a rule, and names', async t => {
    const rule = {
      rule: "self.x__dash__y != 'no'",
      reason: 'FieldValueForbidden',
      messageExpression: "'not ' + self.x__dash__y",
      fieldPath: '.a',
    };
    const of = withRule(rule);
    await defined(of);
    const post = (spec: object) => ask(`POST ${pathOf(of)}?dryRun=All`, foo(of, 'x', { spec }));
    t.equal(refusal(await post({ 'x-y': 'no' })), '422: spec.a: Forbidden: not no');
    t.equal((await post({ 'x-y': 'yes' })).status, 201);
    const plain = withRule({ rule: 'self.n > 1' });
    await defined(plain);
    t.equal(
      refusal(await ask(`POST ${pathOf(plain)}`, foo(plain, 'x', { spec: { n: 1 } }))),
      '422: spec: Invalid value: failed rule: self.n > 1',
    );
    const root = definition([
      version('v1', { ...object({}), 'x-kubernetes-validations': [{ rule: "self.metadata.name.startsWith('a')" }] }),
    ]);
    await defined(root);
    t.equal((await ask(`POST ${pathOf(root)}`, foo(root, 'ab'))).status, 201);
    t.equal((await ask(`POST ${pathOf(root)}`, foo(root, 'b'))).status, 422);
  });

  await t.test('CRD-041: libraries', async t => {
    const rules = [
      '[1,2,3].sum() == 6 && [1,2].isSorted()',
      "'abc'.find('[b-c]+') == 'bc' && 'a1b2'.findAll('[0-9]') == ['1','2']",
      "url('https://a:80/p?q=1').getHost() == 'a:80'",
      "ip('10.0.0.1').family() == 4 && cidr('10.0.0.0/8').containsIP('10.1.1.1')",
      "quantity('1Ki').isGreaterThan(quantity('1k'))",
      "!format.dns1123Label().validate('ok').hasValue()",
      "semver('1.2.3').isLessThan(semver('1.10.0'))",
      'sets.contains([1,2],[1])',
      'optional.of(1).hasValue() && [1,2].transformMap(i, v, v > 1, v * 2) == {1: 4}',
      'cel.bind(x, 1, x + 1) == 2',
      '[[1], [2, 3]].flatten() == [1, 2, 3] && [2, 1].sort() == [1, 2] && [1, 1].distinct() == [1]',
      "['a', 'b'].reverse() == ['b', 'a'] && lists.range(2) == [0, 1] && [1, 2, 3].slice(1, 2) == [2]",
      "semver('v1.2', true).major() == 1",
      "'a,b'.split(',').size() == 2 && 'abc'.substring(1) == 'bc'",
    ];
    for (const rule of rules) {
      const of = definition([version('v1', { ...object({}), 'x-kubernetes-validations': [{ rule }] })]);
      await defined(of);
      const seen = await ask(`POST ${pathOf(of)}`, foo(of, 'x'));
      t.equal(seen.status, 201, `${rule} ${seen.status === 201 ? '' : refusal(seen)}`);
    }
  });

  await t.test('CRD-044, CRD-045, CRD-047: transitions, what is not checked, status', async t => {
    const of = definition([
      version(
        'v1',
        object({
          spec: {
            ...object({ a: text, n: { ...whole, 'x-kubernetes-validations': [{ rule: 'self > 0' }] } }),
            'x-kubernetes-validations': [{ rule: 'self.a == oldSelf.a', message: 'stays' }],
          },
          status: {
            ...object({ ok: { type: 'boolean' }, m: whole }),
            'x-kubernetes-validations': [{ rule: 'self.ok', message: 'not ok' }, { rule: '10 / self.m > 0' }],
          },
        }),
        { subresources: { status: {} } },
      ),
    ]);
    await defined(of);
    const one = pathOf(of, '/x');
    t.equal(
      (await ask(`POST ${pathOf(of)}`, foo(of, 'x', { spec: { a: '1', n: 1 } }))).status,
      201,
      'a transition rule lets a new object pass',
    );
    t.equal(refusal(await ask(`PATCH ${one}`, { spec: { a: '2' } }, merge)), '422: spec: Invalid value: stays');
    t.equal(
      refusal(await ask(`PATCH ${one}/status`, { status: { ok: false, m: 1 } }, merge)),
      '422: status: Invalid value: not ok',
    );
    t.match(
      refusal(await ask(`PATCH ${one}/status`, { status: { ok: true, m: 0 } }, merge)),
      /^422: status: Invalid value: .*10 \/ self\.m > 0.*division by zero|^422: status: Invalid value: .*division by zero/,
    );
    t.match(
      refusal(await ask(`POST ${pathOf(of)}`, foo(of, 'y', { spec: { a: 1, n: 'x' } }))),
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    );
    const fresh = withRule({ rule: "!oldSelf.hasValue() || self.a == 'x'", optionalOldSelf: true });
    await defined(fresh);
    t.equal((await ask(`POST ${pathOf(fresh)}`, foo(fresh, 'x', { spec: { a: 'y' } }))).status, 201);
    t.equal((await ask(`PATCH ${pathOf(fresh, '/x')}`, { spec: { a: 'z' } }, merge)).status, 422);
  });
});

t.test('deletion (CRD-060 to CRD-062)', async t => {
  const { ask, defined } = await scene(t);
  const of = definition([version('v1', object({})), version('v2', object({}), { storage: false })]);
  await defined(of);
  const path = `${crds}/${of.metadata.name}`;
  const one = pathOf(of, '/x');
  await ask(`POST ${pathOf(of)}`, { ...foo(of, 'x'), metadata: { name: 'x', finalizers: ['example.com/wait'] } });

  const versions = of.spec.versions;
  const served = (flag: boolean) => [versions[0], { ...versions[1], served: flag }];
  await ask(`PATCH ${path}`, { spec: { versions: served(false) } }, merge);
  const gone = await until(
    () => ask(`GET ${pathOf(of, '/x', 'v2')}`),
    ({ status }) => status !== 200,
  );
  t.equal(gone.status, 404, 'a version that is not served');
  await ask(`PATCH ${path}`, { spec: { versions: served(true) } }, merge);
  await until(
    () => ask(`GET ${pathOf(of, '/x', 'v2')}`),
    ({ status }) => status === 200,
  );

  const { object: before } = await ask(`GET ${path}`);
  t.equal(before.metadata.finalizers, undefined, 'it comes with the deletion');
  const { status, object: marked } = await ask(`DELETE ${path}`);
  t.equal(status, 200);
  t.ok(marked.metadata.deletionTimestamp);
  t.same(marked.metadata.finalizers, ['customresourcecleanup.apiextensions.k8s.io']);
  t.notOk(marked.metadata.deletionGracePeriodSeconds);
  const terminating = (reply: Reply): boolean =>
    ((reply.object['status'] as { conditions: { type: string; reason: string }[] }).conditions ?? []).some(
      ({ type, reason }) => type === 'Terminating' && reason === 'InstanceDeletionInProgress',
    );
  await until(() => ask(`GET ${path}`), terminating);
  const refused = await ask(`POST ${pathOf(of)}`, foo(of, 'y'));
  t.equal(refused.status, 403);
  t.match(refused.object.message, 'create not allowed while custom resource definition is terminating');
  const again = await ask(`POST ${crds}`, of);
  t.equal(
    `${again.status} ${again.object.message}`,
    `409 object is being deleted: customresourcedefinitions.apiextensions.k8s.io "${of.metadata.name}" already exists`,
  );
  t.equal((await ask(`GET ${one}`)).status, 200);
  await until(
    () => ask(`GET ${one}`),
    ({ object: seen }) => seen.metadata.deletionTimestamp !== undefined,
  );
  t.equal((await ask(`PATCH ${one}`, { metadata: { finalizers: null } }, merge)).status, 200);
  await until(
    () => ask(`GET ${path}`),
    ({ status }) => status === 404,
  );
  const last = await until(
    () => ask(`GET ${pathOf(of)}`),
    ({ status }) => status === 404,
  );
  t.equal(last.bytes.toString(), '404 page not found\n');
  t.equal((await ask(`GET /apis/${of.spec.group}`)).status, 404);
});
