/** The process with a tunnel counts the connections of the users of all processes. */
import { once } from 'node:events';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import t, { type Test } from 'tap';
import { maxStreamsOfUser, maxUserStreams } from '../../../aggregation/reverse-tunnel/protocol.js';
import { ReverseTunnels } from '../../../aggregation/reverse-tunnel/reverse-tunnels.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { aggregation } from '../../../cli/parts/aggregation.js';
import { until } from '../../storage/until.js';
import { controlPlane, join } from '../fleet.js';
import { startProcess, tunnelAgent } from './fixture.js';

/** Connections that are opened at each process at the same time. */
const atOnce = 8;

interface Processes {
  /** The first one has the tunnel. */
  readonly processes: readonly ReverseTunnels[];
  readonly openAt: (tunnels: ReverseTunnels, user?: string) => Promise<Duplex>;
  /** The open connections, the oldest first. */
  readonly opened: Duplex[];
  /** Opens a connection for the control plane. */
  readonly openOwn: (tunnels: ReverseTunnels) => Promise<Duplex | undefined>;
}

/** Starts three processes that reach a member through the tunnel of the first one. */
async function startProcesses(t: Test): Promise<Processes> {
  const sockets = new Set<net.Socket>();
  const member = net.createServer(socket => sockets.add(socket.on('error', () => undefined).resume()));
  member.listen(0, '127.0.0.1');
  await once(member, 'listening');
  const processes = Array.from({ length: 3 }, () => new ReverseTunnels());
  const [holder = new ReverseTunnels(), ...others] = processes;
  const control = await controlPlane(t, { parts: [aggregation({ tunnels: holder })] });
  await join(control, 'm', { token: 'x' });
  const { port } = member.address() as net.AddressInfo;
  await tunnelAgent(t, control, 'm', { member: { server: `https://127.0.0.1:${port}` } });
  startProcess(t, control, { tunnels: holder, url: control.url });
  for (const tunnels of others) startProcess(t, control, { tunnels, url: undefined });
  const cluster = (await control.client.get(resources.clusters, { name: 'm' })) as Cluster;
  await until('all know the way', () => processes.every(tunnels => tunnels.routeOf(cluster)));
  const opened: Duplex[] = [];
  t.teardown(() => {
    for (const socket of [...sockets, ...opened]) socket.destroy();
    member.close();
  });
  return {
    ...{ processes, opened },
    async openAt(tunnels, user) {
      const socket = await tunnels.routeOf(cluster)?.openForUsers(user);
      if (!socket) throw new Error('there is no way');
      opened.push(socket);
      return socket;
    },
    openOwn: tunnels => Promise.resolve(tunnels.routeOf(cluster)?.open()),
  };
}

/**
 * Opens so many connections at each process, a few at a time, since a connection to another process may take five seconds only. Returns how many were
 * opened. The others are refused with 429.
 */
async function openMany(t: Test, { processes, openAt }: Processes, count: number, user?: string): Promise<number> {
  let opened = 0;
  for (let at = 0; at < count; at += atOnce) {
    const length = Math.min(atOnce, count - at);
    const begun = processes.flatMap(tunnels => Array.from({ length }, () => openAt(tunnels, user)));
    const results = await Promise.allSettled(begun);
    for (const { reason } of results.filter(result => result.status === 'rejected')) t.match(reason, { code: 429 });
    opened += results.filter(({ status }) => status === 'fulfilled').length;
  }
  return opened;
}

t.test(
  'users of all processes together have their connections of a tunnel, and the control plane has the others',
  async t => {
    const all = await startProcesses(t);
    const { processes, openAt, openOwn, opened } = all;
    // More than each process may have on its own: the share is that of all.
    t.equal(await openMany(t, all, maxUserStreams / 2), maxUserStreams);
    t.equal(processes[0]?.counts()[0]?.streams, maxUserStreams);
    for (const tunnels of processes) {
      await t.rejects(openAt(tunnels), { code: 429, message: /no room for another connection of users: 192 are open/ });
      const own = await openOwn(tunnels);
      t.ok(own, 'the control plane has room');
      own?.destroy();
    }
    for (const tunnels of processes) {
      opened.shift()?.destroy();
      await until('what one process has closed is free for another one', () =>
        openAt(tunnels).then(Boolean, () => false),
      );
    }
  },
);

t.test('one user has a share of them, at all processes together', async t => {
  const all = await startProcesses(t);
  const { processes, openAt, opened } = all;
  const jane = 'jane döe%';
  t.equal(await openMany(t, all, maxStreamsOfUser / 2, jane), maxStreamsOfUser);
  const message = new RegExp(`no room for another connection of user "${jane}": ${maxStreamsOfUser} are open`);
  for (const tunnels of processes) {
    await t.rejects(openAt(tunnels, jane), { code: 429, message });
    await openAt(tunnels, 'bob');
    await openAt(tunnels);
  }
  opened.shift()?.destroy();
  await until('one that has ended makes room', () =>
    openAt(processes.at(-1) as ReverseTunnels, jane).then(Boolean, () => false),
  );
});
