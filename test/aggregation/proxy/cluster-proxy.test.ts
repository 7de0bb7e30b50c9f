import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';
import t from 'tap';
import { remote } from '../../../aggregation/remote/client.js';
import type { TestServer } from '../../apiserver/running.js';
import { issueClient } from '../../../authn/pki/authority.js';
import type { WatchEvent } from '../../../client/interface.js';
import { resources } from '../../../api/karmada/well-known.js';
import { httpClient } from '../../apiserver/http-client.js';
import { until } from '../../authn/serve.js';
import { clientBelow, core, grant, object, rbac, startFleet } from '../fleet.js';

const run = promisify(execFile);

const proxyPath = (name: string): string => `/apis/cluster.karmada.io/v1alpha1/clusters/${name}/proxy`;

const { control, members } = await startFleet(t, 1);
const [member] = members as [TestServer];
/** A client of the member through the proxy of the control plane, as its administrator. */
const client = clientBelow(t, control, proxyPath('member1'));

const key = { namespace: 'default', name: 'a' };

t.test('objects of the member are created, read, changed and deleted', async t => {
  const configMaps = core('configmaps');
  const made = object('v1', 'ConfigMap', 'a', { metadata: { namespace: 'default' }, data: { x: '1' } });
  await client.create(configMaps, made);
  t.same((await member.client.get(configMaps, key))['data'], { x: '1' });
  await client.patch(configMaps, key, { type: 'merge', patch: { data: { y: '2' } } });
  t.same((await client.get(configMaps, key))['data'], { x: '1', y: '2' });
  t.match((await client.list(configMaps, { namespace: 'default' })).items, [{ metadata: { name: 'a' } }]);
  await client.delete(configMaps, key);
  await t.rejects(client.get(configMaps, key), { code: 404, message: 'configmaps "a" not found' });
});

t.test('a watch delivers changes in the member at once', async t => {
  const stop = new AbortController();
  const events: WatchEvent[] = [];
  const { metadata } = await client.list(core('configmaps'), { namespace: 'default' });
  const query = { namespace: 'default', resourceVersion: metadata.resourceVersion ?? '' };
  const watching = (async () => {
    for await (const event of client.watch(core('configmaps'), query, stop.signal)) events.push(event);
  })();
  await member.client.create(
    core('configmaps'),
    object('v1', 'ConfigMap', 'seen', { metadata: { namespace: 'default' } }),
  );
  await until(() => events.length === 1);
  await member.client.delete(core('configmaps'), { namespace: 'default', name: 'seen' });
  await until(() => events.length === 2);
  stop.abort();
  await watching;
  t.match(events, [
    { type: 'ADDED', object: { metadata: { name: 'seen' } } },
    { type: 'DELETED', object: { metadata: { name: 'seen' } } },
  ]);
});

const failure = (code: number, message: string, more: object = {}) => ({ kind: 'Status', code, message, ...more });

t.test('clusters that the proxy cannot connect to', async t => {
  const ask = httpClient(t, control);
  const spec = { syncMode: 'Push', insecureSkipTLSVerification: true };
  const namespace = 'karmada-cluster';
  const impersonatorSecretRef = { namespace, name: 'member1-impersonator' };
  const apiEndpoint = 'https://127.0.0.1:1';
  await control.client.create(core('secrets'), object('v1', 'Secret', 'empty', { metadata: { namespace } }));
  const cases = [
    { name: 'no-endpoint', more: {}, want: failure(500, 'API endpoint of cluster no-endpoint should not be empty') },
    {
      name: 'no-account',
      more: { apiEndpoint },
      want: failure(500, 'the impersonatorSecretRef of cluster no-account is nil'),
    },
    {
      name: 'no-secret',
      more: { apiEndpoint, impersonatorSecretRef: { namespace, name: 'missing' } },
      want: failure(404, 'secrets "missing" not found', { reason: 'NotFound' }),
    },
    {
      name: 'no-authority',
      more: { apiEndpoint, impersonatorSecretRef, secretRef: { namespace, name: 'gone' } },
      want: failure(404, 'secrets "gone" not found'),
    },
    {
      name: 'no-token',
      more: { apiEndpoint, impersonatorSecretRef: { namespace, name: 'empty' } },
      want: failure(
        500,
        'failed to get impresonateToken for cluster no-token: the impresonate token of cluster no-token is empty',
      ),
    },
    {
      name: 'closed-port',
      more: { apiEndpoint, impersonatorSecretRef },
      want: failure(500, 'dial tcp 127.0.0.1:1: connect: connection refused'),
    },
    {
      name: 'other-authority',
      more: { apiEndpoint: member.url, impersonatorSecretRef, insecureSkipTLSVerification: false },
      want: failure(500, 'tls: failed to verify certificate: x509: certificate signed by unknown authority'),
    },
  ];
  for (const { name, more, want } of cases) {
    const cluster = object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec: { ...spec, ...more } });
    await control.client.create(resources.clusters, cluster);
    const { status, json } = await ask(`GET ${proxyPath(name)}/api`);
    t.equal(status, want.code, name);
    t.match(json, want, name);
  }
  const unknown = await ask(`GET ${proxyPath('nowhere')}/api`);
  t.match(unknown.json, failure(404, 'clusters.cluster.karmada.io "nowhere" not found', { reason: 'NotFound' }));
});

