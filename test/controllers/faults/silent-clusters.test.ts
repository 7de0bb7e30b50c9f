/** Clusters that never answer do not delay the health checks of others. */
import { once } from 'node:events';
import net from 'node:net';
import t, { type Test } from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { isClusterReady } from '../../../kinds/karmada/conditions.js';
import { join, memberServer } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { accountToken } from '../work/work-fixture.js';

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
  const silentCount = 40;
  for (let i = 0; i < silentCount; i++) await join(control, `silent-${i}`, { server: server.url, token });
  await until('silent clusters are probed', () => server.connections() >= 8);
  const began = performance.now();
  await join(control, 'good', { server: member.url, authority: member.pki.authority.certificate, token });
  await until('the cluster is ready', async () => {
    const good = await control.client.get(resources.clusters, { name: 'good' });
    return isClusterReady(good as Cluster);
  });
  t.ok(performance.now() - began < 8000, 'within less than the timeout of a probe');
});
