/** custom.metrics.k8s.io and external.metrics.k8s.io of the control plane: sums and lists over all ready members. */
import t from 'tap';
import { fakeFleet, serving } from './fake-members.js';

const custom = '/apis/custom.metrics.k8s.io';
const external = '/apis/external.metrics.k8s.io/v1beta1';
interface Value {
  readonly describedObject: { readonly name: string };
  readonly value: string;
}

const timestamp = '2026-01-02T03:04:05Z';
const group = (...versions: string[]) => ({
  [custom]: { kind: 'APIGroup', versions: versions.map(version => ({ version })) },
});
const described = (name: string) => ({ kind: 'Pod', namespace: 'default', name, apiVersion: 'v1' });
const inV1 = (name: string, value: string) => ({
  ...{ describedObject: described(name), metricName: 'rps', timestamp, window: 60, value, selector: null },
});
const inV2 = (name: string, value: string) => ({
  ...{ describedObject: described(name), metric: { name: 'rps', selector: null }, timestamp, windowSeconds: 60, value },
});

t.test('the values of objects with the same name are added up over members of both versions', async t => {
  const { ask, members } = await fakeFleet(t, 3);
  const [old, current] = members;
  if (!old || !current) throw new Error('there are three');
  const all = 'namespaces/default/pods/*/rps';
  old.onRequest = serving({
    ...group('v1beta1'),
    [`${custom}/v1beta1/${all}?labelSelector=app%3Dweb`]: { items: [inV1('a', '500m'), inV1('b', '1')] },
    [`${custom}/v1beta1/namespaces/default/pods/a/rps`]: { items: [inV1('a', '500m')] },
    [`${custom}/v1beta1/namespaces/default/metrics/quota`]: { items: [inV1('default', '2')] },
  });
  current.onRequest = serving({
    ...group('v1beta1', 'v1beta2'),
    [`${custom}/v1beta2/${all}?labelSelector=app%3Dweb`]: { items: [inV2('a', '1500m'), inV2('c', '7')] },
    [`${custom}/v1beta2/namespaces/default/pods/a/rps`]: { items: [inV2('a', '2')] },
    [`${custom}/v1beta2/namespaces/default/metrics/quota`]: { items: [inV2('default', '5')] },
  });
  const values = (items: readonly unknown[]) =>
    (items as readonly Value[]).map(({ describedObject, value }) => `${describedObject.name}=${value}`);
  const second = (await ask(`GET ${custom}/v1beta2/${all}?labelSelector=app%3Dweb`)).json;
  t.match(second, { kind: 'MetricValueList', apiVersion: 'custom.metrics.k8s.io/v1beta2' });
  t.same(values(second.items), ['a=2', 'b=1', 'c=7']);
  t.same(second.items[1], inV2('b', '1'), 'a value of v1beta1 is converted');
  const first = (await ask(`GET ${custom}/v1beta1/${all}?labelSelector=app%3Dweb`)).json;
  t.same(first.items[2], inV1('c', '7'), 'a value of v1beta2 is converted');
  t.same((await ask(`GET ${custom}/v1beta2/namespaces/default/pods/a/rps`)).json.items, [inV2('a', '2500m')]);
  t.same(values((await ask(`GET ${custom}/v1beta2/namespaces/default/metrics/quota`)).json.items), ['default=7']);
  t.match((await ask(`GET ${custom}/v1beta2/namespaces/default/pods/a/none`)).json, {
    ...{ code: 404, reason: 'NotFound', message: 'the server could not find the metric none for pods' },
  });
  t.equal((await ask(`GET ${custom}/v1beta2/namespaces/default/pods/a`)).status, 404);
  t.equal((await ask(`DELETE ${custom}/v1beta2/namespaces/default/pods/a/rps`)).status, 405);
  t.equal((await ask(`GET ${custom}/v1beta2/${all}?metricLabelSelector=%3D`)).status, 400);
});

t.test('an answer that would be too long is refused', async t => {
  const { ask, members } = await fakeFleet(t, 2);
  const items = Array.from({ length: 11_000 }, (_, i) => ({
    ...{ describedObject: { name: `p${i}` }, metric: { name: 'rps' }, timestamp, value: '1' },
  }));
  const path = `${custom}/v1beta2/namespaces/default/pods/*/rps`;
  for (const member of members) member.onRequest = serving({ ...group('v1beta2'), [path]: { items } });
  t.match((await ask(`GET ${path}`)).json, {
    ...{ code: 500, message: 'all clusters together have more than 20000 entries: select some' },
  });
  members[1]?.stop().catch(() => undefined);
  t.equal((await ask(`GET ${path}`)).json.items.length, 11_000);
});

