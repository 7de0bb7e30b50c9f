/** What the control plane answers to those who want a tunnel, and what becomes of a tunnel that is replaced or cannot reach its member. */
import https from 'node:https';
import { PassThrough } from 'node:stream';
import t, { type Test } from 'tap';
import type { Endpoint } from '../../../aggregation/interface.js';
import { createMembers } from '../../../aggregation/members/members.js';
import type { ObserveClient } from '../../../aggregation/remote/client-series.js';
import { remote } from '../../../aggregation/remote/client.js';
import { openTunnel } from '../../../aggregation/reverse-tunnel/open-tunnel.js';
import { ReverseTunnels } from '../../../aggregation/reverse-tunnel/reverse-tunnels.js';
import { serveTunnelEnd } from '../../../aggregation/reverse-tunnel/tunnel-end.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { aggregation } from '../../../cli/parts/aggregation.js';
import { resources } from '../../../api/karmada/well-known.js';
import { freePorts } from '../../../tools/etcd.js';
import { clientBelow, controlPlane, core, grant, joinPulled, memberServer, object, rbac } from '../fleet.js';
import { until } from '../../storage/until.js';
import { admitAgent, endpointOf, tunnelAgent, tunnelIsOpen } from './fixture.js';

const tunnelOf = (cluster: string): string => `/apis/cluster.karmada.io/v1alpha1/clusters/${cluster}/tunnel`;
const proxyOf = (cluster: string): string => `/apis/cluster.karmada.io/v1alpha1/clusters/${cluster}/proxy`;
const upgrade = { connection: 'Upgrade', upgrade: 'flagship-tunnel/1' };
const member = { 'flagship-member-server': 'https://10.0.0.1:6443' };

interface Answered {
  readonly status: number | undefined;
  readonly message: unknown;
}

/** Returns a signal that aborts at the end of a test. */
function endOf(t: Test): AbortSignal {
  const end = new AbortController();
  t.teardown(() => end.abort());
  return end.signal;
}

/** Sends a request as an agent, and returns the status and message of the answer. */
function ask(
  { server, ca, clientCertificate: cert, clientKey: key }: Endpoint,
  path: string,
  { method = 'POST', headers = {} }: { readonly method?: string; readonly headers?: Record<string, string> },
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
    const request = https.request(server + path, { method, headers, ...tls });
    request.on('error', reject).on('upgrade', response => {
      response.socket.destroy();
      resolve({ status: response.statusCode, message: undefined });
    });
    request.on('response', response => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => {
        const { message } = JSON.parse(text) as { message?: unknown };
        resolve({ status: response.statusCode, message });
      });
    });
    request.end();
  });
}

t.test('only the agent of a cluster in pull mode gets its tunnel', async t => {
  const [server, control] = await Promise.all([memberServer(t), controlPlane(t)]);
  await joinPulled(control, 'm', server);
  const agent = await admitAgent(control, 'm');
  const refused = async (path: string, headers: Record<string, string>, method = 'POST'): Promise<Answered> =>
    ask(agent, path, { headers, method });
  t.match(await refused(tunnelOf('other'), { ...upgrade, ...member }), {
    status: 403,
    message: /User "system:karmada:agent:m" cannot create resource "clusters\/tunnel"/,
  });
  t.match(await refused(tunnelOf('m'), { ...upgrade, ...member }, 'GET'), { status: 403 });
  t.match(await refused(tunnelOf('m'), member), {
    status: 400,
    message: /an upgrade to flagship-tunnel\/1 is required/,
  });
  t.match(await refused(tunnelOf('m'), { ...member, connection: 'Upgrade', upgrade: 'websocket' }), { status: 400 });
  for (const wrong of ['', 'http://10.0.0.1', 'nowhere', 'https://a@b', 'https://a?b', `https://${'a'.repeat(600)}`])
    t.match(await refused(tunnelOf('m'), { ...upgrade, 'flagship-member-server': wrong }), {
      status: 400,
      message: /must be the https URL/,
    });
  t.match(await refused(`${tunnelOf('m')}/more`, { ...upgrade, ...member }), { status: 404 });
  t.match(await refused(tunnelOf('m'), { ...upgrade, ...member }), { status: 101 });

  const { pki, url } = control;
  const { certificate: clientCertificate, key: clientKey } = pki.admin;
  const admin = { server: url, ca: pki.authority.certificate, clientCertificate, clientKey };
  t.match(await ask(admin, tunnelOf('m'), { method: 'PUT', headers: { ...upgrade, ...member } }), { status: 405 });
  t.match(await ask(admin, tunnelOf('m'), { method: 'GET', headers: { ...upgrade, ...member } }), {
    status: 400,
    message: /an upgrade to flagship-tunnel-connection\/1 is required/,
  });
  const connection = { connection: 'Upgrade', upgrade: 'flagship-tunnel-connection/1' };
  t.match(await ask(admin, tunnelOf('n'), { method: 'GET', headers: connection }), {
    status: 410,
    message: 'the reverse tunnel of cluster n is not open',
  });
  const mayRead = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
  const reader = object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'reader', { rules: mayRead });
  await control.client.create(rbac('clusterroles'), reader);
  await grant(
    control.client,
    'reader',
    { kind: 'Group', name: 'system:karmada:agents', apiGroup: rbac('').group },
    'reader',
  );
  t.match(await ask(agent, tunnelOf('m'), { method: 'GET', headers: connection }), {
    status: 403,
    message:
      /clusters.cluster.karmada.io "m" is forbidden: its reverse tunnel is for the processes of the control plane/,
  });
  const below = tunnelOf('other').replace('/clusters/', '/watch/clusters/');
  t.match(
    await ask(agent, below, { headers: { ...upgrade, ...member } }),
    { status: 404 },
    'to watch is not to create',
  );
  t.match(await ask(admin, tunnelOf('absent'), { headers: { ...upgrade, ...member } }), { status: 404 });
  const pushed = { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name: 'pushed' } };
  await control.client.create(resources.clusters, { ...pushed, spec: { syncMode: 'Push', apiEndpoint: url } });
  t.match(await ask(admin, tunnelOf('pushed'), { headers: { ...upgrade, ...member } }), {
    status: 400,
    message: /cluster pushed is not in pull mode/,
  });
  const opening = { control: agent, cluster: 'other', server: server.url, userAgent: 'test', signal: endOf(t) };
  await t.rejects(openTunnel(opening), { message: /the control plane opens no tunnel: .*forbidden/ });
  const [port] = await freePorts(1);
  const nowhere = { ...agent, server: `https://127.0.0.1:${port}` };
  await t.rejects(openTunnel({ ...opening, control: nowhere }), { code: 'ECONNREFUSED' });
});

