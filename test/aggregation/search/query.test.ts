import t from 'tap';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import { httpClient, type Json } from '../../apiserver/http-client.js';
import { until } from '../../authn/serve.js';
import { core, grant, object, rbac, setReady, startFleet } from '../fleet.js';

const root = '/apis/search.karmada.io/v1alpha1/search/cache';
const { control, members } = await startFleet(t, 2, { ready: true });
const ask = httpClient(t, control);

const pathOf = (query: string, more = ''): string => `GET ${root}?q=${encodeURIComponent(query)}${more}`;

const shown = ({ items }: Json): string[] =>
  items.map(({ kind, metadata }) => {
    const { name, annotations: marks } = metadata as unknown as { name: string; annotations: Record<string, string> };
    return `${marks[annotations.cachedFromCluster]}/${String(kind)}/${name}`;
  });

const find = async (query: string): Promise<string[]> => shown((await ask(pathOf(query))).json);

t.before(async () => {
  for (const [i, { client }] of members.entries()) {
    await client.create(core('namespaces'), object('v1', 'Namespace', 'team'));
    for (const namespace of ['default', 'team']) {
      const metadata = { namespace, labels: { app: 'shop', of: `${i + 1}` } };
      await client.create(
        core('configmaps'),
        object('v1', 'ConfigMap', `shop-${namespace}`, { metadata, data: { a: 'Blue' } }),
      );
    }
    const metadata = { namespace: 'default' };
    await client.create(
      core('services'),
      object('v1', 'Service', 'shop', { metadata, spec: { ports: [{ port: 1 }] } }),
    );
  }
  const resourceSelectors = [
    { apiVersion: 'v1', kind: 'ConfigMap' },
    { apiVersion: 'v1', kind: 'Service' },
  ];
  await control.client.create(
    resources.resourceRegistries,
    object('search.karmada.io/v1alpha1', 'ResourceRegistry', 'all', { spec: { targetCluster: {}, resourceSelectors } }),
  );
  await until(async () => (await find('shop*')).length === 6);
});

t.test('words and fields over all kinds and members', async t => {
  const rows: [query: string, want: string[]][] = [
    ['blue namespace:default', ['member1/ConfigMap/shop-default', 'member2/ConfigMap/shop-default']],
    ['kind:Service cluster:member2 shop', ['member2/Service/shop']],
    ['label:app=shop label:of=2 -namespace:team', ['member2/ConfigMap/shop-default']],
    ['name:shop-t* cluster:member1', ['member1/ConfigMap/shop-team']],
    ['nowhere', []],
  ];
  for (const [query, want] of rows) t.same(await find(query), want, query);
});

t.test('an answer is a list of whole objects, with counts', async t => {
  const { status, json } = await ask(pathOf('shop*'));
  t.equal(status, 200);
  t.match(json, {
    kind: 'List',
    apiVersion: 'v1',
    metadata: {},
    total: 6,
    facets: {
      cluster: { member1: 3, member2: 3 },
      kind: { ConfigMap: 4, Service: 2 },
      namespace: { default: 4, team: 2 },
      health: { Unknown: 6 },
    },
  });
  t.match(json.items[0], { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'Blue' }, metadata: { uid: String } });
});

t.test('pages', async t => {
  const whole = await find('shop*');
  const found: string[] = [];
  const remaining: unknown[] = [];
  let token: string | undefined;
  do {
    const more: string = token === undefined ? '' : `&continue=${token}`;
    const { json } = await ask(pathOf('shop*', `&limit=4${more}`));
    found.push(...shown(json));
    t.equal(json['total'], 6, 'the counts are those of all pages');
    const metadata = json.metadata as { continue?: string; remainingItemCount?: number };
    remaining.push(metadata.remainingItemCount);
    token = metadata.continue;
  } while (token !== undefined);
  t.same(found, whole);
  t.same(remaining, [2, undefined]);
  for (const more of ['&limit=x', '&continue=x', '&continue=bnVsbA'])
    t.equal((await ask(pathOf('shop*', more))).status, 400, more);
  t.equal((await ask(pathOf('name:'))).status, 400);
});

t.test('users find what they may list in the control plane, and nothing else', async t => {
  const asUser = async (): Promise<{ status: number; json: Json }> =>
    ask(pathOf('shop*'), { headers: { 'impersonate-user': 'ann', 'impersonate-group': 'system:authenticated' } });
  t.equal((await asUser()).status, 403, 'a query needs the right to get search');
  const role = (name: string, rules: object[], namespace?: string) =>
    control.client.create(
      rbac(namespace ? 'roles' : 'clusterroles'),
      object('rbac.authorization.k8s.io/v1', namespace ? 'Role' : 'ClusterRole', name, {
        rules,
        ...(namespace && { metadata: { namespace } }),
      }),
    );
  const ann = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' };
  await role('searcher', [{ apiGroups: ['search.karmada.io'], resources: ['search'], verbs: ['get'] }]);
  await grant(control.client, 'searcher', ann, 'searcher');
  await until(async () => (await asUser()).status === 200);
  const none = (await asUser()).json;
  t.same(none.items, []);
  t.match(none, { total: 0, facets: { cluster: {}, kind: {}, namespace: {}, health: {} } });

  await control.client.create(core('namespaces'), object('v1', 'Namespace', 'team'));
  await role('reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }], 'team');
  await control.client.create(
    rbac('rolebindings'),
    object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'reader', {
      metadata: { namespace: 'team' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [ann],
    }),
  );
  await until(async () => (await asUser()).json.items.length > 0);
  t.same(shown((await asUser()).json), ['member1/ConfigMap/shop-team', 'member2/ConfigMap/shop-team']);
  t.match((await asUser()).json, { total: 2, facets: { namespace: { team: 2 }, kind: { ConfigMap: 2 } } });

  await role('services', [{ apiGroups: [''], resources: ['services'], verbs: ['list'] }]);
  await grant(control.client, 'services', ann, 'services');
  await until(async () => (await asUser()).json['total'] === 4);
  t.ok(shown((await asUser()).json).includes('member1/Service/shop'));
});

t.test('a large object is found by its name only, so that nothing is parsed for long', async t => {
  const metadata = { namespace: 'default', labels: { size: 'large' } };
  const data = { first: 'hugeword', rest: 'x'.repeat(300 * 1024) };
  await members[0]?.client.create(core('configmaps'), object('v1', 'ConfigMap', 'large', { metadata, data }));
  await until(async () => (await find('name:large')).length === 1);
  t.same(await find('label:size=large'), ['member1/ConfigMap/large']);
  t.same(await find('hugeword'), []);
});

t.test('the index follows the members', async t => {
  const [first] = members;
  const key = { namespace: 'default', name: 'shop-default' };
  await first?.client.patch(core('configmaps'), key, { type: 'merge', patch: { data: { a: 'Green' } } });
  await until(async () => (await find('green')).length === 1);
  t.same(await find('blue namespace:default'), ['member2/ConfigMap/shop-default']);
  await first?.client.delete(core('configmaps'), key);
  await until(async () => (await find('green')).length === 0);
  await setReady(control, 'member2', 'False');
  await until(async () => (await find('cluster:member2')).length === 0);
  await setReady(control, 'member2', 'True');
  await until(async () => (await find('cluster:member2 blue')).length === 2);
});
