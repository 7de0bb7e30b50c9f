import t from 'tap';
import { bootstrapObjects } from '../../../authn/bootstrap/objects.js';
import {
  reconcileBinding,
  reconcileData,
  reconcileRole,
  reconcileMandatorySpec,
  reconcileSpec,
  type ObjectUpdate,
} from '../../../authn/bootstrap/reconcile.js';
import { trustConfigMap } from '../../../authn/bootstrap/trust.js';
import { createAuthority } from '../../../authn/pki/authority.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Maybe } from '../../../lib/maybe.js';

const now = new Date('2026-01-02T03:04:05Z');
const autoupdate = 'rbac.authorization.kubernetes.io/autoupdate';

const make = (kind: string, body: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'x/v1',
  kind,
  metadata: { name: 'a', ...metadata },
  ...body,
});

const get = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
const changed = async (reconciled: Maybe<ObjectUpdate>): Promise<unknown> => {
  const change = await reconciled;
  return change?.type === 'update' ? change.object : change?.type;
};

t.test('roles are reconciled', async t => {
  const wanted = make('ClusterRole', { rules: [get] }, { labels: { a: 'b' }, annotations: { [autoupdate]: 'true' } });
  const same = structuredClone(wanted);
  t.equal(await reconcileRole(same, wanted), undefined, 'in place');
  const more = { apiGroups: ['x'], resources: ['*'], verbs: ['*'] };
  t.equal(
    await reconcileRole({ ...same, rules: [more, { ...get, verbs: ['*'] }] }, wanted),
    undefined,
    'granted otherwise',
  );
  t.same(await changed(reconcileRole({ ...same, rules: [more, { ...get, verbs: ['get'] }] }, wanted)), {
    ...wanted,
    rules: [more, { ...get, verbs: ['get'] }, { ...get, verbs: ['list'] }],
  });
  t.same(await changed(reconcileRole({ ...same, rules: null }, wanted)), {
    ...wanted,
    rules: [
      { ...get, verbs: ['get'] },
      { ...get, verbs: ['list'] },
    ],
  });
  const kept = make('ClusterRole', { rules: [] }, { annotations: { [autoupdate]: 'false' } });
  t.equal(await reconcileRole(kept, wanted), undefined, 'protected');
  const unlabelled = make('ClusterRole', { rules: [get] }, { labels: { a: 'own', c: 'd' }, uid: 'u' });
  t.same(await changed(reconcileRole(unlabelled, wanted)), {
    ...wanted,
    metadata: { name: 'a', uid: 'u', labels: { a: 'own', c: 'd' }, annotations: { [autoupdate]: 'true' } },
  });
  const selector = { matchLabels: { x: 'y' } };
  const aggregating = make('ClusterRole', { rules: null, aggregationRule: { clusterRoleSelectors: [selector] } });
  t.equal(await reconcileRole({ ...aggregating, rules: [get] }, aggregating), undefined, 'what was aggregated stays');
  const plain = make('ClusterRole', { rules: [get] });
  t.same(
    await changed(reconcileRole({ ...plain, aggregationRule: { clusterRoleSelectors: [selector] } }, plain)),
    plain,
  );
  const other = { matchLabels: { z: 'z' } };
  t.same(
    await changed(reconcileRole({ ...aggregating, aggregationRule: { clusterRoleSelectors: [other] } }, aggregating)),
    {
      ...aggregating,
      aggregationRule: { clusterRoleSelectors: [other, selector] },
    },
  );
});

t.test('a role with very many rules is compared in time slices, and does not stop a start', async t => {
  const list = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  const [apiGroups, resources, verbs] = [[''], list(45, 'r'), list(100, 'v')];
  const wanted = make('ClusterRole', { rules: [{ apiGroups, resources, verbs }] });
  const others = list(5000, 'x').map(resource => ({ apiGroups, resources: [resource], verbs: ['get'] }));
  const halves = [verbs.slice(0, 50), verbs.slice(50)].map(half => ({ apiGroups, resources, verbs: half }));
  const change = reconcileRole(make('ClusterRole', { rules: [...others, ...halves] }), wanted);
  t.ok(change instanceof Promise, 'the event loop is not held');
  t.equal(await change, undefined, 'the rules are granted together');
});

t.test('bindings are reconciled', async t => {
  const [jane, joe] = ['jane', 'joe'].map(name => ({ kind: 'User', apiGroup: 'g', name }));
  const roleRef = { apiGroup: 'g', kind: 'Role', name: 'r' };
  const wanted = make('RoleBinding', { roleRef, subjects: [jane] });
  t.equal(await reconcileBinding(make('RoleBinding', { roleRef, subjects: [joe, jane] }), wanted), undefined);
  t.same(await changed(reconcileBinding(make('RoleBinding', { roleRef, subjects: [joe] }), wanted)), {
    ...wanted,
    subjects: [joe, jane],
  });
  const elsewhere = make('RoleBinding', { roleRef: { ...roleRef, name: 'x' }, subjects: [jane] });
  t.equal(await changed(reconcileBinding(elsewhere, wanted)), 'recreate');
});

