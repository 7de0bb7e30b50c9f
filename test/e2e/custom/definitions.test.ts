/** CustomResourceDefinitions, compared to the recorded behaviour of Kubernetes 1.36. */
import t from 'tap';
import { definitionsPath, object, text, version, whole } from '../../custom-kinds.js';
import { definition, foo, ofSchema, oneVersion, pathOf, fixture, until } from './fixture.js';
import { type Reply, type Wired, merge, refusal } from '../wire.js';

t.test('definitions behave as in Kubernetes', async t => {
  const { ask, defined } = await fixture(t);

  await t.test('defaults are set', async t => {
    const of = definition(oneVersion, {
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { service: { namespace: 'n', name: 's' } },
        },
      },
    });
    const { status, object: seen } = await ask(`POST ${definitionsPath}`, of);
    t.equal(status, 201);
    t.match(seen, {
      spec: {
        names: { singular: 'foo', listKind: 'FooList' },
        conversion: { webhook: { clientConfig: { service: { port: 443 } } } },
      },
    });
    t.same(seen['status'], { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
    const plain = await ask(`POST ${definitionsPath}?dryRun=All`, ofSchema());
    t.same((plain.object['spec'] as { conversion: unknown }).conversion, { strategy: 'None' });
    const withoutClient = { strategy: 'None', webhook: { conversionReviewVersions: null } };
    const dropped = await ask(
      `POST ${definitionsPath}?dryRun=All`,
      definition(oneVersion, { conversion: withoutClient }),
    );
    t.same(
      (dropped.object['spec'] as { conversion: unknown }).conversion,
      { strategy: 'None' },
      'an empty webhook is removed',
    );
  });

  await t.test('immutable fields cannot be changed, and storedVersions are kept', async t => {
    const of = definition([version('v1', object({})), version('v2', object({}), { storage: false })]);
    await defined(of);
    const path = `${definitionsPath}/${of.metadata.name}`;
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

  await t.test('a deprecated version has a warning in every answer', async t => {
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
    const odd = ofSchema(object({}), { deprecationWarning: 'no' });
    t.match(
      refusal(await ask(`POST ${definitionsPath}`, odd)),
      'spec.versions[0].deprecationWarning: Invalid value: "no": can only be set for deprecated versions',
    );
  });

  await t.test('groups of the community need an approval', async t => {
    const of = definition(oneVersion, { group: 'x.k8s.io' });
    const named = (annotations: object) => ({ ...of, metadata: { name: 'foos.x.k8s.io', annotations } });
    t.match(
      refusal(await ask(`POST ${definitionsPath}`, named({}))),
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation',
    );
    t.equal(
      (await ask(`POST ${definitionsPath}`, named({ 'api-approved.kubernetes.io': 'unapproved, for now' }))).status,
      201,
    );
    const conditionOf = ({ object }: Reply) =>
      ((object['status'] as { conditions?: { type: string; status: string; reason: string }[] }).conditions ?? []).find(
        ({ type }) => type === 'KubernetesAPIApprovalPolicyConformant',
      );
    const seen = await until(
      () => ask(`GET ${definitionsPath}/foos.x.k8s.io`),
      reply => conditionOf(reply) !== undefined,
    );
    t.match(conditionOf(seen), { status: 'False', reason: 'UnapprovedAnnotation' });
  });

  await t.test('discovery lists custom resources', async t => {
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

  await t.test('schemas are validated', async t => {
    const cases: { name: string; given: object; expect: string }[] = [
      {
        name: 'a list of item schemas',
        given: { a: { type: 'array', items: [text] } },
        expect:
          'spec.validation.openAPIV3Schema.properties[a].items: Forbidden: items must be a schema object and not an array',
      },
      {
        name: 'properties and additionalProperties',
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
      t.match(refusal(await ask(`POST ${definitionsPath}?dryRun=All`, ofSchema(object(given)))), expect, name);
    const alternative = ofSchema({ ...object({ a: text }), anyOf: [{ properties: { b: { minLength: 1 } } }] });
    t.match(
      refusal(await ask(`POST ${definitionsPath}`, alternative)),
      'spec.validation.openAPIV3Schema.properties[b]: Required value: because it is defined in spec.validation.openAPIV3Schema.anyOf[0].properties[b]',
    );
    const root = ofSchema({ ...object({}), nullable: true });
    t.match(
      refusal(await ask(`POST ${definitionsPath}`, root)),
      'spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root',
    );
    const old = definition(oneVersion, { preserveUnknownFields: true });
    t.match(
      refusal(await ask(`POST ${definitionsPath}`, old)),
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    );
    const { schema: _schema, ...bare } = version('v1', {});
    t.match(
      refusal(await ask(`POST ${definitionsPath}`, definition([bare]))),
      'spec.versions[0].schema.openAPIV3Schema: Required value',
    );
    const two = definition([
      version('v1', object({ a: { type: 'array' } })),
      version('v2', object({}), { storage: false }),
    ]);
    t.match(
      refusal(await ask(`POST ${definitionsPath}`, two)),
      'spec.versions[0].schema.openAPIV3Schema.properties[a].items: Required value: must be specified',
    );
    const strange = await ask(`POST ${definitionsPath}?dryRun=All`, ofSchema(object({ a: { ...text, strange: 1 } })));
    t.equal(strange.status, 201);
    t.match(
      strange.headers['warning'],
      'unknown field \\"spec.versions[0].schema.openAPIV3Schema.properties.a.strange\\"',
    );
  });

  await t.test('a definition above the size limit of etcd is refused', async t => {
    const large = ofSchema({ ...object({}), description: 'x'.repeat(1_600_000) });
    const { status } = await ask(`POST ${definitionsPath}`, large);
    t.ok(status === 413 || status === 500, String(status));
  });

  await t.test('names may repeat in other groups, and a definition of a native resource is not served', async t => {
    const of = definition(oneVersion, {
      names: { plural: 'foos', kind: 'Deployment', shortNames: ['deploy'] },
    });
    await defined(of);
    const native = {
      ...definition(oneVersion, {
        group: 'networking.k8s.io',
        names: { plural: 'ingresses', kind: 'Ingress' },
      }),
      metadata: {
        name: 'ingresses.networking.k8s.io',
        annotations: { 'api-approved.kubernetes.io': 'unapproved, for now' },
      },
    };
    t.equal((await ask(`POST ${definitionsPath}`, native)).status, 201);
    const ingresses = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
    t.equal((await ask(`GET ${ingresses}`)).object.kind, 'IngressList');
    const bad = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'x' }, spec: { bogus: 1 } };
    t.equal((await ask(`POST ${ingresses}`, bad)).status, 422, 'validated by the rules of the native kind');
  });
});

t.test('a definition is deleted with its objects', async t => {
  const { ask, defined } = await fixture(t);
  const of = definition([version('v1', object({})), version('v2', object({}), { storage: false })]);
  await defined(of);
  const path = `${definitionsPath}/${of.metadata.name}`;
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
  t.equal(before.metadata.finalizers, undefined, 'the finalizer is added on deletion');
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
  const again = await ask(`POST ${definitionsPath}`, of);
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
