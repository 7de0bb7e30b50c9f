import t from 'tap';
import { aggregation } from '../../../cli/parts/aggregation.js';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import { httpClient } from '../../apiserver/http-client.js';
import { until } from '../../authn/serve.js';
import { controlPlane, core, object, setReady, startFleet } from '../fleet.js';
import { FakeOpenSearch } from '../search-backends/fake-open-search.js';

const index = 'kubernetes-configmap';

t.test('a registry with a backend store fills it with the objects that it selects', async t => {
  const { control, members } = await startFleet(t, 2, { ready: true });
  const fake = new FakeOpenSearch();
  const address = await fake.listen(t);
  const namespace = 'default';
  for (const [i, { client }] of members.entries()) {
    await client.create(core('configmaps'), object('v1', 'ConfigMap', `from-${i + 1}`, { metadata: { namespace } }));
    await client.create(
      core('services'),
      object('v1', 'Service', 'other', { metadata: { namespace }, spec: { ports: [{ port: 1 }] } }),
    );
  }
  const secret = (password: string) => ({
    stringData: { username: 'karmada', password },
    metadata: { namespace: 'karmada-cluster' },
  });
  await control.client.create(core('secrets'), object('v1', 'Secret', 'store', secret('one')));
  const registry = (name: string, kind: string, more: object = {}) =>
    object('search.karmada.io/v1alpha1', 'ResourceRegistry', name, {
      spec: { targetCluster: {}, resourceSelectors: [{ apiVersion: 'v1', kind, namespace }], ...more },
    });
  const secretRef = { namespace: 'karmada-cluster', name: 'store' };
  const openSearch = { addresses: [address], secretRef };
  await control.client.create(resources.resourceRegistries, registry('services', 'Service'));
  await control.client.create(
    resources.resourceRegistries,
    registry('stored', 'ConfigMap', { backendStore: { openSearch } }),
  );
  const stored = (): Map<string, string> => {
    const found = new Map<string, string>();
    for (const document of fake.documents.get(index)?.values() ?? []) {
      const { name, annotations: marks } = document['metadata'] as {
        name: string;
        annotations: Record<string, string>;
      };
      found.set(name, marks[annotations.cachedFromCluster] ?? '');
    }
    return found;
  };
  await until(() => stored().get('from-1') === 'member1' && stored().get('from-2') === 'member2');
  t.same([...fake.documents.keys()], [index], 'objects of other registries are not sent');
  t.notOk(
    [...(fake.documents.get(index)?.values() ?? [])].some(
      each => (each['metadata'] as { namespace: string }).namespace !== namespace,
    ),
    'nor are those of other namespaces',
  );

  await setReady(control, 'member2', 'False');
  const [first, second] = members;
  await first?.client.delete(core('configmaps'), { namespace, name: 'from-1' });
  await second?.client.create(core('configmaps'), object('v1', 'ConfigMap', 'late', { metadata: { namespace } }));
  await until(() => !stored().has('from-1') && stored().get('late') === 'member2');

  fake.authorizations.clear();
  const patch = { data: { password: Buffer.from('two').toString('base64') } };
  await control.client.patch(core('secrets'), secretRef, { type: 'merge', patch });
  const wanted = `Basic ${Buffer.from('karmada:two').toString('base64')}`;
  await until(() => fake.authorizations.has(wanted));

  await control.client.delete(resources.resourceRegistries, { name: 'stored' });
  const ask = httpClient(t, control);
  const path = 'GET /apis/search.karmada.io/v1alpha1/search/cache/api/v1/configmaps';
  await until(async () => (await ask(path)).json.items.length === 0);
  t.ok(stored().has('late'), 'documents stay');
});

t.test('disabled parts of karmada-search are not served', async t => {
  const root = '/apis/search.karmada.io/v1alpha1';
  const paths = [`${root}/search/cache/api/v1/pods`, `${root}/search/cache?q=a`, `${root}/proxying/karmada/proxy/api`];
  const rows = [
    { search: false, proxy: true, want: [404, 404, 200] },
    { search: true, proxy: false, want: [200, 200, 404] },
    { search: false, proxy: false, want: [404, 404, 404] },
  ];
  for (const { search, proxy, want } of rows) {
    const control = await controlPlane(t, { parts: [aggregation({ search: { search, proxy, backends: false } })] });
    const ask = httpClient(t, control);
    const found = [];
    for (const path of paths) found.push((await ask(`GET ${path}`)).status);
    t.same(found, want, JSON.stringify({ search, proxy }));
  }
});
