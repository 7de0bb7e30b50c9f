/** Members that fail, with the real kubectl: workloads leave as their tolerations say, at the configured rate, also across a restart. */
import path from 'node:path';
import t, { type Test } from 'tap';
import type { Deployment } from '../../api/kubernetes/apps.js';
import type { Binding, Cluster } from '../../api/karmada/types.js';
import { isClusterReady } from '../../kinds/karmada/conditions.js';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { startFlagship } from '../../tools/flagship.js';
import { temporaryFolder } from '../apiserver/running.js';
import { run } from '../cli/process.js';
import { root } from '../docs/documents.js';
import { plainNode } from '../../tools/plain-node.js';
import { apiClient, type ApiClient, type Reply } from '../conformance/call.js';
import { until } from '../storage/until.js';
import { askOf, kubectlFor, needsKubectl } from './kubectl.js';

const timeout = 180_000;

const evicting = [
  ...['--feature-gates=Failover=true', '--enable-no-execute-taint-eviction', '--allow-no-execute-taint-policy'],
  ...['--cluster-status-update-frequency=200ms', '--cluster-failure-threshold=1s', '--cluster-success-threshold=1s'],
];

/** Starts a control plane with members in a folder. Of the same folder, it has the same data. */
async function scene(t: Test, directory: string, count: number, ...flags: readonly string[]) {
  const server = await startFlagship(['--members', String(count), ...evicting, ...flags], plainNode, directory);
  t.teardown(() => server.stop());
  const kubectl = kubectlFor(t, { directory, kubeconfig: server.kubeconfig });
  const ask = askOf(kubectl);
  const file = server.kubeconfig;
  const readers = new Map<string, ApiClient>();
  /** Reads from a context of the kubeconfig. The tests look often, and a kubectl for every look would take most of the machine. */
  const read = async (path: string, context = 'karmada-apiserver'): Promise<Reply> => {
    let reader = readers.get(context);
    if (!reader) {
      reader = apiClient(kubeconfigEndpoint(file, context), 'test/1.0');
      readers.set(context, reader);
      t.teardown(() => readers.get(context)?.close());
    }
    return reader.call('GET', path);
  };
  const list = async <T>(path: string): Promise<readonly T[]> => {
    const { status, text } = await read(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return (JSON.parse(text) as { items: T[] }).items;
  };
  const member = async (command: string, name: string): Promise<void> => {
    const { code, err } = await run(t, 'member', command, name, '--data-dir', path.join(directory, 'data'));
    if (code !== 0) throw new Error(err);
  };
  const readyCount = async (): Promise<number> =>
    (await list<Cluster>('/apis/cluster.karmada.io/v1alpha1/clusters')).filter(isClusterReady).length;
  await until('all members are ready', async () => (await readyCount()) === count);
  return { ask, read, member, list, readyCount, stop: () => server.stop() };
}

type Scene = Awaited<ReturnType<typeof scene>>;

const bindings = ({ list }: Scene): Promise<readonly Binding[]> =>
  list<Binding>('/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings');

/** Returns the targets of a binding: `member1:2,member2:2`. */
const targets = ({ spec }: Binding): string =>
  (spec.clusters ?? []).map(({ name, replicas = 0 }) => `${name}:${replicas}`).join();

async function targetsOf(scene: Scene, name: string): Promise<string | undefined> {
  const found = (await bindings(scene)).find(({ metadata }) => metadata.name === `${name}-deployment`);
  return found && targets(found);
}

/** Resolves when as many replicas are ready; `where` is the context of a member, or undefined for the control plane. */
const ready = ({ read }: Scene, where: string | undefined, name: string, count: number): Promise<void> =>
  until(`${count} replicas of ${name} ${where ?? ''}`, async () => {
    const { status, text } = await read(`/apis/apps/v1/namespaces/default/deployments/${name}`, where);
    if (status === 404) return count === 0;
    if (status !== 200) throw new Error(`${status} ${text}`);
    return ((JSON.parse(text) as Deployment).status?.readyReplicas ?? 0) === count;
  });

/** Resolves when an Event with this reason stands: Events are written after what they tell of. */
const recorded = ({ ask }: Scene, reason: string): Promise<void> =>
  until(`an Event ${reason}`, async () =>
    (await ask(`get events --field-selector reason=${reason} -o name`)).includes('event/'),
  );

const rebalancer = JSON.stringify({
  ...{ apiVersion: 'apps.karmada.io/v1alpha1', kind: 'WorkloadRebalancer', metadata: { name: 'mover' } },
  spec: { workloads: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'mover', namespace: 'default' }] },
});

