/** The literal of a number decides whether it is accepted: every way to write an object has its own rules. */
import t from 'tap';
import { runningServer } from '../running.js';
import { type HttpClient, httpClient } from '../http-client.js';

const types = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

type Type = keyof typeof types;

const deployments = '/apis/apps/v1/namespaces/default/deployments';
const deployment = (name: string, replicas: string, more = ''): string =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"${name}"},"spec":{"replicas":${replicas},
    "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{
    "containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}]${more}}}}}`;

/** Returns a patch of the replicas in each format. */
const bodies: Readonly<Record<Type, (literal: string) => string>> = {
  json: literal => `[{"op":"replace","path":"/spec/replicas","value":${literal}}]`,
  merge: literal => `{"spec":{"replicas":${literal}}}`,
  strategic: literal => `{"spec":{"replicas":${literal}}}`,
  apply: literal =>
    `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":${literal}}}`,
};

const field = 'Go struct field DeploymentSpec.spec.replicas of type int32';
const number = (literal: string, where = field): string => `json: cannot unmarshal number ${literal} into ${where}`;
const untyped = 'Go value of type float64';
const unpatched = (why: string): RegExp =>
  new RegExp(`^ "" is invalid: patch: Invalid value: .*: ${why.replace(/[.+]/g, '\\$&')}$`, 's');
const unapplied = (why: string): string =>
  `failed to convert new object (/a; apps/v1, Kind=Deployment) to proper version: unable to convert unstructured object to apps/v1, Kind=Deployment: ${why}`;

interface Row {
  readonly type: Type;
  readonly literal: string;
  readonly query?: string;
  /** The replicas, or the refusal. */
  readonly expect: number | readonly [status: number, message: string | RegExp];
}

const large = `1${'0'.repeat(400)}`;
const ignored = 'fieldValidation=Ignore';

const rows: readonly Row[] = [
  ...['1.0', '1e3', '1E+0', '1.5', '-0.0'].flatMap((literal): Row[] => [
    { type: 'json', literal, expect: [422, unpatched(number(literal))] },
    { type: 'json', literal, query: ignored, expect: [422, unpatched(number(literal))] },
    { type: 'merge', literal, expect: [422, unpatched(number(literal))] },
    { type: 'merge', literal, query: ignored, expect: [422, unpatched(number(literal))] },
  ]),
  ...(['strategic', 'apply'] as const).flatMap((type): Row[] => [
    { type, literal: '2.0', expect: 2 },
    { type, literal: '1e3', expect: 1000 },
    { type, literal: '-0.0', expect: 0 },
    { type, literal: '30e-1', expect: 3 },
  ]),
  ...(['json', 'merge', 'strategic', 'apply'] as const).map((type): Row => ({ type, literal: '-0', expect: 0 })),
  { type: 'strategic', literal: '1.5', expect: [422, unpatched('cannot convert float64 to int32')] },
  { type: 'apply', literal: '1.5', expect: [500, unapplied('cannot convert float64 to int32')] },
  ...['1e400', large].flatMap((literal): Row[] => [
    {
      type: 'json',
      literal,
      expect: [400, `error decoding patch: ${number(literal, 'Go struct field jsonPatchOp.value of type float64')}`],
    },
    { type: 'json', literal, query: ignored, expect: [422, unpatched(number(literal))] },
    { type: 'merge', literal, expect: [400, `error decoding patch: ${number(literal, untyped)}`] },
    { type: 'merge', literal, query: ignored, expect: [422, unpatched(number(literal))] },
    { type: 'strategic', literal, expect: [400, number(literal, untyped)] },
  ]),
  {
    type: 'apply',
    literal: '1e400',
    expect: [
      500,
      'failed to create typed patch object (/a; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string',
    ],
  },
];

const patch = (ask: HttpClient, path: string, type: Type, body: string, query = '') => {
  const all = [query, type === 'apply' ? 'fieldManager=m&force=true' : ''].filter(Boolean).join('&');
  return ask(`PATCH ${path}?${all}`, { body, type: types[type] });
};

t.test('patches of an int', async t => {
  const ask = httpClient(t, await runningServer(t));
  const made = await ask(`POST ${deployments}`, { body: deployment('a', '1'), type: 'application/json' });
  t.equal(made.status, 201, made.text);
  for (const { type, literal, query, expect } of rows) {
    const name = `${type} ${literal.slice(0, 10)} ${query ?? ''}`;
    const { status, json } = await patch(ask, `${deployments}/a`, type, bodies[type](literal), query);
    if (typeof expect === 'number')
      t.match({ status, json }, { status: 200, json: { spec: { replicas: expect } } }, name);
    else t.match({ status, message: json.message }, { status: expect[0], message: expect[1] }, name);
  }
});

t.test('writes that are decoded into types, and writes that are not', async t => {
  const ask = httpClient(t, await runningServer(t));
  await ask(`POST ${deployments}`, { body: deployment('a', '1'), type: 'application/json' });
  const groups = (list: string): string => `,"securityContext":{"supplementalGroups":${list}}`;
  const post = (body: string, type: string) => ask(`POST ${deployments}?dryRun=All`, { body, type });
  const list = 'Go struct field PodSecurityContext.spec.template.spec.securityContext.supplementalGroups of type int64';
  const unhandled = 'Deployment in version "v1" cannot be handled as a Deployment: ';
  for (const literal of ['1.0', '1e3', '-0.0', '1e400', large]) {
    t.match(
      (await post(deployment('b', literal), 'application/json')).json,
      { code: 400, message: unhandled + number(literal) },
      `created with ${literal.slice(0, 10)}`,
    );
    for (const items of [`[${literal}]`, `[7, ${literal}]`, `[\n${literal},7]`])
      t.match(
        (await post(deployment('b', '1', groups(items)), 'application/json')).json,
        { code: 400, message: unhandled + number(literal, list) },
        `created with ${items.slice(0, 10)}`,
      );
  }
  for (const [literal, expect] of Object.entries({ '1.0': 1, '1e3': 1000, '-0.0': 0 }))
    t.match((await post(deployment('b', literal), 'application/yaml')).json, { spec: { replicas: expect } }, 'as YAML');
  t.match(
    (await post(deployment('b', '1', groups('[-0]')), 'application/json')).json.spec,
    { template: { spec: { securityContext: { supplementalGroups: [0] } } } },
    '-0 is an int',
  );

  const merging = (literal: string): string =>
    `{"spec":{"template":{"spec":{"containers":[{"name":"c","ports":[{"containerPort":${literal},"name":"w"}]}]}}}}`;
  const port = await patch(ask, `${deployments}/a`, 'strategic', merging('80'));
  t.match(port.json.spec, { template: { spec: { containers: [{ ports: [{ containerPort: 80, name: 'w' }] }] } } });
  t.match(
    (await patch(ask, `${deployments}/a`, 'strategic', merging('80.0'))).json,
    { code: 422, message: /containers\[0\]\.ports\[1\]\.name: Duplicate value: "w"$/ },
    'a float is another list key than the int',
  );
  const label = (literal: string): string => `{"metadata":{"labels":{"a":${literal}}}}`;
  const labelled = async (type: Type, literal: string): Promise<unknown> =>
    (await patch(ask, `${deployments}/a`, type, label(literal))).json.message;
  t.match(await labelled('strategic', '1'), unpatched('cannot convert int64 to string'));
  t.match(await labelled('strategic', '1.0'), unpatched('unrecognized type: string'));
  const text = 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string';
  t.match(await labelled('merge', '1.0'), unpatched(text));
});

t.test('kinds with their own decoder', async t => {
  const ask = httpClient(t, await runningServer(t));
  const services = '/api/v1/namespaces/default/services';
  const ports = (literal: string): string => `"ports":[{"port":80,"targetPort":${literal}}]`;
  const service = (literal: string): string =>
    `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{${ports(literal)}}}`;
  const wrong = 'Go struct field ServicePort.spec.ports.targetPort of type int32';
  const alone = 'Go value of type int32';
  const post = (body: string) => ask(`POST ${services}`, { body, type: 'application/json' });
  t.equal((await post(service('1'))).status, 201);
  const unhandled = 'Service in version "v1" cannot be handled as a Service: ';
  t.equal((await post(service('1.0'))).json.message, unhandled + number('1.0', wrong));
  t.equal(
    (await post(service('1.0').replace('"port":80', '"port":"x"'))).json.message,
    unhandled + number('1.0', wrong),
    'the decoder stops there, and drops what it has found',
  );
  const spec = (literal: string): string => `{"spec":{${ports(literal)}}}`;
  const patched = async (type: Type, body: string) => (await patch(ask, `${services}/a`, type, body)).json;
  t.match((await patched('merge', spec('1.0'))).message, unpatched(number('1.0', wrong)));
  t.match((await patched('strategic', spec('2.0'))).spec, { ports: [{ targetPort: 2 }] });
  t.match((await patched('strategic', spec('1.5'))).message, unpatched(number('1.5', alone)));
  t.match(await patched('apply', service('1.5')), {
    code: 500,
    message: `failed to convert new object (/a; /v1, Kind=Service) to proper version: unable to convert unstructured object to /v1, Kind=Service: ${number('1.5', alone)}`,
  });

  const quota = '/api/v1/namespaces/default/resourcequotas';
  const body =
    '{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},"spec":{"hard":{"pods":1e3,"cpu":1.50}}}';
  const held = async (how: string, expect: object): Promise<void> => {
    t.strictSame(((await ask(how)).json.spec as { hard: object }).hard, expect, how);
  };
  await ask(`POST ${quota}`, { body, type: 'application/json' });
  await held(`GET ${quota}/q`, { cpu: '1500m', pods: '1e3' });
  await patch(ask, `${quota}/q`, 'json', '[{"op":"add","path":"/spec/hard/pods","value":2.0e3}]');
  await held(`GET ${quota}/q`, { cpu: '1500m', pods: '2e3' });
  await patch(ask, `${quota}/q`, 'strategic', '{"spec":{"hard":{"pods":3e3}}}');
  await held(`GET ${quota}/q`, { cpu: '1500m', pods: '3k' });
});

t.test('the test operation compares literals', async t => {
  const ask = httpClient(t, await runningServer(t));
  const maps = '/api/v1/namespaces/default/configmaps';
  await ask(`POST ${maps}`, {
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'a<b', p: 'plain', q: 'x"\n' } },
  });
  await ask(`POST ${deployments}`, { body: deployment('a', '1'), type: 'application/json' });
  const cases: readonly { readonly test: string; readonly holds: boolean }[] = [
    { test: '"path":"/data/p","value":"plain"', holds: true },
    { test: '"path":"/data/p","value":"pl\\u0061in"', holds: false },
    { test: '"path":"/data/k","value":"a<b"', holds: false },
    { test: '"path":"/data/k","value":"a\\u003cb"', holds: true },
    { test: '"path":"/data/q","value":"x\\"\\n"', holds: true },
    { test: '"path":"/data","value":{"q":"x\\"\\n","p":"plain","k":"a\\u003cb"}', holds: true },
    { test: '"path":"/data","value":{"p":"plain","k":"a\\u003cb"}', holds: false },
    { test: '"path":"/data","value":{"q":"x\\"\\n","p":"plain","k":"a\\u003cb","z":null}', holds: false },
    { test: '"path":"/data/none","value":null', holds: true },
    { test: '"path":"/data/none"', holds: true },
    { test: '"path":"/data/p","value":null', holds: false },
    { test: '"path":"/data/p"', holds: false },
    { test: '"path":"/d\\u0061ta/p","value":"plain"', holds: true },
  ];
  const status = async (path: string, body: string): Promise<number> => (await patch(ask, path, 'json', body)).status;
  for (const { test, holds } of cases)
    t.equal(await status(`${maps}/a`, `[{"op":"test",${test}}]`), holds ? 200 : 422, test);
  const path = '"path":"/spec/replicas"';
  const put = (literal: string): string => `{"op":"replace",${path},"value":${literal}}`;
  const tested = (literal: string): string => `{"op":"test",${path},"value":${literal}}`;
  const replicas: readonly { readonly ops: readonly string[]; readonly holds: boolean }[] = [
    { ops: [tested('1')], holds: true },
    { ops: [tested('1.0')], holds: false },
    { ops: [tested('1e0')], holds: false },
    { ops: [put('1.0'), tested('1.0'), put('1')], holds: true },
    { ops: [put('1.0'), tested('1'), put('1')], holds: false },
    { ops: [put('1e400'), put('1')], holds: false },
  ];
  for (const { ops, holds } of replicas)
    t.equal((await status(`${deployments}/a`, `[${ops.join()}]`)) === 200, holds, ops.join());
});

