import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { maintainRequiredObjects } from '../../../authn/bootstrap/ensure.js';
import { serve, until } from '../serve.js';

const rbac = (resource: string) => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });
const clusterRoles = rbac('clusterroles');
const bindings = rbac('clusterrolebindings');
const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };

const service = { cidr: '10.96.0.0/12', address: '10.96.0.1', port: 6443, endpoints: ['192.0.2.2'] };

t.test('the bootstrap objects are created once', async t => {
  const { client, pki, authn, bootstrap } = await serve(t);
  const options = {
    service,
    trust: {
      clientAuthority: pki.authority.certificate,
      frontProxyAuthority: pki.frontProxyAuthority.certificate,
      allowedNames: ['front-proxy-client'],
    },
    karmada: { namespace: 'karmada-system', server: { url: 'https://x:1', authority: pki.authority.certificate } },
  };
  await bootstrap(options);
  const count = async (resource: typeof clusterRoles): Promise<number> => (await client.list(resource)).items.length;
  t.equal(await count(clusterRoles), 69 + 7);
  t.equal(await count(bindings), 50 + 5);
  t.equal(await count(rbac('roles')), 7 + 1);
  t.equal(await count(apiServices), 21 + 6);
  const local = await client.get(apiServices, { name: 'v1.apps' });
  t.match(local['status'], { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] });
  const trust = await client.get(
    { group: '', version: 'v1', resource: 'configmaps' },
    { namespace: 'kube-system', name: 'extension-apiserver-authentication' },
  );
  t.match(trust['data'], { 'requestheader-username-headers': '["X-Remote-User"]' });

  const tracking = async () =>
    client.get(
      { group: '', version: 'v1', resource: 'configmaps' },
      { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' },
    );
  const { data } = await tracking();
  t.match(data, { since: /^\d{4}-\d\d-\d\d$/ });

  const before = (await client.list(clusterRoles)).metadata.resourceVersion;
  await bootstrap({ ...options, now: new Date(Date.now() + 86400_000) });
  t.same((await tracking())['data'], data, 'the date does not change');
  t.equal((await client.list(clusterRoles)).metadata.resourceVersion, before, 'the second start writes nothing');

  const jane = { name: 'jane', groups: ['system:authenticated'] };
  const path = { type: 'path', verb: 'get', path: '/version' } as const;
  await until(async () => (await authn.authorize(jane, path)).allowed);
  t.pass('and the policy follows');
});

t.test('missing rules and subjects are restored, added ones stay', async t => {
  const { client, bootstrap } = await serve(t);
  await bootstrap();
  const edit = async (
    name: string,
    change: (role: KubeObject) => KubeObject,
    resource = clusterRoles,
  ): Promise<void> => {
    await client.update(resource, change(structuredClone(await client.get(resource, { name }))));
  };
  const own = { verbs: ['get'], apiGroups: ['x'], resources: ['y'] };
  await edit('system:basic-user', role => ({ ...role, rules: [own] }));
  await edit('system:discovery', role => ({
    ...role,
    rules: [],
    metadata: { ...role.metadata, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
  }));
  await edit('cluster-admin', binding => ({ ...binding, subjects: [] }), bindings);
  await client.delete(clusterRoles, { name: 'view' });
  await bootstrap();
  const rules = async (name: string) => (await client.get(clusterRoles, { name }))['rules'] as unknown[];
  t.same((await rules('system:basic-user'))[0], own);
  t.equal((await rules('system:basic-user')).length, 1 + 3, 'as single rules');
  t.equal(await rules('system:discovery'), null, 'protected; an empty list is stored as none');
  t.match((await client.get(bindings, { name: 'cluster-admin' }))['subjects'], [{ name: 'system:masters' }]);
  t.ok(await client.get(clusterRoles, { name: 'view' }));
});

t.test('the start of the tracking of legacy tokens is recorded', async t => {
  const { client, bootstrap } = await serve(t);
  const now = new Date('2026-02-03T23:00:00Z');
  await bootstrap({ now });
  const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
  const key = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' };
  const first = await client.get(configMaps, key);
  t.strictSame(first['data'], { since: '2026-02-03' });
  for (const since of ['2026-02-30', '03.02.2026', undefined]) {
    await client.update(configMaps, {
      ...(await client.get(configMaps, key)),
      data: { other: 'x', ...(since !== undefined && { since }) },
    });
    await bootstrap({ now });
    t.strictSame((await client.get(configMaps, key))['data'], { other: 'x', since: '2026-02-03' }, since ?? 'none');
  }
});

t.test('two servers can create the bootstrap objects concurrently', async t => {
  const { bootstrap, client } = await serve(t);
  await Promise.all([bootstrap({ service }), bootstrap({ service })]);
  t.equal((await client.list(clusterRoles)).items.length, 69);
});

t.test('deleted bootstrap objects are created again', async t => {
  const { bootstrap, client } = await serve(t);
  const options = { now: new Date(), service };
  await bootstrap(options);
  const services = { group: '', version: 'v1', resource: 'services' };
  const ranges = { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs' };
  const kubernetes = { namespace: 'default', name: 'kubernetes' };
  await client.delete(services, kubernetes);
  await client.delete(ranges, { name: 'kubernetes' });
  const errors: unknown[] = [];
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  let looks = 0;
  const wanted = async () => (looks++ === 0 ? Promise.reject(new Error('no store')) : Promise.resolve(options));
  maintainRequiredObjects(client, wanted, { every: 10, signal: stop.signal, onError: error => errors.push(error) });
  const found = async (resource: typeof services, key: { name: string; namespace?: string }) =>
    client.get(resource, key).catch(() => undefined);
  await until(async () => (await found(services, kubernetes)) !== undefined);
  t.match(await found(ranges, { name: 'kubernetes' }), { status: { conditions: [{ type: 'Ready', status: 'True' }] } });
  t.match(errors, [{ message: 'no store' }], 'a failed check is repeated');
  const [{ revision: before }, seen] = [{ revision: (await client.list(services)).metadata.resourceVersion }, looks];
  await until(() => looks > seen + 2);
  t.equal(
    (await client.list(services)).metadata.resourceVersion,
    before,
    'and nothing is written while all objects exist',
  );
  stop.abort();
});