t.test(
  'replicas leave a member that fails as they tolerate it, and come back when they are told to',
  { ...needsKubectl, timeout },
  async t => {
    const now = await scene(t, await temporaryFolder(t), 2);
    await now.ask(`apply -f ${path.join(root, 'examples', 'eviction')}`);
    for (const name of ['mover', 'stayer'])
      for (const member of ['member1', 'member2']) await ready(now, member, name, 2);
    await now.member('stop', 'member1');
    await until('mover has moved', async () => (await targetsOf(now, 'mover')) === 'member2:4');
    await ready(now, 'member2', 'mover', 4);
    t.equal(await targetsOf(now, 'stayer'), 'member1:2,member2:2');
    const { spec } = (await bindings(now)).find(({ metadata }) => metadata.name === 'mover-deployment') ?? {};
    const tasks = spec?.gracefulEvictionTasks ?? [];
    for (const task of tasks)
      t.match(task, { fromCluster: 'member1', reason: 'TaintUntolerated', purgeMode: 'Gracefully' });
    t.ok(tasks.length <= 1);

    await now.member('start', 'member1');
    await until('member1 is ready', async () => (await now.readyCount()) === 2);
    await ready(now, 'member1', 'mover', 0);
    t.equal(await targetsOf(now, 'mover'), 'member2:4');
    await ready(now, 'member1', 'stayer', 2);
    await now.ask('create -f -', rebalancer);
    await ready(now, 'member1', 'mover', 2);
    t.equal(await targetsOf(now, 'mover'), 'member1:2,member2:2');
    await recorded(now, 'EvictWorkloadFromClusterSucceed');
  },
);

t.test('when no member can be reached, nothing is evicted', { ...needsKubectl, timeout }, async t => {
  // The second member may be started seconds after the first one, by a process of its own.
  const now = await scene(t, await temporaryFolder(t), 2, '--cluster-status-update-frequency=3s');
  await now.ask(`apply -f ${path.join(root, 'examples', 'eviction')}`);
  for (const name of ['mover', 'stayer']) await ready(now, undefined, name, 4);
  const names = ['member1', 'member2'];
  await Promise.all(names.map(name => now.member('stop', name)));
  const metric = async (line: string): Promise<boolean> => (await now.read('/metrics')).text.includes(`${line}\n`);
  // Both copies of mover are due, since its time has passed.
  await until('evictions wait', () => metric('eviction_queue_depth{name="binding-eviction"} 2'));
  await Promise.all(names.map(name => now.member('start', name)));
  await until('both members are ready', async () => (await now.readyCount()) === 2);
  await until('nothing waits', () => metric('eviction_queue_depth{name="binding-eviction"} 0'));
  for (const name of ['mover', 'stayer']) t.equal(await targetsOf(now, name), 'member1:2,member2:2', name);
  t.notOk((await now.read('/metrics')).text.includes('eviction_processing_total{'));
});

/** Deployments that go to all members, with their policy. */
const everywhere = (count: number): string =>
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'List' },
    items: [
      ...Array.from({ length: count }, (_, i) => ({
        ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: `web-${i}`, namespace: 'default' } },
        spec: {
          ...{ replicas: 1, selector: { matchLabels: { app: 'web' } } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
        },
      })),
      {
        ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
        metadata: { name: 'everywhere', namespace: 'default' },
        spec: { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] },
      },
    ],
  });

/** Returns the number of evictions that have been done, of all bindings. */
const evictions = async (scene: Scene, members: number): Promise<number> =>
  (await bindings(scene)).reduce((sum, { spec }) => sum + members - (spec.clusters?.length ?? members), 0);