t.test('the root path of the proxy', async t => {
  const ask = httpClient(t, control);
  const bare = await ask(`GET ${proxyPath('member1')}?x=1`);
  t.equal(bare.status, 301);
  t.equal(bare.headers.location, `${proxyPath('member1')}/?x=1`);
  t.match((await ask(`GET ${proxyPath('member1')}/`)).json, { paths: Array });
  const dry = await ask(`POST ${proxyPath('member1')}/api/v1/namespaces/default/configmaps?dryRun=All`, { body: {} });
  t.match(dry.json, failure(400, 'dryRun is not supported'));
});

t.test('the control plane authorizes the use of the proxy, the member authorizes the request', async t => {
  const { authority } = control.pki;
  const jane = await issueClient(authority, { name: 'jane', groups: ['dev'] });
  const endpoint = { ca: authority.certificate, clientCertificate: jane.certificate, clientKey: jane.key };
  const through = remote({ ...endpoint, server: control.url + proxyPath('member1') }, { userAgent: 'test/1.0' });
  t.teardown(() => through.close());
  const list = (): Promise<unknown> => through.list(core('configmaps'), { namespace: 'default' });
  await t.rejects(list(), {
    code: 403,
    message:
      'clusters.cluster.karmada.io "member1" is forbidden: User "jane" cannot get resource "clusters/proxy" in API group "cluster.karmada.io" at the cluster scope',
  });
  const group = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'dev' };
  const proxies = [
    { apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'], verbs: ['get'], resourceNames: ['member1'] },
  ];
  await control.client.create(
    rbac('clusterroles'),
    object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'proxies', { rules: proxies }),
  );
  await grant(control.client, 'proxies', group, 'proxies');
  const reason = (): Promise<string> =>
    list().then(
      () => '',
      (error: Error) => error.message,
    );
  await until(async () => !(await reason()).startsWith('clusters.'));
  t.equal(
    await reason(),
    'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default"',
  );
  await member.client.create(
    rbac('clusterroles'),
    object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'devs', {
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
    }),
  );
  await grant(member.client, 'devs', group, 'devs');
  await until(() =>
    list().then(
      () => true,
      () => false,
    ),
  );
  const write = through.create(
    core('configmaps'),
    object('v1', 'ConfigMap', 'x', { metadata: { namespace: 'default' } }),
  );
  await t.rejects(
    write,
    { code: 403, message: /cannot create resource "clusters\/proxy"/ },
    'the verb follows from the method',
  );
});

t.test('a new token is used at once', async t => {
  const ask = httpClient(t, control);
  const key = { namespace: 'karmada-cluster', name: 'member1-impersonator' };
  const { data } = (await control.client.get(core('secrets'), key)) as { data?: object };
  const set = (token: string): Promise<unknown> =>
    control.client.patch(core('secrets'), key, { type: 'merge', patch: { data: { token } } });
  await set(Buffer.from('bad').toString('base64'));
  t.equal((await ask(`GET ${proxyPath('member1')}/api`)).status, 401);
  await set((data as { token: string }).token);
  t.equal((await ask(`GET ${proxyPath('member1')}/api`)).status, 200);
});

t.test('kubectl works with the proxy as its server', { skip: !fs.existsSync('/usr/bin/kubectl') }, async t => {
  const kubectl = async (...args: string[]): Promise<string> => {
    const server = control.url + proxyPath('member1');
    const { stdout } = await run('kubectl', ['--kubeconfig', control.kubeconfig, '--server', server, ...args], {
      env: { ...process.env, HOME: control.directory },
    });
    return stdout;
  };
  t.match(await kubectl('create', 'configmap', 'by-kubectl', '--from-literal=a=1'), 'configmap/by-kubectl created');
  t.match(await kubectl('get', 'configmap', 'by-kubectl'), /by-kubectl +1 /);
  t.match(await kubectl('label', 'configmap', 'by-kubectl', 'x=y'), 'labeled');
  t.equal(await kubectl('get', 'configmap', 'by-kubectl', '-o', 'jsonpath={.metadata.labels.x}'), 'y');
  t.match(await kubectl('delete', 'configmap', 'by-kubectl'), 'deleted');
  t.match(await kubectl('api-resources'), /deployments +deploy +apps\/v1/);
});
