/** A process with a tunnel that another one cannot use: it is silent, has ended without a trace, or is not reached. */
import t, { type Test } from 'tap';
import { connect } from '../../../aggregation/remote/connection.js';
import type { PeerTimes } from '../../../aggregation/reverse-tunnel/peer-connections.js';
import { ReverseTunnels } from '../../../aggregation/reverse-tunnel/reverse-tunnels.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { configMaps } from '../../../api/kubernetes/resources.js';
import { aggregation } from '../../../cli/parts/aggregation.js';
import { freePorts } from '../../../tools/etcd.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { backend, type Backend } from '../backend.js';
import { controlPlane, join } from '../fleet.js';
import { entryKey, holderOf, opens, Relay, startProcess, tunnelAgent } from './fixture.js';

const graceMs = 100;
const times: PeerTimes = { connectMs: 200, silenceMs: 50, pongMs: 200 };
const addressed = (cluster: Cluster): Cluster => ({
  ...cluster,
  spec: { ...cluster.spec, apiEndpoint: 'https://127.0.0.1:1' },
});

interface Processes {
  readonly control: TestServer;
  readonly member: Backend;
  readonly cluster: Cluster;
  /** The way from the second process to the first one. */
  readonly relay: Relay;
  readonly second: ReverseTunnels;
}

/** Starts a process that has the tunnel of a cluster, and a second one that knows the way to it. */
async function startProcesses(t: Test): Promise<Processes> {
  const first = new ReverseTunnels();
  const second = new ReverseTunnels({ graceMs });
  const [member, control] = await Promise.all([
    backend(t),
    controlPlane(t, { parts: [aggregation({ tunnels: first })] }),
  ]);
  await join(control, 'm', { authority: member.authority, token: 'x' });
  await tunnelAgent(t, control, 'm', { member: { server: member.url } });
  const relay = await Relay.start(t, Number(new URL(control.url).port));
  startProcess(t, control, { tunnels: first, url: `https://127.0.0.1:${relay.port}` });
  startProcess(t, control, { tunnels: second, url: undefined, times });
  const cluster = (await control.client.get(resources.clusters, { name: 'm' })) as Cluster;
  await until('the way is known', () => second.routeOf(cluster) !== undefined);
  return { control, member, cluster, relay, second };
}

t.test('connections through a process that goes silent end, and others fail at once', async t => {
  const { member, cluster, relay, second } = await startProcesses(t);
  member.onRequest = (_request, response) => void response.writeHead(200).write('x');
  const route = second.routeOf(cluster);
  const endpoint = { server: member.url, ca: member.authority, ...(route && { openSocket: route.open }) };
  const client = connect(endpoint, { userAgent: 'test', onlyHttp1: true });
  t.teardown(() => client.close());
  const { body } = await client.stream({ method: 'GET', path: '/watch' });
  const chunks = body[Symbol.asyncIterator]();
  await chunks.next();
  const asked = relay.accepted;
  await until('the process is asked for a sign of life', () => relay.accepted > asked);
  const next = chunks.next();
  const isOpen = Promise.race([next, until('it was asked again', () => relay.accepted > asked + 1, 300)]);
  await t.rejects(
    isOpen,
    { message: /in vain/ },
    'one connection is enough for all signs of life, and the watch stays',
  );

  relay.mute();
  await t.rejects(next, { message: /does not answer any more/ }, 'the watch ends');
  const message = `the reverse tunnel of cluster m cannot be used through the process at https://127.0.0.1:${relay.port}: it does not answer`;
  await t.rejects(Promise.resolve(route?.open()), { message });
  const before = relay.accepted;
  for (let i = 0; i < 10; i++) await t.rejects(Promise.resolve(route?.openForUsers()), { message });
  t.equal(relay.accepted, before, 'the process is not tried again');
  relay.unmute();
  await until('it is tried again later', () => opens(route));
  t.ok(await opens(route));
});

t.test('the entry of a process that has ended without a trace is removed, by one of those that notice', async t => {
  const [control, [port]] = await Promise.all([controlPlane(t), freePorts(1)]);
  await join(control, 'm', { token: 'x' });
  const cluster = (await control.client.get(resources.clusters, { name: 'm' })) as Cluster;
  const holder = `https://127.0.0.1:${port}`;
  const { uid = '' } = cluster.metadata;
  await control.client.create(configMaps, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { ...entryKey, labels: { 'cluster.flagship.io/reverse-tunnel': 'true' } },
    data: { cluster: 'm', uid, server: 'https://member', holder, process: 'killed' },
  });
  const all = Array.from({ length: 3 }, () => new ReverseTunnels({ graceMs }));
  for (const tunnels of all) startProcess(t, control, { tunnels, url: undefined });
  await until('all know it', () => all.every(tunnels => tunnels.routeOf(cluster)));
  const routes = all.map(tunnels => tunnels.routeOf(cluster));
  await t.rejects(Promise.resolve(routes[0]?.open()), {
    message: `the reverse tunnel of cluster m cannot be used through the process at ${holder}: connect ECONNREFUSED 127.0.0.1:${port}`,
  });
  t.equal(await holderOf(control), holder, 'it may come back');
  await until('the entry is removed', async () => {
    await Promise.all(routes.map(opens));
    return (await holderOf(control)) === undefined;
  });
  await until('the address is used', () => all.every(tunnels => tunnels.routeOf(addressed(cluster)) === undefined));
  for (const route of routes)
    await t.rejects(Promise.resolve(route?.open()), { message: 'the reverse tunnel of cluster m is not open' });
});

t.test('a process that is alive writes its entry again, which stays then', async t => {
  const { control, cluster, relay, second } = await startProcesses(t);
  const uidOf = async (): Promise<string | undefined> =>
    (await control.client.get(configMaps, entryKey).catch(() => undefined))?.metadata.uid;
  const uid = await uidOf();
  relay.close();
  const isWrittenAgain = async (): Promise<boolean> => {
    await opens(second.routeOf(cluster));
    return ![uid, undefined].includes(await uidOf());
  };
  await until('it is written again', isWrittenAgain);
  const again = await uidOf();
  await until('the way is known again', () => second.routeOf(cluster) !== undefined);
  await until('the process is given up again', async () => {
    await opens(second.routeOf(cluster));
    return second.routeOf(addressed(cluster)) === undefined;
  });
  for (let i = 0; i < 20; i++) {
    await opens(second.routeOf(cluster));
    t.equal(await uidOf(), again);
  }
  relay.open();
  await until('it is reached again', () => opens(second.routeOf(cluster)));
});
