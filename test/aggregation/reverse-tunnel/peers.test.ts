/** A process that has the tunnel of a cluster, and another one that reaches the member through it. Both are in this process, with one store. */
import type { Duplex } from 'node:stream';
import t from 'tap';
import { ReverseTunnels } from '../../../aggregation/reverse-tunnel/reverse-tunnels.js';
import { PeerUnavailable } from '../../../aggregation/reverse-tunnel/peer-availability.js';
import { Tunneled } from '../../../aggregation/reverse-tunnel/tunneled.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { configMaps } from '../../../api/kubernetes/resources.js';
import { tooManyRequests } from '../../../apimachinery/errors/status.js';
import { aggregation } from '../../../cli/parts/aggregation.js';
import { find } from '../../../client/find.js';
import { until } from '../../storage/until.js';
import { controlPlane, joinPulled, memberServer } from '../fleet.js';
import { endpointOf, entryKey, holderOf, opens, startProcess, tunnelAgent } from './fixture.js';

const nowhere = 'https://127.0.0.1:1';

t.test('the tunnel of one process is used by another, until it ends or another one replaces it', async t => {
  const first = new ReverseTunnels();
  const second = new ReverseTunnels({ graceMs: 1 });
  const [member, control] = await Promise.all([
    memberServer(t),
    controlPlane(t, { parts: [aggregation({ tunnels: first })] }),
  ]);
  await joinPulled(control, 'm', member);
  const { relay } = await tunnelAgent(t, control, 'm', { member: endpointOf(member) });
  const cluster = (await control.client.get(resources.clusters, { name: 'm' })) as Cluster;
  startProcess(t, control, { tunnels: first, url: control.url });
  startProcess(t, control, { tunnels: second, url: undefined });
  await until('the way is known', () => second.routeOf(cluster) !== undefined);
  const route = second.routeOf(cluster);
  t.equal(route?.server, member.url);
  t.ok(await opens(route));
  const ofUser = await route?.openForUsers();
  t.ok(ofUser);
  t.equal(first.counts()[0]?.streams, 1);
  ofUser?.destroy();
  await until('the connection has ended in the other process', () => first.counts()[0]?.streams === 0);
  t.same(second.counts(), [], 'the metrics of a tunnel are those of its process');

  relay.close();
  await until('the entry is deleted', async () => (await holderOf(control)) === undefined);
  await until('the cluster does not count as reached any more', () => second.routeOf(cluster) === undefined);
  await t.rejects(Promise.resolve(route?.open()), { message: 'the reverse tunnel of cluster m is not open' });
  relay.open();
  await until('the next tunnel is used', () => opens(second.routeOf(cluster)));

  const entry = await control.client.get(configMaps, entryKey);
  const data = { ...(entry['data'] as object), holder: nowhere, process: 'another' };
  const tunnel = first.ownTunnel('m')?.tunnel;
  await control.client.update(configMaps, { ...entry, data });
  await until('the tunnel has ended', () => first.ownTunnel('m')?.tunnel !== tunnel);
  await until('a newer one is written down', async () => (await holderOf(control)) === control.url);
  await until('it is used', () => opens(second.routeOf(cluster)));

  await control.client.delete(configMaps, entryKey);
  await until('an entry that was deleted is written again', async () => (await holderOf(control)) === control.url);
  await control.client.delete(resources.clusters, { name: 'm' });
  await until('it ends with the Cluster', async () => (await holderOf(control)) === undefined);
});

t.test(
  'an entry of an earlier process at the same address is deleted, and one that is malformed is not used',
  async t => {
    const control = await controlPlane(t);
    const metadata = { ...entryKey, labels: { 'cluster.flagship.io/reverse-tunnel': 'true' } };
    const write = (name: string, holder: string) =>
      control.client.create(configMaps, {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, name: `reverse-tunnel-${name}` } },
        data: { cluster: name, server: 'https://member', holder },
      });
    await write('wrong', 'no URL');
    await write('m', control.url);
    const tunnels = new ReverseTunnels();
    startProcess(t, control, { tunnels, url: control.url });
    await until('it is deleted', async () => (await holderOf(control)) === undefined);
    await write('m', control.url);
    await write('later', 'https://127.0.0.1:2');
    const later = { metadata: { name: 'later' }, spec: { syncMode: 'Pull' } } as Cluster;
    await until('later entries are read', () => tunnels.routeOf(later) !== undefined);
    t.equal(await holderOf(control), control.url, 'one of a process with the same address in another network stays');
    t.equal(tunnels.routeOf({ metadata: { name: 'wrong' }, spec: { syncMode: 'Pull' } } as Cluster), undefined);
    t.ok(await find(control.client, configMaps, { ...entryKey, name: 'reverse-tunnel-wrong' }));
  },
);

