/** How many connections a whole control plane has to a member, idle and under load: each client has at most two. */
import { once } from 'node:events';
import net from 'node:net';
import t, { type Test } from 'tap';
import type { Cluster, Work } from '../../../api/karmada/types.js';
import { executionNamespace } from '../../../api/karmada/names.js';
import { resources } from '../../../api/karmada/well-known.js';
import { aggregation } from '../../../cli/parts/aggregation.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { scheduler } from '../../../cli/parts/scheduler.js';
import { isApplied, isClusterReady } from '../../../kinds/karmada/conditions.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { comesAbout } from '../../controllers/control-plane.js';
import { accountToken } from '../../controllers/work/work-fixture.js';
import { configMap, configmaps, deployment, deployments } from '../../registry/serve.js';
import { until } from '../../storage/until.js';
import { clientBelow, join, object } from '../fleet.js';

/** Connections of one client to one member. */
const perClient = 2;

/** More requests at once than the client sends at a time. */
const loadSize = 40;

/** A way to a server that counts its connections. */
interface Counter {
  readonly url: string;
  /** The connections that are open. */
  readonly open: number;
  /** The most that were open at once since the last call. */
  takePeak(): number;
}

async function counter(t: Test, target: string): Promise<Counter> {
  const { port } = new URL(target);
  const sockets = new Set<net.Socket>();
  let peak = 0;
  const server = net.createServer(client => {
    const upstream = net.connect(Number(port), '127.0.0.1');
    sockets.add(client);
    peak = Math.max(peak, sockets.size);
    const end = (): void => {
      sockets.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `https://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    get open() {
      return sockets.size;
    },
    takePeak() {
      const most = peak;
      peak = sockets.size;
      return most;
    },
  };
}

const all = (): boolean => true;
const kinds = [
  ['v1', 'ConfigMap'],
  ['apps/v1', 'Deployment'],
] as const;
const selectors = kinds.map(([apiVersion, kind]) => ({ apiVersion, kind }));

/** Creates templates that are propagated to the member, and resolves when all are applied. */
async function load({ client }: TestServer, prefix: string, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
  await Promise.all(
    names.flatMap(name => [client.create(configmaps, configMap(name)), client.create(deployments, deployment(name))]),
  );
  const namespace = executionNamespace('member1');
  await until('all are applied', async () => {
    const { items } = await client.list(resources.works, { namespace });
    const ours = items.filter(({ metadata }) => metadata.name?.startsWith(`${prefix}-`));
    return ours.length === 2 * count && ours.every(work => isApplied(work as Work));
  });
}

t.test('the controllers have at most two connections, and search has two more', async t => {
  const parts = [aggregation(), kubernetesControllers(all), karmadaControllers(all), scheduler()];
  const [control, member] = await Promise.all([
    runningServer(t, { parts }),
    runningServer(t, { profile: 'kubernetes', parts: [kubernetesControllers(all)] }),
  ]);
  const { client } = control;
  const way = await counter(t, member.url);
  const token = await accountToken(member);
  await join(control, 'member1', { server: way.url, authority: member.pki.authority.certificate, token });
  await comesAbout(control, resources.clusters, { name: 'member1' }, cluster => {
    const { status } = cluster as Cluster;
    return isClusterReady(cluster as Cluster) && Boolean(status?.apiEnablements && status.resourceSummary);
  });
  t.ok(way.takePeak() <= perClient, 'a member that joins');

  await client.create(
    resources.propagationPolicies,
    object('policy.karmada.io/v1alpha1', 'PropagationPolicy', 'all', {
      metadata: { namespace: 'default' },
      spec: { resourceSelectors: selectors, placement: { clusterAffinity: { clusterNames: ['member1'] } } },
    }),
  );
  await load(control, 'first', loadSize);
  t.ok(way.open > 0, 'the connections are counted');
  t.ok(way.takePeak() <= perClient, 'under load');

  await client.create(
    resources.resourceRegistries,
    object('search.karmada.io/v1alpha1', 'ResourceRegistry', 'all', {
      spec: { targetCluster: {}, resourceSelectors: selectors },
    }),
  );
  const search = clientBelow(t, control, '/apis/search.karmada.io/v1alpha1/search/cache');
  const found = async (prefix: string): Promise<number> => {
    const { status, body } = await search.raw({ method: 'GET', path: '/api/v1/namespaces/default/configmaps' });
    if (status !== 200) return 0;
    const { items } = JSON.parse(body.toString()) as { items: { metadata: { name: string } }[] };
    return items.filter(({ metadata }) => metadata.name.startsWith(`${prefix}-`)).length;
  };
  await until('search has the objects', async () => (await found('first')) === loadSize);
  await load(control, 'second', loadSize);
  await until('search has the new objects', async () => (await found('second')) === loadSize);
  t.ok(way.takePeak() <= 2 * perClient, 'under load, with search');
  t.ok(way.open <= 2 * perClient, 'idle');
});
