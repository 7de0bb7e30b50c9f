/** Clusters that never answer do not delay the health checks of others. */
import { once } from 'node:events';
import net from 'node:net';
import t, { type Test } from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import { join, memberServer } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { accountToken } from '../work/work-fixture.js';

/** The number of workers of the cluster status controller. */
const workers = 32;

/** Starts a server that accepts connections and never answers. */
async function silentServer(t: Test): Promise<{ readonly url: string; connections: () => number }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer(socket => {
    socket.on('error', () => undefined);
    sockets.add(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: `https://127.0.0.1:${(server.address() as net.AddressInfo).port}`, connections: () => sockets.size };
}

t.test('a cluster becomes ready while many others do not answer', async t => {
  const controllers = ['cluster', 'clusterStatus'];
  const parts = [karmadaControllers(name => controllers.includes(name))];
  const [control, member, server] = await Promise.all([runningServer(t, { parts }), memberServer(t), silentServer(t)]);
  const token = await accountToken(member);
  // More than the controller has workers.
  const silent = Array.from({ length: 40 }, (_, i) => `silent-${i}`);
  await Promise.all(silent.map(name => join(control, name, { server: server.url, token })));
  await until('the silent clusters occupy all workers', () => server.connections() >= workers);
  await join(control, 'good', { server: member.url, authority: member.pki.authority.certificate, token });
  const conditions = new Map<string, unknown>();
  await until('the cluster is ready', async () => {
    const { items } = await control.client.list(resources.clusters);
    for (const cluster of items as Cluster[])
      conditions.set(cluster.metadata.name ?? '', findCondition(cluster.status?.conditions, 'Ready')?.status);
    return conditions.get('good') === 'True';
  });
  const given = silent.filter(name => conditions.get(name) !== undefined);
  t.same(given, [], 'before the probe of any silent cluster has timed out');
});
