/** Eviction by NoExecute taints, on a server whose clusters have the conditions that the test sets. */
import t, { type Test } from 'tap';
import path from 'node:path';
import type { Binding, BindingSpec, Cluster, Placement, Taint } from '../../../api/karmada/types.js';
import { annotations, labels, resources } from '../../../api/karmada/well-known.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { createControllerContext } from '../../../client/runtime/context.js';
import { startTaintManager, type TaintManagerOptions } from '../../../controllers/failover/taint-manager.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { object, setReady } from '../../aggregation/fleet.js';
import { runningServer, temporaryFolder, type TestServer } from '../../apiserver/running.js';
import { ObjectReads } from '../../client/object-reads.js';
import { until } from '../../storage/until.js';

const fast = { perSecond: 1000, secondaryPerSecond: 1000, unhealthyShare: 0.55 };
const descheduler = { intervalMs: 1, thresholdMs: 1 };
const off = ['detector', 'clusterStatus', 'binding', 'bindingStatus', 'execution', 'gracefulEviction'];

interface Options {
  readonly rates?: TaintManagerOptions['rates'];
  readonly purgeMode?: 'Directly' | 'Gracefully';
  /** Milliseconds that a cluster needs to be ready again. */
  readonly successMs?: number;
  readonly gates?: Readonly<Record<string, boolean>>;
}

/** Returns the configuration of a server that can be started several times. */
async function configOf(t: Test, { rates = fast, purgeMode = 'Gracefully', successMs = 0, gates = {} }: Options = {}) {
  const directory = await temporaryFolder(t);
  const settings = {
    failover: { taintManager: { purgeMode, rates }, descheduler },
    probing: { frequencyMs: 0, thresholds: { successMs, failureMs: 0 } },
  };
  return {
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
    pkiDirectory: path.join(directory, 'pki'),
    featureGates: featureGates({ Failover: true, ...gates }),
    parts: [karmadaControllers(name => !off.includes(name), undefined, settings)],
  } as const;
}

const addCluster = async (server: TestServer, name: string): Promise<void> => {
  const spec = { syncMode: 'Push', apiEndpoint: 'https://m.example.com' };
  await server.client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
  await setReady(server, name, 'True');
};

async function start(t: Test, options?: Options): Promise<TestServer> {
  const server = await runningServer(t, await configOf(t, options));
  for (const name of ['m1', 'm2']) await addCluster(server, name);
  return server;
}

const taint = (server: TestServer, name: string, taints: readonly Taint[] | null): Promise<unknown> =>
  server.client.patch(resources.clusters, { name }, { type: 'merge', patch: { spec: { taints: taints as Taint[] } } });

const down: Taint = { key: 'down', effect: 'NoExecute' };
const tolerating = (tolerationSeconds: number): Placement => ({
  clusterTolerations: [{ key: 'down', operator: 'Exists', tolerationSeconds }],
});

/** Creates a binding that the scheduler has placed in both clusters. */
async function bind(server: TestServer, name: string, placement: Placement, more: Partial<BindingSpec> = {}) {
  const resource = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name };
  await server.client.create(
    resources.resourceBindings,
    object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
      metadata: {
        ...{ namespace: 'default', labels: { [labels.propagationPolicyId]: 'p' } },
        annotations: { [annotations.appliedPlacement]: JSON.stringify(placement) },
      },
      spec: { resource, clusters: [{ name: 'm1', replicas: 2 }, { name: 'm2' }], placement, ...more },
    }),
  );
}

const specOf = async ({ client }: TestServer, name: string): Promise<BindingSpec> =>
  ((await client.get(resources.resourceBindings, { namespace: 'default', name })) as Binding).spec;

const evicted = (server: TestServer, name: string): Promise<void> =>
  until(`${name} is evicted`, async () => (await specOf(server, name)).gracefulEvictionTasks !== undefined);

const countEvicted = async ({ client }: TestServer): Promise<number> =>
  (await client.list(resources.resourceBindings)).items.filter(item => (item as Binding).spec.gracefulEvictionTasks)
    .length;

t.test('bindings leave a cluster whose taint they do not tolerate', async t => {
  const server = await start(t, { purgeMode: 'Directly' });
  await bind(server, 'plain', {});
  await bind(server, 'forever', { clusterTolerations: [{ operator: 'Exists' }] });
  await bind(server, 'long', tolerating(3600));
  await bind(server, 'own-mode', {}, { failover: { cluster: {} } });
  const of = { resource: { apiVersion: 'v1', kind: 'Namespace', name: 'n' }, clusters: [{ name: 'm1' }] };
  await server.client.create(
    resources.clusterResourceBindings,
    object('work.karmada.io/v1alpha2', 'ClusterResourceBinding', 'n', {
      metadata: { annotations: { [annotations.appliedPlacement]: '{}' } },
      spec: of,
    }),
  );
  await taint(server, 'm1', [down]);
  await evicted(server, 'plain');
  const common = { fromCluster: 'm1', reason: 'TaintUntolerated', producer: 'TaintManager' };
  t.match(await specOf(server, 'plain'), {
    clusters: [{ name: 'm2' }],
    gracefulEvictionTasks: [{ ...common, purgeMode: 'Directly', replicas: 2 }],
  });
  await evicted(server, 'own-mode');
  t.match((await specOf(server, 'own-mode')).gracefulEvictionTasks, [{ ...common, purgeMode: 'Gracefully' }]);
  await until('the ClusterResourceBinding is evicted', async () => {
    const { spec } = (await server.client.get(resources.clusterResourceBindings, { name: 'n' })) as Binding;
    return spec.gracefulEvictionTasks?.[0]?.fromCluster === 'm1';
  });
  // A binding that is placed later is evaluated like the others.
  await bind(server, 'later', {});
  await evicted(server, 'later');
  for (const name of ['forever', 'long']) t.equal((await specOf(server, name)).clusters?.length, 2, name);
  const text = await server.metrics.metrics();
  const value = (series: string) =>
    text
      .split('\n')
      .find(line => line.startsWith(`${series} `))
      ?.split(' ')[1];
  t.equal(value('eviction_processing_total{name="binding-eviction",result="success"}'), '3', 'each is counted once');
  t.equal(value('eviction_processing_total{name="cluster-binding-eviction",result="success"}'), '1');
  t.equal(value('eviction_queue_depth{name="binding-eviction"}'), '0');
});

