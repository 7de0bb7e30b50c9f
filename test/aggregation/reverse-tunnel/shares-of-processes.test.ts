/** The process with a tunnel counts the connections of the users of all processes. */
import { once } from 'node:events';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import t from 'tap';
import { maxUserStreams } from '../../../aggregation/reverse-tunnel/protocol.js';
import { ReverseTunnels } from '../../../aggregation/reverse-tunnel/reverse-tunnels.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { aggregation } from '../../../cli/parts/aggregation.js';
import { until } from '../../storage/until.js';
import { controlPlane, join } from '../fleet.js';
import { startProcess, tunnelAgent } from './fixture.js';

t.test(
  'users of all processes together have their connections of a tunnel, and the control plane has the others',
  async t => {
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
    const openAt = async (tunnels: ReverseTunnels): Promise<Duplex> => {
      const socket = await tunnels.routeOf(cluster)?.openForUsers();
      if (!socket) throw new Error('there is no way');
      opened.push(socket);
      return socket;
    };
    // More than each process may have on its own: the share is that of all.
    const begun = processes.flatMap(tunnels => Array.from({ length: maxUserStreams / 2 }, () => openAt(tunnels)));
    const results = await Promise.allSettled(begun);
    t.equal(results.filter(({ status }) => status === 'fulfilled').length, maxUserStreams);
    for (const { reason } of results.filter(result => result.status === 'rejected')) t.match(reason, { code: 429 });
    t.equal(holder.counts()[0]?.streams, maxUserStreams);
    for (const tunnels of processes) {
      await t.rejects(openAt(tunnels), { code: 429, message: /no room for another connection of users: 192 are open/ });
      const own = await tunnels.routeOf(cluster)?.open();
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