t.test('specs and data are reconciled', async t => {
  const ours = { annotations: { 'apf.kubernetes.io/autoupdate-spec': 'true' } };
  const wanted = make('FlowSchema', { spec: { a: 1 } }, ours);
  t.same(await changed(reconcileSpec(make('FlowSchema', { spec: { a: 2 } }, ours), wanted)), wanted);
  const theirs = { annotations: { 'apf.kubernetes.io/autoupdate-spec': 'false' } };
  t.equal(await reconcileSpec(make('FlowSchema', { spec: { a: 2 } }, theirs), wanted), undefined, 'taken over');
  const silent = (generation: number) => make('FlowSchema', { spec: { a: 2 } }, { generation });
  t.same(await changed(reconcileSpec(silent(1), wanted)), {
    ...wanted,
    metadata: { name: 'a', generation: 1, ...ours },
  });
  t.same(
    await changed(reconcileSpec(silent(2), wanted)),
    make('FlowSchema', { spec: { a: 2 } }, { generation: 2, ...theirs }),
  );
  t.same(await changed(reconcileMandatorySpec(make('FlowSchema', { spec: { a: 2 } }, theirs), wanted)), wanted);
  t.equal(await reconcileSpec(wanted, wanted), undefined);
  const map = make('ConfigMap', { data: { a: '1', b: '2' } });
  t.same(
    await changed(reconcileData(map, make('ConfigMap', { data: { a: '3' } }))),
    make('ConfigMap', { data: { a: '3', b: '2' } }),
  );
  t.equal(await reconcileData(map, make('ConfigMap', { data: { a: '1' } })), undefined);
});

t.test('the bootstrap objects of a server', async t => {
  const service = { cidr: '10.96.0.0/12', address: '10.96.0.1', port: 6443, endpoints: ['192.0.2.2'] };
  const objects = bootstrapObjects({ now, service }).flat();
  const count: Record<string, number> = {};
  for (const { object } of objects) count[object.kind] = (count[object.kind] ?? 0) + 1;
  t.same(count, {
    Namespace: 4,
    ConfigMap: 1,
    ClusterRole: 69,
    Role: 7,
    ClusterRoleBinding: 50,
    RoleBinding: 7,
    PriorityLevelConfiguration: 8,
    FlowSchema: 11,
    PriorityClass: 2,
    APIService: 21,
    ServiceCIDR: 1,
    IPAddress: 1,
    Endpoints: 1,
    EndpointSlice: 1,
    Service: 1,
  });
  const find = (kind: string, name: string) =>
    objects.find(({ object }) => object.kind === kind && object.metadata.name === name)?.object;
  t.same(find('ClusterRoleBinding', 'cluster-admin'), {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: {
      name: 'cluster-admin',
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
      annotations: { [autoupdate]: 'true' },
    },
    subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:masters' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  });
  t.match(find('APIService', 'v1.'), { spec: { groupPriorityMinimum: 18000, version: 'v1', versionPriority: 1 } });
  t.match(find('APIService', 'v2.autoscaling'), { spec: { group: 'autoscaling', versionPriority: 30 } });
  t.same(find('ClusterRole', 'view')?.['rules'], null);
  for (const { object, reconcile } of objects)
    t.equal(
      await reconcile(object, structuredClone(object)),
      undefined,
      `${object.kind} ${object.metadata.name} stays`,
    );
});

t.test("the bootstrap objects of Karmada's profile", async t => {
  const server = { url: 'https://karmada:5443', authority: 'CA' };
  const [namespaces, objects] = bootstrapObjects({ now, karmada: { namespace: 'karmada-system', server } });
  t.ok(namespaces?.some(({ object }) => object.metadata.name === 'karmada-system'));
  const find = (kind: string, name: string) =>
    objects?.find(({ object }) => object.kind === kind && object.metadata.name === name)?.object;
  t.match(find('ClusterRole', 'cluster-proxy-admin'), {
    rules: [{ verbs: ['*'], apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'] }],
  });
  t.match(find('ClusterRoleBinding', 'cluster-proxy-admin'), { subjects: [{ kind: 'User', name: 'system:admin' }] });
  t.match(find('ClusterRole', 'karmada-edit')?.metadata.labels, {
    'rbac.authorization.k8s.io/aggregate-to-edit': 'true',
  });
  t.same(find('ConfigMap', 'cluster-info')?.['data'], {
    kubeconfig: `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0E=
    server: https://karmada:5443
  name: ""
contexts: null
current-context: ""
kind: Config
preferences: {}
users: null
`,
  });
});

t.test('the authentication data for extension servers is merged from several servers', async t => {
  const [one, two, old] = await Promise.all([
    createAuthority('one', { now }),
    createAuthority('two', { now }),
    createAuthority('old', { now: new Date('2010-01-01'), days: 10 }),
  ]);
  const trust = (clientAuthority: string, ...allowedNames: string[]) =>
    trustConfigMap({ clientAuthority, frontProxyAuthority: one.certificate, allowedNames }, now);
  const first = trust(old.certificate + one.certificate, 'a').object;
  t.equal(
    await trust(one.certificate, 'a').reconcile(trust(one.certificate, 'a').object, trust(one.certificate, 'a').object),
    undefined,
  );
  const second = trust(two.certificate, 'b', 'a');
  const merged = second.reconcile(first, second.object);
  t.same(((await changed(merged)) as KubeObject)['data'], {
    'client-ca-file': one.certificate + two.certificate,
    'requestheader-client-ca-file': one.certificate,
    'requestheader-allowed-names': '["a","b"]',
    'requestheader-username-headers': '["X-Remote-User"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  });
});