t.test('a time limit counts from the time in the taint', async t => {
  const server = await start(t);
  await bind(server, 'web', tolerating(600));
  await taint(server, 'm1', [{ ...down, timeAdded: new Date(Date.now() - 599_000).toISOString() }]);
  await evicted(server, 'web');
  t.match((await specOf(server, 'web')).gracefulEvictionTasks, [{ fromCluster: 'm1', purgeMode: 'Gracefully' }]);
});

t.test('the state to preserve is in the task', async t => {
  const server = await start(t, { gates: { StatefulFailoverInjection: true } });
  const rules = [{ aliasLabelName: 'job', jsonPath: '{.job}' }];
  await bind(server, 'web', {}, { failover: { cluster: { purgeMode: 'Directly', statePreservation: { rules } } } });
  const aggregatedStatus = [{ clusterName: 'm1', status: { job: 'j1' } }];
  await server.client.patch(
    resources.resourceBindings,
    { namespace: 'default', name: 'web' },
    { type: 'merge', patch: { status: { aggregatedStatus } } },
    { subresource: 'status' },
  );
  await taint(server, 'm1', [down]);
  await evicted(server, 'web');
  const [task] = (await specOf(server, 'web')).gracefulEvictionTasks ?? [];
  t.match(task, { purgeMode: 'Directly', preservedLabelState: { job: 'j1' } });
  t.equal(task?.clustersBeforeFailover, undefined);
});

t.test('evictions are paced, and go on after a restart', async t => {
  const config = await configOf(t, { rates: { perSecond: 0.0001, secondaryPerSecond: 0.0001, unhealthyShare: 1 } });
  const first = await runningServer(t, config);
  for (const name of ['m1', 'm2']) await addCluster(first, name);
  for (const name of ['a', 'b', 'c']) await bind(first, name, {});
  await taint(first, 'm1', [down]);
  const waiting = 'eviction_kind_total{member_cluster="m1",resource_kind="ResourceBinding"} 2\n';
  await until('two wait', async () => (await first.metrics.metrics()).includes(waiting));
  t.equal(await countEvicted(first), 1);
  await first.stop();
  const second = await runningServer(t, config);
  await until('the next one is evicted', async () => (await countEvicted(second)) === 2);
  await taint(second, 'm1', null);
  const none = 'eviction_queue_depth{name="binding-eviction"} 0\n';
  await until('nothing waits any more', async () => (await second.metrics.metrics()).includes(none));
  t.equal(await countEvicted(second), 2);
});

t.test('there are no evictions while no cluster is ready, and for a while after that', async t => {
  const server = await start(t, { successMs: 1000 });
  await bind(server, 'web', {});
  for (const name of ['m1', 'm2']) await setReady(server, name, 'False');
  for (const name of ['m1', 'm2']) await taint(server, name, [down]);
  const waiting = 'eviction_queue_depth{name="binding-eviction"} 2\n';
  await until('the evictions wait', async () => (await server.metrics.metrics()).includes(waiting));
  t.equal(await countEvicted(server), 0);
  await setReady(server, 'm2', 'True');
  await taint(server, 'm2', null);
  await evicted(server, 'web');
  t.match((await specOf(server, 'web')).gracefulEvictionTasks, [{ fromCluster: 'm1' }]);
  const spec = await specOf(server, 'web');
  t.same(spec.clusters, [{ name: 'm2' }], 'the cluster that returned keeps it');
});

t.test('a change of one cluster does not read the others', async t => {
  const server = await runningServer(t, await configOf(t));
  const reads = new ObjectReads();
  const stopping = new AbortController();
  const context = createControllerContext({
    ...{ client: reads.of(server.client), clock: systemClock, log: silent, signal: stopping.signal },
  });
  t.teardown(async () => {
    stopping.abort();
    await context.finished();
  });
  const names = Array.from({ length: 40 }, (_, i) => `m${i}`);
  await Promise.all(names.map(name => addCluster(server, name)));
  const gates = { StatefulFailoverInjection: false };
  startTaintManager(context, { rates: fast, purgeMode: 'Gracefully', gates, recoveryMs: 0 });
  const clusters = context.informers.informer<Cluster>(resources.clusters);
  await clusters.synced;
  reads.taken(resources.clusters);
  for (const name of names.slice(0, 10)) await setReady(server, name, 'False');
  const { metadata } = await server.client.get(resources.clusters, { name: 'm9' });
  await until('the last change', () => String(clusters.cached.get('m9')?.revision) === metadata.resourceVersion);
  t.ok(reads.taken(resources.clusters) < 100, 'each change reads few clusters');
});