t.test('when half of the members fail at once, evictions are paced', { ...needsKubectl, timeout }, async t => {
  const count = 4;
  const now = await scene(t, await temporaryFolder(t), 4, '--resource-eviction-rate=1');
  await now.ask('apply -f -', everywhere(count));
  await now.ask(`apply -f ${path.join(root, 'examples', 'eviction', 'taint-policy.yaml')}`);
  for (let i = 0; i < count; i++) await ready(now, undefined, `web-${i}`, 4);
  await Promise.all(['member3', 'member4'].map(name => now.member('stop', name)));
  await until('an eviction', async () => (await evictions(now, 4)) > 0);
  const before = performance.now();
  const done = await evictions(now, 4);
  await until('all evictions', async () => (await evictions(now, 4)) === 2 * count);
  // One in a second; what was granted and not seen yet may come at once.
  const leastMs = (2 * count - done - 2) * 1000;
  t.ok(done < 2 * count, 'some have to wait');
  t.ok(
    performance.now() - before >= leastMs,
    `no faster than configured: ${done} at first, then at least ${leastMs} ms`,
  );
  for (const binding of await bindings(now)) {
    t.equal(targets(binding), 'member1:1,member2:1');
    const from = (binding.spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster);
    t.equal(new Set(from).size, from.length, 'a cluster is evicted once');
  }
});

t.test('evictions go on when the control plane is restarted in the middle', { ...needsKubectl, timeout }, async t => {
  const count = 6;
  const directory = await temporaryFolder(t);
  const flags = ['--resource-eviction-rate=1'];
  const first = await scene(t, directory, 2, ...flags);
  await first.ask('apply -f -', everywhere(count));
  for (let i = 0; i < count; i++) await ready(first, undefined, `web-${i}`, 2);
  const taints = [{ key: 'maintenance', effect: 'NoExecute' }];
  await first.ask(`patch cluster member1 --type merge -p ${JSON.stringify({ spec: { taints } })}`);
  await until('an eviction', async () => (await evictions(first, 2)) > 0);
  const done = await evictions(first, 2);
  await first.stop();
  t.ok(done < count, 'some are left');
  const second = await scene(t, directory, 2, ...flags);
  t.ok((await evictions(second, 2)) >= done);
  await until('all evictions', async () => (await evictions(second, 2)) === count);
  for (const binding of await bindings(second)) t.equal(targets(binding), 'member2:1');
  for (let i = 0; i < count; i++) await ready(second, 'member1', `web-${i}`, 0);
});

const crowd = JSON.stringify({
  ...{ apiVersion: 'v1', kind: 'List' },
  items: [
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'crowd', namespace: 'default' } },
      spec: {
        ...{ replicas: 4, selector: { matchLabels: { app: 'crowd' } } },
        template: { metadata: { labels: { app: 'crowd' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
      },
    },
    {
      ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
      metadata: { name: 'crowd', namespace: 'default' },
      spec: {
        resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
        placement: {
          replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
        },
      },
    },
  ],
});

t.test('the descheduler moves the Pods that wait in a full member', { ...needsKubectl, timeout }, async t => {
  const flags = ['--controllers=*,descheduler', '--descheduling-interval=1s', '--unschedulable-threshold=1s'];
  const now = await scene(t, await temporaryFolder(t), 2, '--enable-scheduler-estimator', ...flags);
  await now.ask('apply -f -', crowd);
  await ready(now, undefined, 'crowd', 4);
  const [first = ''] = (await targetsOf(now, 'crowd'))?.split(':') ?? [];
  const other = first === 'member1' ? 'member2' : 'member1';
  t.equal(await targetsOf(now, 'crowd'), `${first}:4`);
  // The nodes take no more Pods, as if they were full.
  const namesOf = async (what: string): Promise<readonly string[]> =>
    (await now.ask(`--context ${first} get ${what} -o name`)).trim().split('\n');
  for (const node of await namesOf('nodes')) await now.ask(`--context ${first} cordon ${node}`);
  const [a, b] = await namesOf('pods -l app=crowd');
  await now.ask(`--context ${first} delete ${a} ${b}`);
  await ready(now, other, 'crowd', 2);
  const moved = (await targetsOf(now, 'crowd'))?.split(',').sort();
  t.same(moved, [`${first}:2`, `${other}:2`].sort());
  await ready(now, first, 'crowd', 2);
  await recorded(now, 'DescheduleBindingSucceed');
});
