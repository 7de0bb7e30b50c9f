/** Custom resources, compared to the recorded behaviour of Kubernetes 1.36. */
import t from 'tap';
import { definitionsPath, object, text, version, whole } from '../../custom-kinds.js';
import { definition, foo, ofSchema, pathOf, fixture, until } from './fixture.js';
import { json, merge, refusal, wire } from '../wire.js';

t.test('custom resources behave as in Kubernetes', async t => {
  const { ask, defined, server } = await fixture(t);
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
  const of = ofSchema(object({ spec, status: object({ replicas: whole, selector: text }) }), {
    subresources: { status: {}, scale: replicas },
    selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.replicas' }, { jsonPath: '.spec.flag' }],
    additionalPrinterColumns: [
      { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
      { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      { name: 'Wide', type: 'string', jsonPath: '.spec.color', priority: 1 },
    ],
  });
  await defined(of);
  const path = pathOf(of);
  const post = (fields: object, name = 'x', query = '') => ask(`POST ${path}${query}`, foo(of, name, fields));

  await t.test('invalid objects are refused', async t => {
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

  await t.test('unknown fields are pruned or kept', async t => {
    const { object: seen, headers } = await post(
      { spec: { bogus: 1, free: { x: { y: null } }, nullable: null, filled: null, short: null }, other: 1 },
      'kept',
    );
    t.same(seen['spec'], { filled: 'full', free: { x: { y: null } }, nullable: null });
    t.equal('other' in seen, false);
    t.match(headers['warning'], 'unknown field \\"spec.bogus\\"');
    const required = ofSchema(object({ spec: object({ a: text }, { required: ['a'] }) }));
    await defined(required);
    t.match(
      refusal(await ask(`POST ${pathOf(required)}`, foo(required, 'x', { spec: { a: null } }))),
      '422: spec.a: Required value',
    );
  });

  await t.test('/status writes the status', async t => {
    await post({ spec: { color: 'red' }, status: { replicas: 9 } }, 'st');
    const { object: seen } = await ask(`GET ${path}/st`);
    t.equal('status' in seen, false, 'a create ignores the status');
    const changed = await ask(`PUT ${path}/st/status`, { ...seen, spec: { color: 'blue' }, status: { replicas: 3 } });
    t.match(changed.object, { spec: { color: 'red' }, status: { replicas: 3 } });
    t.equal(changed.object.metadata.generation, 1);
    const back = await ask(`PUT ${path}/st`, { ...changed.object, status: { replicas: 5 } });
    t.match(back.object, { status: { replicas: 3 } });
    t.match(
      refusal(await ask(`PATCH ${path}/st/status`, { status: { replicas: 'a' } }, merge)),
      '422: status.replicas: Invalid value: "string"',
    );
    const without = ofSchema();
    await defined(without);
    await ask(`POST ${pathOf(without)}`, foo(without, 'x'));
    t.equal((await ask(`GET ${pathOf(without, '/x/status')}`)).status, 404);
    t.equal((await ask(`GET ${pathOf(without, '/x/scale')}`)).status, 404);
  });

  await t.test('/scale reads and writes the replicas', async t => {
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

  await t.test('a Table has the columns of the definition', async t => {
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
    const plain = ofSchema();
    await defined(plain);
    const { object: usual } = await send(`GET ${pathOf(plain)}`, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    t.same(
      (usual['columnDefinitions'] as { name: string }[]).map(({ name }) => name),
      ['Name', 'Age'],
    );
  });

  await t.test('lists have selectors and pages', async t => {
    const group = ofSchema(object({ spec }), {
      selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.replicas' }, { jsonPath: '.spec.flag' }],
    });
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
    const many = ofSchema(object({ spec: object(fields) }), { selectableFields: nine });
    t.match(
      refusal(await ask(`POST ${definitionsPath}`, many)),
      '422: spec.selectableFields: Too many: 9: must have at most 8 items',
    );
  });

  await t.test('unchanged invalid fields are tolerated', async t => {
    const at = (schema: object) => [version('v1', object({ spec: object({ a: schema, b: text }) }))];
    const loose = definition(at(text));
    await defined(loose);
    const one = pathOf(loose, '/r');
    await ask(`POST ${pathOf(loose)}`, foo(loose, 'r', { spec: { a: 'long' } }));
    const rule = { rule: "self != 'long'", message: 'no' };
    await ask(
      `PATCH ${definitionsPath}/${loose.metadata.name}`,
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
