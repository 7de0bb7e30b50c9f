import t from 'tap';
import { nativeSchema, nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { gvkOf, gvkText } from '../../../apimachinery/meta/gvk.js';
import { canonical } from '../../../apimachinery/codec/canonical.js';
import { DecodeError } from '../../../apimachinery/codec/decode-error.js';
import { golden, recorded } from '../../data.js';

/** Objects as returned by kube-apiserver 1.36. */
t.test('objects of kube-apiserver are canonical', async t => {
  const { cases } = golden<{ json: KubeObject }, unknown>('protobuf');
  let compared = 0;
  for (const { name, input } of cases) {
    const schema = nativeSchemaFor(gvkOf(input.json));
    if (!schema) continue;
    const { object, unknown } = canonical(input.json, schema);
    t.same(unknown, [], name);
    t.equal(JSON.stringify(object), JSON.stringify(input.json), `${name} ${gvkText(gvkOf(input.json))}`);
    t.equal(
      canonical(object, schema, { shareCanonical: true }).object,
      object,
      `${name}: what is in form is taken as it is`,
    );
    compared++;
  }
  t.ok(compared > 100, `${compared} compared`);
});

interface Step {
  want?: { body?: KubeObject };
}

/** Times are masked in recordings. */
const unmask = (text: string): KubeObject =>
  JSON.parse(
    text
      .replace(
        /"(eventTime|acquireTime|renewTime|firstObserved|lastObservedTime)":"\{time\}"/g,
        '"$1":"2024-01-01T00:00:00.000000Z"',
      )
      .replaceAll('{time}', '2024-01-01T00:00:00Z'),
  ) as KubeObject;

t.test('recorded answers are canonical', async t => {
  const { cases } = recorded('corpus/defaults.json') as { cases: { name: string; steps: Step[] }[] };
  let compared = 0;
  for (const { name, steps } of cases) {
    for (const { want } of steps) {
      const body = want?.body;
      if (!body?.apiVersion || !body.kind || body.kind === 'Table' || /PartialObject/.test(body.kind)) continue;
      const schema = nativeSchemaFor(gvkOf(body));
      if (!schema) continue;
      const given = unmask(JSON.stringify(body));
      const { object, unknown } = canonical(given, schema);
      t.same(unknown, [], name);
      t.equal(JSON.stringify(object), JSON.stringify(given), `${name} ${body.kind}`);
      compared++;
    }
  }
  t.ok(compared > 500, `${compared} compared`);
});

t.test('zero values are written by their presence', async t => {
  const schema = (name: string) => nativeSchema(`io.k8s.api.${name}`);
  const cases: { name: string; type: string; given: object; expect: string }[] = [
    {
      name: 'structs that are always written',
      type: 'apps.v1.Deployment',
      given: { spec: null, extra: 1 },
      expect:
        '{"metadata":{},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
    },
    {
      name: 'zero values of pointers are written, others are left out',
      type: 'apps.v1.DeploymentSpec',
      given: { paused: false, minReadySeconds: 0, replicas: 0, revisionHistoryLimit: null, selector: {}, template: {} },
      expect: '{"replicas":0,"selector":{},"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}}',
    },
    {
      name: 'maps are sorted, and their nulls become zero values',
      type: 'core.v1.ConfigMap',
      given: { data: { b: '1', a: null }, binaryData: { x: 'YQ==\n' }, metadata: { labels: {}, annotations: null } },
      expect: '{"metadata":{},"data":{"a":"","b":"1"},"binaryData":{"x":"YQ=="}}',
    },
    {
      name: 'quantities and times',
      type: 'core.v1.Node',
      given: {
        metadata: { creationTimestamp: '2024-01-01T01:00:00.5+01:00', deletionTimestamp: null },
        spec: {},
        status: { capacity: { memory: 0.5, cpu: '1000m', x: null } },
      },
      expect:
        '{"metadata":{"creationTimestamp":"2024-01-01T00:00:00Z"},"spec":{},"status":{"capacity":{"cpu":"1","memory":"500m","x":"0"},"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"","osImage":"","containerRuntimeVersion":"","kubeletVersion":"","kubeProxyVersion":"","operatingSystem":"","architecture":""}}}',
    },
    {
      name: 'numbers or strings',
      type: 'core.v1.ServicePort',
      given: { port: 80, targetPort: 'http' },
      expect: '{"port":80,"targetPort":"http"}',
    },
    { name: 'ports that are not set', type: 'core.v1.ServicePort', given: {}, expect: '{"port":0,"targetPort":0}' },
    {
      name: 'JSON schemas',
      type: '../apiextensions',
      given: {
        type: 'array',
        items: { type: 'string', bogus: 1 },
        additionalProperties: false,
        default: { b: 1, a: 2 },
      },
      expect: '{"type":"array","default":{"b":1,"a":2},"items":{"type":"string"},"additionalProperties":false}',
    },
  ];
  for (const { name, type, given, expect } of cases) {
    const of =
      type === '../apiextensions'
        ? nativeSchema('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')
        : schema(type);
    const before = JSON.stringify(given);
    t.equal(JSON.stringify(canonical(given, of).object), expect, name);
    t.equal(JSON.stringify(given), before, 'the argument is left alone');
  }
});

t.test('values of a wrong type have the errors of Go', async t => {
  const cases: { kind: string; given: object; expect: string }[] = [
    {
      kind: 'apps/v1/Deployment',
      given: { spec: { replicas: '3' } },
      expect: 'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    },
    {
      kind: 'apps/v1/Deployment',
      given: { spec: { replicas: 1.5 } },
      expect: 'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    },
    {
      kind: 'apps/v1/Deployment',
      given: { spec: { replicas: 99999999999 } },
      expect:
        'json: cannot unmarshal number 99999999999 into Go struct field DeploymentSpec.spec.replicas of type int32',
    },
    {
      kind: 'apps/v1/Deployment',
      given: { spec: { paused: 'true' } },
      expect: 'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.paused of type bool',
    },
    {
      kind: '/v1/ConfigMap',
      given: { data: [] },
      expect: 'json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    },
    {
      kind: '/v1/ConfigMap',
      given: { metadata: { labels: { x: 1 } } },
      expect: 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    },
    {
      kind: '/v1/ConfigMap',
      given: { metadata: { finalizers: 'x' } },
      expect: 'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.finalizers of type []string',
    },
    {
      kind: '/v1/ConfigMap',
      given: { metadata: { creationTimestamp: 'yesterday' } },
      expect: 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    },
    {
      kind: '/v1/ConfigMap',
      given: { data: { b: 1 }, metadata: { name: 2 } },
      expect: 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    },
    {
      kind: '/v1/Pod',
      given: { spec: { containers: [{ resources: { limits: { cpu: 'x' } } }] } },
      expect: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    },
    {
      kind: '/v1/Pod',
      given: { spec: { containers: [{ command: [1] }] } },
      expect: 'json: cannot unmarshal number into Go struct field Container.spec.containers.command of type string',
    },
    {
      kind: '/v1/Pod',
      given: { spec: { containers: {} } },
      expect: 'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    },
    {
      kind: '/v1/Pod',
      given: { spec: 'x' },
      expect: 'json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec',
    },
    { kind: '/v1/Secret', given: { data: { a: '!' } }, expect: 'illegal base64 data at input byte 0' },
    { kind: '/v1/Secret', given: { data: { a: 'YWJjZ' } }, expect: 'illegal base64 data at input byte 4' },
    {
      kind: '/v1/Service',
      given: { spec: { ports: [{ targetPort: true }] } },
      expect: 'json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32',
    },
  ];
  for (const { kind, given, expect } of cases) {
    const [group = '', version = '', name = ''] = kind.split('/');
    const schema = nativeSchemaFor({ group, version, kind: name });
    t.throws(() => schema && canonical(given, schema), new DecodeError(expect), expect);
  }
});

t.test('with the option bare, empty lists and maps are left out or null', t => {
  const schema = nativeSchemaFor({ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole' });
  if (!schema) throw new Error('no schema');
  const role = { metadata: { name: 'a', labels: {} }, rules: [], aggregationRule: { clusterRoleSelectors: [] } };
  t.match(canonical(role, schema).object, { rules: [], aggregationRule: {} });
  t.equal(
    JSON.stringify(canonical(role, schema, { emptyAsNull: true }).object),
    '{"metadata":{"name":"a"},"rules":null,"aggregationRule":{}}',
  );
  t.end();
});

t.test(
  'of a value that the caller does not use afterwards, only the path to parts that are not canonical is copied',
  t => {
    const schema = nativeSchemaFor({ group: 'apps', version: 'v1', kind: 'Deployment' });
    if (!schema) throw new Error('there are Deployments');
    const container = { name: 'a', env: [{ name: 'A', value: '' }, { name: 'B' }], image: 'i', resources: {} };
    const given = {
      metadata: { name: 'a', labels: { b: '1', a: '2' }, annotations: { a: '1', b: '2' } },
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: {}, spec: { containers: [container] } } },
    };
    const before = JSON.stringify(given);
    const { object } = canonical<typeof given>(given, schema, { shareCanonical: true });
    t.equal(JSON.stringify(object), JSON.stringify(canonical(given, schema).object), 'as the copy is');
    t.equal(object.spec.selector, given.spec.selector, 'a canonical part');
    t.equal(object.metadata.annotations, given.metadata.annotations, 'a sorted map');
    t.equal(JSON.stringify(given), before, 'the input is not changed');
    t.end();
  },
);

t.test('nested values of one type with keys in another order are read once', async t => {
  const schema = nativeSchemaFor({ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' });
  if (!schema) throw new Error('there is no such kind');
  let inner: object = { type: 'string' };
  // If each level were read twice, it would take 2^100 steps.
  for (let depth = 0; depth < 100; depth++) inner = { not: inner, anyOf: [{ required: ['b'] }], allOf: [] };
  const given = { spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: inner } }] } };
  const { object } = canonical<{ spec: { versions: { schema: { openAPIV3Schema: object } }[] } }>(given, schema);
  const read = object.spec.versions[0]?.schema.openAPIV3Schema;
  t.same(Object.keys(read ?? {}), ['anyOf', 'not'], 'in the order of the declaration, without empty lists');
});