t.test('a newer tunnel replaces the former, and the routes to the cluster stay', async t => {
  const [server, control] = await Promise.all([memberServer(t), controlPlane(t)]);
  await joinPulled(control, 'm', server);
  const agent = await admitAgent(control, 'm');
  const opening = { control: agent, cluster: 'm', server: server.url, userAgent: 'test', signal: endOf(t) };
  const address = { host: '127.0.0.1', port: Number(new URL(server.url).port) };
  const first = serveTunnelEnd({ socket: await openTunnel(opening), member: address, signal: endOf(t) });
  await tunnelIsOpen(control, 'm');
  const client = clientBelow(t, control, proxyOf('m'));
  t.ok((await client.list(core('namespaces'))).items.length > 0);
  const second = serveTunnelEnd({ socket: await openTunnel(opening), member: address, signal: endOf(t) });
  t.equal(await first, 'the control plane has closed it');
  t.ok((await client.list(core('namespaces'))).items.length > 0, 'through the newer one');
  void second;
});

t.test('an agent that cannot reach its member says so', async t => {
  const [server, control] = await Promise.all([memberServer(t), controlPlane(t)]);
  await joinPulled(control, 'm', server);
  const [port] = await freePorts(1);
  await tunnelAgent(t, control, 'm', { member: { server: `https://127.0.0.1:${port}` } });
  await t.rejects(clientBelow(t, control, proxyOf('m')).list(core('pods')), {
    code: 500,
    message: /the agent cannot connect to the API server of the member: .*ECONNREFUSED/,
  });
});

t.test('a cluster counts as reached by its tunnel for some time after that has ended', async t => {
  const tunnels = new ReverseTunnels({ graceMs: 200 });
  t.teardown(() => tunnels.close());
  const [server, control] = await Promise.all([
    memberServer(t),
    controlPlane(t, { parts: [aggregation({ tunnels })] }),
  ]);
  await joinPulled(control, 'm', server);
  const { stop } = await tunnelAgent(t, control, 'm', { member: endpointOf(server) });
  const cluster = (await control.client.get(resources.clusters, { name: 'm' })) as Cluster;
  const route = tunnels.routeOf(cluster);
  t.equal(route?.server, server.url);
  t.equal(tunnels.routeOf({ ...cluster, metadata: { name: 'm', uid: 'another' } }), undefined);
  t.equal(tunnels.routeOf({ ...cluster, spec: { ...cluster.spec, syncMode: 'Push' } }), undefined);
  const hosts: string[] = [];
  const observe: ObserveClient = host => {
    hosts.push(host);
    return () => () => undefined;
  };
  const members = createMembers(control.client, 'test', { tunnels });
  t.teardown(() => members.close());
  const { endpoint } = await members.connect(cluster);
  const observed = remote(endpoint, { userAgent: 'test', observe });
  t.teardown(() => observed.close());
  t.strictSame(hosts, ['tunnel:m'], 'metrics have the name of the cluster, and not the host that its agent names');
  await stop();
  await until('the route is dropped', () => tunnels.routeOf(cluster) === undefined);
  await t.rejects(async () => void (await route?.open()), { message: /the reverse tunnel of cluster m is not open/ });
  await t.rejects(clientBelow(t, control, proxyOf('m')).list(core('pods')), {
    message: 'API endpoint of cluster m should not be empty',
  });
});

t.test('a tunnel that is not used yet ends with its Cluster, or with the control plane', async t => {
  const tunnels = new ReverseTunnels();
  t.teardown(() => tunnels.close());
  const add = async (name: string): Promise<string> => {
    const cluster = { metadata: { name, uid: name }, spec: { syncMode: 'Pull' } } as Cluster;
    return (await tunnels.add({ cluster, server: 'https://a', socket: new PassThrough() })).message;
  };
  const [removed, other] = [add('removed'), add('other')];
  tunnels.forget('removed');
  t.equal(await removed, 'the Cluster was removed');
  tunnels.close();
  t.equal(await other, 'the control plane stops');
});

t.test('after the end no tunnel is taken', async t => {
  const tunnels = new ReverseTunnels();
  tunnels.close();
  const socket = new PassThrough();
  const cluster = { metadata: { name: 'm' }, spec: { syncMode: 'Pull' } } as Cluster;
  await tunnels.add({ cluster, server: 'https://a', socket });
  t.ok(socket.destroyed);
  t.strictSame(tunnels.counts(), []);
});