t.test('the metrics of all members are discovered', async t => {
  const { ask, members } = await fakeFleet(t, 2);
  const [one, two] = members;
  if (!one || !two) throw new Error('there are two');
  const named = (name: string, namespaced = true) => ({ name, namespaced });
  one.onRequest = serving({
    ...group('v1beta1'),
    [`${custom}/v1beta1`]: { resources: [named('pods/rps'), named('nodes/heat', false), named('odd'), 5] },
    [external]: { resources: [named('queue')] },
  });
  two.onRequest = serving({
    ...group('v1beta2'),
    [`${custom}/v1beta2`]: { resources: [named('pods/rps'), named('jobs.batch/done')] },
    [external]: { resources: [named('queue'), named('lag')] },
  });
  const { json } = await ask(`GET ${custom}/v1beta1`);
  t.match(json, { kind: 'APIResourceList', groupVersion: 'custom.metrics.k8s.io/v1beta1' });
  const resources = json.resources as readonly { readonly name: string; readonly namespaced: boolean }[];
  t.same(
    resources.map(({ name, namespaced }) => `${name} ${namespaced}`),
    ['jobs.batch/done true', 'nodes/heat false', 'pods/rps true'],
  );
  t.match(resources[0], { kind: 'MetricValueList', verbs: ['get'] });
  t.match((await ask(`GET ${external}`)).json.resources, [{ name: 'lag' }, { name: 'queue', verbs: ['get'] }]);
  t.match((await ask(`GET ${custom}`)).json, {
    kind: 'APIGroup',
    versions: [{ version: 'v1beta2' }, { version: 'v1beta1' }],
  });
});

t.test('external metrics have the label of their cluster, by which they can be selected', async t => {
  const { ask, members } = await fakeFleet(t, 3);
  const path = `${external}/namespaces/default/queue`;
  const value = (metricLabels: object, value: string) => ({ metricName: 'queue', metricLabels, timestamp, value });
  const asked: string[] = [];
  for (const [i, member] of members.entries())
    member.onRequest = (request, response) => {
      asked.push(`${i + 1} ${request.url}`);
      if (i === 2) return void response.writeHead(500).end('broken');
      response.end(JSON.stringify({ items: [value({ queue: 'orders' }, `${i + 4}`)] }));
    };
  const label = (cluster: string) => ({ queue: 'orders', 'resource.karmada.io/query-from-cluster': cluster });
  const { json } = await ask(`GET ${path}?labelSelector=queue%3Dorders`);
  t.match(json, { kind: 'ExternalMetricValueList', apiVersion: 'external.metrics.k8s.io/v1beta1' });
  t.same(json.items, [value(label('member1'), '4'), value(label('member2'), '5')]);
  asked.length = 0;
  const selector = encodeURIComponent('queue=orders,resource.karmada.io/query-from-cluster in (member2)');
  t.same((await ask(`GET ${path}?labelSelector=${selector}`)).json.items, [value(label('member2'), '5')]);
  t.same(asked, [`2 ${path}?labelSelector=queue%3Dorders`], 'others are not asked');
  t.equal((await ask(`GET ${external}/namespaces/default/queue/x`)).status, 404);
  t.equal((await ask(`DELETE ${path}`)).status, 405);
});

t.test(
  'a value with too many labels, and the answers of members that are too long together, are left out or refused',
  async t => {
    const { ask, members } = await fakeFleet(t, 10);
    const path = `${external}/namespaces/default/queue`;
    const labels = (count: number, text: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`label-${i}`, text]));
    const value = (metricLabels: object) => ({ metricName: 'queue', metricLabels, timestamp, value: '1' });
    const many = serving({ [path]: { items: [value(labels(6000, 'x'))] } });
    for (const member of members) member.onRequest = many;
    t.same((await ask(`GET ${path}`)).json.items, [], 'none of them has few labels');
    const long = serving({ [path]: { items: [value(labels(4000, 'x'.repeat(900)))] } });
    for (const member of members) member.onRequest = long;
    t.match((await ask(`GET ${path}`)).json, {
      ...{ code: 500, message: 'all clusters together answer with more than 32 MiB: select some' },
    });
  },
);
