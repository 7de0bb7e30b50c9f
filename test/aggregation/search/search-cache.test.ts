import { once } from 'node:events';
import tls from 'node:tls';
import t from 'tap';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import { until } from '../../authn/serve.js';
import { httpClient, type Json } from '../../apiserver/http-client.js';
import { core, object, setReady, startFleet } from '../fleet.js';

const root = '/apis/search.karmada.io/v1alpha1/search';
const configMaps = '/api/v1/namespaces/default/configmaps';

const { control, members } = await startFleet(t, 2, { ready: true });
const ask = httpClient(t, control);

const configMap = (name: string, labels: Record<string, string> = {}) =>
  object('v1', 'ConfigMap', name, { metadata: { namespace: 'default', labels } });

const registry = (name: string, spec: object) =>
  object('search.karmada.io/v1alpha1', 'ResourceRegistry', name, { spec });

/** Returns `member1/name` for every item. */
const shown = ({ items }: Json): string[] =>
  items.map(({ metadata }) => {
    const { name, annotations: marks } = metadata as unknown as { name: string; annotations: Record<string, string> };
    return `${marks[annotations.cachedFromCluster]}/${name}`;
  });

const find = async (path: string): Promise<string[]> => shown((await ask(`GET ${root}/cache${path}`)).json);

t.test('selected resources of a registry are cached from its clusters', async t => {
  for (const [i, member] of members.entries())
    await member.client.create(core('configmaps'), configMap(`from-${i + 1}`, { app: `${i + 1}` }));
  t.same(await find(configMaps), [], 'nothing is cached without a registry');
  await control.client.create(
    resources.resourceRegistries,
    registry('one', {
      targetCluster: { clusterNames: ['member1'] },
      resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
    }),
  );
  await until(async () => (await find(configMaps)).includes('member1/from-1'));
  t.notMatch(await find(configMaps), [/member2/]);

  await control.client.create(
    resources.resourceRegistries,
    registry('two', {
      targetCluster: { clusterNames: ['member1', 'member2'] },
      resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
    }),
  );
  await until(async () => (await find(configMaps)).includes('member2/from-2'));
  const all = await find(configMaps);
  t.equal(all.filter(each => each === 'member1/from-1').length, 1, 'an object of two registries is listed once');
});

t.test('the format of responses', async t => {
  const list = await ask(`GET ${root}/cache${configMaps}?labelSelector=app%3D2`);
  t.equal(list.status, 200);
  t.equal(list.headers['content-type'], 'application/json; charset=utf-8');
  t.same(Object.keys(list.json), ['kind', 'apiVersion', 'metadata', 'items']);
  t.match(list.json, { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {} });
  t.match(list.json.items, [
    {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'from-2', namespace: 'default', uid: String, resourceVersion: /^\d+$/, labels: { app: '2' } },
    },
  ]);
  t.same(shown(list.json), ['member2/from-2']);
  const ofLabels = (selector: string): Promise<string[]> =>
    find(`${configMaps}?labelSelector=${encodeURIComponent(selector)}`);
  t.same(await ofLabels('app in (1,2,1,none)'), ['member1/from-1', 'member2/from-2'], 'an index has several values');
  t.same(await ofLabels('app in (1,2),app!=1'), ['member2/from-2']);
  t.same(await ofLabels('app in (none,other)'), []);
  t.same(await find(`${configMaps}/from-1`), ['member1/from-1']);
  t.same((await ask(`GET ${root}/cache${configMaps}/missing`)).json, {
    kind: 'ConfigMapList',
    apiVersion: 'v1',
    metadata: {},
    items: [],
  });
  t.ok((await find('/api/v1/configmaps')).length >= 2);
  t.same((await ask(`GET ${root}/cache/apis/apps/v1/deployments`)).json.items, [], 'an object of no registry');
});

t.test('objects with hundreds of labels are selected by each of them', async t => {
  const labels = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`l${i}`, 'many']));
  const [member] = members;
  await member?.client.create(core('configmaps'), configMap('many-labels', labels));
  await member?.client.create(core('configmaps'), configMap('one-label', { l299: 'many' }));
  const ofLabels = (selector: string): Promise<string[]> =>
    find(`${configMaps}?labelSelector=${encodeURIComponent(selector)}`);
  await until(async () => (await ofLabels('l299=many')).length === 2);
  t.same(await ofLabels('l0=many'), ['member1/many-labels']);
  t.same(await ofLabels('l0 in (many,few),l299=many'), ['member1/many-labels']);
  t.same(await ofLabels('l299=few'), []);
  for (const name of ['many-labels', 'one-label'])
    await member?.client.delete(core('configmaps'), { namespace: 'default', name });
  await until(async () => (await ofLabels('l299=many')).length === 0);
});