t.test('a process that does not answer is left for the address of the cluster, if it has one', async t => {
  const graceMs = 50;
  const tunnels = new ReverseTunnels({ graceMs });
  const cluster = (apiEndpoint?: string) =>
    ({ metadata: { name: 'm', uid: 'u' }, spec: { syncMode: 'Pull', ...(apiEndpoint && { apiEndpoint }) } }) as Cluster;
  let failure: Error = tooManyRequests('too many', 1);
  const peer = { url: nowhere, process: 'p', open: () => Promise.reject(failure), givenUp: () => undefined };
  tunnels.usePeer({ name: 'm', uid: 'u', server: 'https://member' }, peer);
  const route = tunnels.routeOf(cluster());
  await t.rejects(Promise.resolve(route?.openForUsers()), { code: 429 });
  t.equal(tunnels.routeOf(cluster('https://address')), route, 'it answers');
  failure = new Error('the member has refused');
  const refused = {
    message: `the reverse tunnel of cluster m cannot be used through the process at ${nowhere}: the member has refused`,
  };
  for (const began = performance.now(); performance.now() - began <= 3 * graceMs;)
    await t.rejects(Promise.resolve(route?.open()), refused);
  t.equal(tunnels.routeOf(cluster('https://address')), route, 'it answers, though not the member');
  failure = new PeerUnavailable('gone');
  await until('it has been unavailable for some time', async () => {
    await t.rejects(Promise.resolve(route?.open()), { message: /gone$/ });
    return tunnels.routeOf(cluster('https://address')) === undefined;
  });
  t.equal(tunnels.routeOf(cluster()), route, 'there is no other way');
  await until('it is tried again', () => tunnels.routeOf(cluster('https://address')) === route);
  await until('it still is not there', async () => {
    await t.rejects(Promise.resolve(route?.open()), { message: /gone$/ });
    return tunnels.routeOf(cluster('https://address')) === undefined;
  });
  tunnels.usePeer({ name: 'm', uid: 'u', server: 'https://member' }, { ...peer, url: 'https://127.0.0.1:2' });
  t.equal(tunnels.routeOf(cluster('https://address')), route, 'another process may answer');
  await until('it is not there either', async () => {
    await t.rejects(Promise.resolve(route?.open()), { message: /gone$/ });
    return tunnels.routeOf(cluster('https://address')) === undefined;
  });
  tunnels.leavePeer('m');
  t.equal(tunnels.routeOf(cluster()), undefined, 'the time without a tunnel has passed');
  tunnels.close();
  tunnels.usePeer({ name: 'm', uid: 'u', server: 'https://member' }, peer);
  t.equal(tunnels.routeOf(cluster()), undefined, 'after the end none is used');
  t.notOk(new Tunneled({ name: 'm', uid: 'u', server: 'https://member' }, 0).isGivenUp);
});

t.test('what another process has failed at says nothing about a tunnel that is opened here', async t => {
  const graceMs = 20;
  const tunnels = new ReverseTunnels({ graceMs });
  const [server, control] = await Promise.all([
    memberServer(t),
    controlPlane(t, { parts: [aggregation({ tunnels })] }),
  ]);
  await joinPulled(control, 'm', server);
  const found = (await control.client.get(resources.clusters, { name: 'm' })) as Cluster;
  const cluster = { ...found, spec: { ...found.spec, apiEndpoint: nowhere } };
  let fail: (error: Error) => void = () => undefined;
  const peer = {
    ...{ url: nowhere, process: 'p', givenUp: () => undefined },
    open: () => new Promise<Duplex>((_resolve, reject) => (fail = reject)),
  };
  tunnels.usePeer({ name: 'm', uid: found.metadata.uid, server: server.url }, peer);
  const pending = Promise.resolve(tunnels.routeOf(cluster)?.open());
  await tunnelAgent(t, control, 'm', { member: endpointOf(server) });
  await until('the tunnel is open here', () => tunnels.ownTunnel('m') !== undefined);
  fail(new PeerUnavailable('gone'));
  await t.rejects(pending, {
    message: 'the reverse tunnel of cluster m cannot be used through the process at https://127.0.0.1:1: gone',
  });
  const since = performance.now();
  await until('time has passed', () => performance.now() - since > 3 * graceMs);
  t.ok(await opens(tunnels.routeOf(cluster)), 'its tunnel is used');
});
