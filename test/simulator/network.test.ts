/** A member in its own thread that is stopped, made silent and slowed down, as a client over HTTPS sees it. */
import net from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import t, { type Test } from 'tap';
import { remote } from '../../aggregation/remote/client.js';
import type { RemoteClient } from '../../aggregation/interface.js';
import { silent } from '../../server/logger.js';
import { nodes } from '../../api/kubernetes/resources.js';
import { listMembers, reachMember } from '../../simulator/control/client.js';
import { serveControl } from '../../simulator/control/server.js';
import { type Fleet, startFleet } from '../../simulator/fleet.js';
import { temporaryFolder } from '../apiserver/running.js';
import { until } from '../storage/until.js';

const host = '127.0.0.1';

async function oneMember(t: Test): Promise<Fleet> {
  const fleet = await startFleet({ names: ['a'], directory: await temporaryFolder(t), host, firstPort: 0 }, silent);
  t.teardown(() => fleet.stop());
  return fleet;
}

function clientOf(t: Test, { members: [member] }: Fleet): RemoteClient {
  if (!member) throw new Error('there is no member');
  const { url, caBundle, admin } = member;
  const client = remote(
    { server: url, ca: caBundle, clientCertificate: admin.certificate, clientKey: admin.key },
    { userAgent: 'test' },
  );
  t.teardown(() => client.close());
  return client;
}

t.test('a stopped member refuses connections, and serves again after a start', async t => {
  const fleet = await oneMember(t);
  const client = clientOf(t, fleet);
  t.equal((await client.list(nodes)).items.length, 3);
  await fleet.setReachability('a', { state: 'stopped', silent: false });
  await until('no request uses the closed connection any more', async () => {
    const error = await client.list(nodes).then(
      () => undefined,
      (error: unknown) => error,
    );
    return (error as { code?: unknown } | undefined)?.code === 'ECONNREFUSED';
  });
  await fleet.setReachability('a', { state: 'stopped', silent: false });
  await fleet.setReachability('a', { state: 'running' });
  t.equal((await client.list(nodes)).items.length, 3, 'at the same address');
  await t.rejects(fleet.setReachability('b', { state: 'running' }), { message: 'there is no member b' });
});

t.test('a silent member accepts connections and does not respond', async t => {
  const fleet = await oneMember(t);
  await fleet.setReachability('a', { state: 'stopped', silent: true });
  const { hostname, port } = new URL(fleet.members[0]?.url ?? '');
  const socket = net.connect(Number(port), hostname);
  await once(socket, 'connect');
  const ended = new Promise(resolve => socket.once('close', resolve));
  let answered = false;
  socket.on('data', () => (answered = true));
  socket.on('error', () => undefined);
  socket.write('a handshake');
  await fleet.setReachability('a', { state: 'running' });
  await ended;
  t.equal(answered, false);
  t.equal((await clientOf(t, fleet).list(nodes)).items.length, 3);
});

t.test('starting a member whose port was taken reports it, and works when the port is free', async t => {
  const fleet = await oneMember(t);
  await fleet.setReachability('a', { state: 'stopped', silent: false });
  const { port } = new URL(fleet.members[0]?.url ?? '');
  const other = net.createServer().listen(Number(port), host);
  await once(other, 'listening');
  await t.rejects(fleet.setReachability('a', { state: 'running' }), { code: 'EADDRINUSE' });
  t.match(fleet.reachability.get('a'), { state: 'stopped' });
  other.close();
  await once(other, 'close');
  await fleet.setReachability('a', { state: 'running' });
  t.equal((await clientOf(t, fleet).list(nodes)).items.length, 3);
});

t.test('a slow member responds late, and responds to waiting requests when it is healthy again', async t => {
  const fleet = await oneMember(t);
  const client = clientOf(t, fleet);
  await client.list(nodes);
  await fleet.setReachability('a', { state: 'slow', delayMs: 300 });
  const before = performance.now();
  await client.list(nodes);
  t.ok(performance.now() - before > 290, 'it takes as long as the delay');
  await fleet.setReachability('a', { state: 'slow', delayMs: 50_000 });
  const began = performance.now();
  const waiting = Array.from({ length: 20 }, () => client.list(nodes));
  await fleet.setReachability('a', { state: 'running' });
  await Promise.all(waiting);
  t.ok(performance.now() - began < 50_000, 'before the delay was over');
});

t.test('the control socket accepts commands and reports errors', async t => {
  const fleet = await oneMember(t);
  const socket = path.join(await temporaryFolder(t), 'members.sock');
  await t.rejects(listMembers(socket), { code: 'ENOENT' });
  const end = await serveControl(fleet, socket);
  t.match(await listMembers(socket), [{ name: 'a', url: fleet.members[0]?.url, reachability: { state: 'running' } }]);
  await reachMember(socket, 'a', { state: 'stopped', silent: true });
  t.match(await listMembers(socket), [{ reachability: { state: 'stopped', silent: true } }]);
  await t.rejects(reachMember(socket, 'b', { state: 'running' }), { message: 'there is no member "b"' });
  await t.rejects(reachMember(socket, 'a', { state: 'slow', delayMs: 0 }), { message: /^delayMs: want/ });
  const stopped = reachMember(socket, 'a', { state: 'stopped', silent: false });
  const started = stopped.then(() => reachMember(socket, 'a', { state: 'running' }));
  await started;
  await until('it is running', async () => (await listMembers(socket))[0]?.reachability.state === 'running');
  await end();
  await t.rejects(listMembers(socket), { code: 'ENOENT' });
});