t.test('refusals', async t => {
  const cases = [
    { path: '/cache/apis/none/v1/things', code: 500, body: { error: 'no matches for none/v1, Resource=things' } },
    { path: '/cache/api/v1/pods?labelSelector=a%20b', code: 400, body: { error: String } },
    { path: '/cache/api/v1', code: 500, body: { message: 'k8s native Request URL(api/v1) is not a resource request' } },
    { path: '/cache', code: 500, body: { message: 'invalid requestInfo parts: [search cache]' } },
    {
      path: '/other/api/v1/pods',
      code: 500,
      body: { message: 'connect with unrecognized search category other', reason: undefined },
    },
    {
      path: '/cache/api/v1/namespaces/a/pods/b/log',
      code: 500,
      body: { message: 'invalid request parts([pods b log]) for k8s native request URL' },
    },
  ];
  for (const { path, code, body } of cases) {
    const answer = await ask(`GET ${root}${path}`);
    t.equal(answer.status, code, path);
    t.match(answer.json, body, path);
  }
  t.equal((await ask(`POST ${root}/cache/api/v1/pods`, { body: {} })).status, 405);
});

t.test('changes in members are visible', async t => {
  const [, second] = members;
  await second?.client.create(core('configmaps'), configMap('late'));
  await until(async () => (await find(configMaps)).includes('member2/late'));
  await second?.client.delete(core('configmaps'), { namespace: 'default', name: 'late' });
  await until(async () => !(await find(configMaps)).includes('member2/late'));
  t.pass();
});

t.test('a cluster that is not ready is left out until it is ready again', async t => {
  await setReady(control, 'member2', 'False');
  await until(async () => !(await find(configMaps)).some(each => each.startsWith('member2/')));
  await setReady(control, 'member2', 'True');
  await until(async () => (await find(configMaps)).includes('member2/from-2'));
  t.pass();
});

t.test('deleting a registry removes its cached resources', async t => {
  await control.client.delete(resources.resourceRegistries, { name: 'two' });
  await until(async () => !(await find(configMaps)).some(each => each.startsWith('member2/')));
  t.ok((await find(configMaps)).includes('member1/from-1'), 'resources of another registry stay');
});

t.test('a registry of one namespace caches no other namespace', async t => {
  const [first] = members;
  for (const namespace of ['shown', 'hidden']) {
    await first?.client.create(core('namespaces'), object('v1', 'Namespace', namespace));
    const metadata = { namespace, labels: { tenant: namespace } };
    await first?.client.create(
      core('services'),
      object('v1', 'Service', namespace, { metadata, spec: { ports: [{ port: 1 }] } }),
    );
  }
  await control.client.create(
    resources.resourceRegistries,
    registry('narrow', {
      targetCluster: { clusterNames: ['member1'] },
      resourceSelectors: [{ apiVersion: 'v1', kind: 'Service', namespace: 'shown' }],
    }),
  );
  await until(async () => (await find('/api/v1/services')).includes('member1/shown'));
  const rows = [
    { path: '/api/v1/services', want: ['member1/shown'] },
    { path: '/api/v1/services?labelSelector=tenant%3Dhidden', want: [] },
    { path: '/api/v1/namespaces/shown/services', want: ['member1/shown'] },
    { path: '/api/v1/namespaces/hidden/services', want: [] },
    { path: '/api/v1/namespaces/shown/services/shown', want: ['member1/shown'] },
    { path: '/api/v1/namespaces/hidden/services/hidden', want: [] },
  ];
  for (const { path, want } of rows) t.same(await find(path), want, path);
});

t.test('registries are validated', async t => {
  const cases = [
    {
      spec: { resourceSelectors: [{ apiVersion: 'a/b/c', kind: 'X' }] },
      message: 'spec.resourceSelectors[0].apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    },
    {
      spec: { backendStore: { openSearch: { addresses: ['ftp://x'], secretRef: { namespace: 'a', name: 'b' } } } },
      message:
        'spec.backendStore.openSearch.addresses[0]: Invalid value: "ftp://x": must be a valid http or https URL with non-empty scheme and host',
    },
  ];
  for (const { spec, message } of cases) {
    const refusal = control.client.create(
      resources.resourceRegistries,
      registry('bad', { targetCluster: {}, ...spec }),
    );
    await t.rejects(refusal, { code: 422, message: `ResourceRegistry.search.karmada.io "bad" is invalid: ${message}` });
  }
});

t.test('the headers of a list come with its beginning in one record of TLS', async t => {
  const { authority, admin } = control.pki;
  const { certificate: cert, key } = admin;
  const { host, port } = control;
  const socket = tls.connect({ host, port, ca: authority.certificate, cert, key, ALPNProtocols: ['http/1.1'] });
  t.teardown(() => socket.destroy());
  await once(socket, 'secureConnect');
  socket.write(`GET ${root}/cache/api/v1/secrets HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  const [record] = (await once(socket, 'data')) as [Buffer];
  t.match(record.toString(), /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n[^]*"kind":"SecretList"/);
});
