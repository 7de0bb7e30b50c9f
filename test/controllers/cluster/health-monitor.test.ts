/** Clusters in pull mode whose agent is silent become Unknown, and are tainted. */
import t, { type Test } from 'tap';
import type { Cluster, Condition } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { leases } from '../../../api/kubernetes/resources.js';
import { componentContext } from '../../../client/runtime/component.js';
import { startClusterController } from '../../../controllers/cluster/cluster.js';
import { type HealthMonitorOptions, startHealthMonitor } from '../../../controllers/cluster/health-monitor.js';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import { silent } from '../../../server/logger.js';
import type { Part } from '../../../server/parts.js';
import { core, object } from '../../aggregation/fleet.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { comesAbout } from '../control-plane.js';

const key = { name: 'far' };

const controllers = (options: HealthMonitorOptions): Part => ({
  name: 'health',
  start(part) {
    const context = componentContext({ ...part, log: silent }, 'karmada-controller-manager');
    startClusterController(context);
    startHealthMonitor(context, options);
    return Promise.resolve({ stop: () => context.finished() });
  },
});

async function controlPlane(t: Test, options: HealthMonitorOptions): Promise<TestServer> {
  const control = await runningServer(t, { profile: 'karmada', parts: [controllers(options)] });
  await control.client.create(core('namespaces'), object('v1', 'Namespace', 'karmada-cluster'));
  return control;
}

const createCluster = ({ client }: TestServer, syncMode: 'Push' | 'Pull', { name } = key) =>
  client.create(
    resources.clusters,
    object('cluster.karmada.io/v1alpha1', 'Cluster', name, {
      spec: { syncMode, apiEndpoint: `https://${name}.example.com` },
    }),
  );

async function setReady({ client }: TestServer, status: Condition['status'], { name } = key): Promise<void> {
  const conditions = [
    { type: 'Ready', status, reason: 'ClusterReady', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ];
  await client.patch(
    resources.clusters,
    { name },
    { type: 'merge', patch: { status: { conditions } } },
    { subresource: 'status' },
  );
}

const readyOf = (cluster: object) => {
  const { status, reason, message } = findCondition((cluster as Cluster).status?.conditions, 'Ready') ?? {};
  return { status, reason, message };
};
const taintsOf = (cluster: object) =>
  (cluster as Cluster).spec.taints?.map(({ key, effect }) => `${key}:${effect}`).join() ?? '';
const tainted = (taints: string) => (cluster: object) => taintsOf(cluster) === taints;
const unreachable = 'cluster.karmada.io/unreachable:NoSchedule';
const never = 3_600_000;

t.test('a cluster whose agent stops', async t => {
  const control = await controlPlane(t, { periodMs: 10, graceMs: 500, startupGraceMs: never });
  await createCluster(control, 'Pull');
  await createCluster(control, 'Push', { name: 'near' });
  await comesAbout(control, resources.clusters, key, tainted('cluster.karmada.io/not-ready:NoSchedule'));
  await setReady(control, 'True');
  await setReady(control, 'True', { name: 'near' });
  await comesAbout(control, resources.clusters, key, tainted(''));
  const silent = await comesAbout(control, resources.clusters, key, tainted(unreachable));
  t.same(readyOf(silent), {
    ...{ status: 'Unknown', reason: 'ClusterStatusUnknown' },
    message: 'Cluster status controller stopped posting cluster status.',
  });
  const near = await control.client.get(resources.clusters, { name: 'near' });
  t.equal(readyOf(near).status, 'True', 'a cluster in push mode needs no agent');
  await setReady(control, 'True');
  await comesAbout(control, resources.clusters, key, tainted(''));
  await comesAbout(control, resources.clusters, key, tainted(unreachable));
});

t.test('a cluster whose agent never reports', async t => {
  const control = await controlPlane(t, { periodMs: 10, graceMs: never, startupGraceMs: 100 });
  await createCluster(control, 'Pull');
  const silent = await comesAbout(control, resources.clusters, key, tainted(unreachable));
  t.same(readyOf(silent), {
    ...{ status: 'Unknown', reason: 'ClusterStatusNeverUpdated' },
    message: 'Cluster status controller never posted cluster status.',
  });
});

t.test('a renewed Lease is a sign of life', async t => {
  const graceMs = 1000;
  const control = await controlPlane(t, { periodMs: 10, graceMs, startupGraceMs: never });
  const { client } = control;
  const metadata = { namespace: 'karmada-cluster' };
  const leaseOf = (renewTime: string) => ({
    spec: { holderIdentity: key.name, leaseDurationSeconds: 40, renewTime },
  });
  const now = () => `${new Date().toISOString().slice(0, -1)}000Z`;
  const lease = { ...object('coordination.k8s.io/v1', 'Lease', key.name, { metadata }), ...leaseOf(now()) };
  await client.create(leases, lease);
  await createCluster(control, 'Pull');
  await setReady(control, 'True');
  let renewed = performance.now();
  const end = renewed + 3 * graceMs;
  let longest = 0;
  let isReady = true;
  while (performance.now() < end) {
    await client.patch(leases, { ...metadata, name: key.name }, { type: 'merge', patch: leaseOf(now()) });
    longest = Math.max(longest, performance.now() - renewed);
    renewed = performance.now();
    isReady &&= readyOf(await client.get(resources.clusters, key)).status === 'True';
  }
  // A stalled machine may renew too late.
  if (longest < graceMs / 2) t.ok(isReady, 'the cluster stays ready');
  const silent = await comesAbout(control, resources.clusters, key, tainted(unreachable));
  t.equal(readyOf(silent).reason, 'ClusterStatusUnknown');
});