t.test('a patch of another version of the kind', async t => {
  const ask = httpClient(t, await runningServer(t));
  await ask(`POST ${deployments}`, { body: deployment('a', '1'), type: 'application/json' });
  for (const apiVersion of ['apps/v1beta1', 'apps/v1beta2', 'extensions/v1beta1']) {
    const body = JSON.stringify({ apiVersion, metadata: { annotations: { read: apiVersion } } });
    t.match(
      await patch(ask, `${deployments}/a`, 'merge', body),
      { status: 200, json: { apiVersion: 'apps/v1', metadata: { annotations: { read: apiVersion } } } },
      apiVersion,
    );
  }
  const scalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' };
  const metrics = (averageUtilization: number): object => [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } },
  ];
  const body = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a' },
    spec: { scaleTargetRef, maxReplicas: 3, metrics: metrics(50) },
  };
  t.equal((await ask(`POST ${scalers}`, { body })).status, 201);
  const old = '{"apiVersion":"autoscaling/v1","spec":{"targetCPUUtilizationPercentage":70}}';
  const { status, headers, json } = await patch(ask, `${scalers}/a`, 'merge', old);
  t.match({ status, json }, { status: 200, json: { apiVersion: 'autoscaling/v2', spec: { metrics: metrics(70) } } });
  t.match(headers.warning, /unknown field \\"spec.metrics\\"/);
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.example.com';
  t.match((await patch(ask, definitions, 'merge', '{"apiVersion":"v1"}')).status, 404);
});
