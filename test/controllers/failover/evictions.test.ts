/** When a binding leaves a cluster with NoExecute taints, by the clock of the test. as pkg/controllers/cluster NoExecuteTaintManager */
import t, { type Test } from 'tap';
import { forbidden } from '../../../apimachinery/errors/status.js';
import type { Binding, BindingSpec, Condition, Taint, Toleration } from '../../../api/karmada/types.js';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import type { Client } from '../../../client/interface.js';
import type { EvictionOptions } from '../../../controllers/failover/evictions.js';
import { startTaintManager, type TaintManagerOptions } from '../../../controllers/failover/taint-manager.js';
import { core, object } from '../../aggregation/fleet.js';
import { type SteppedClock, steppedClock } from '../../lib/clock.js';
import { until } from '../../storage/until.js';
import { runningControllers, withVerbs } from '../one-controller.js';

const namespace = 'default';
const { resourceBindings, clusters } = resources;
/** So fast that evictions of the same millisecond do not wait for each other. */
const perSecond = 1e9;
const rates = { perSecond, secondaryPerSecond: perSecond, unhealthyShare: 0.55 };

interface Options extends Partial<EvictionOptions> {
  readonly wrap?: (client: Client) => Client;
}

/** A server with the taint manager and no other controllers, and a clock of its own. Its clusters are m1 and m2. */
class Scene {
  readonly clock: SteppedClock;
  readonly #client: Client;
  #turn = 0;

  private constructor(client: Client, clock: SteppedClock) {
    this.#client = client;
    this.clock = clock;
  }

  static async start(t: Test, { wrap, ...options }: Options = {}): Promise<Scene> {
    const clock = steppedClock();
    const all: TaintManagerOptions = {
      ...{ rates, purgeMode: 'Gracefully' as const, gates: { StatefulFailoverInjection: true }, recoveryMs: 0 },
      ...options,
    };
    const { client } = await runningControllers(
      t,
      context => startTaintManager({ ...context, clock }, all),
      wrap && { wrap },
    );
    const spec = { syncMode: 'Push', apiEndpoint: 'https://m.example.com' };
    for (const name of ['m1', 'm2'])
      await client.create(clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
    return new Scene(client, clock);
  }

  /** Returns a taint that was added so many milliseconds before now. */
  taint(key: string, beforeMs = 0): Taint {
    return { key, effect: 'NoExecute', timeAdded: new Date(this.clock.now() - beforeMs).toISOString() };
  }

  async setTaints(cluster: string, taints: readonly Taint[]): Promise<void> {
    await this.#client.patch(clusters, { name: cluster }, { type: 'merge', patch: { spec: { taints: [...taints] } } });
  }

  /** Reports whether a cluster is ready, since now. */
  async setReady(name: string, status: 'True' | 'False'): Promise<void> {
    const lastTransitionTime = new Date(this.clock.now()).toISOString();
    const ready: Condition = { type: 'Ready', status, reason: 'Test', message: '', lastTransitionTime };
    const patch = { status: { conditions: [ready] } };
    await this.#client.patch(clusters, { name }, { type: 'merge', patch }, { subresource: 'status' });
  }

  /** Creates a binding in both clusters that is placed with these tolerations. */
  async bind(
    name: string,
    clusterTolerations: readonly Toleration[],
    more: Partial<BindingSpec> = {},
    applied: string | null = JSON.stringify({ clusterTolerations }),
  ): Promise<void> {
    const resource = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name };
    const metadata = {
      namespace,
      ...(applied !== null && { annotations: { [annotations.appliedPlacement]: applied } }),
    };
    const spec = { resource, clusters: [{ name: 'm1' }, { name: 'm2' }], ...more };
    await this.#client.create(
      resourceBindings,
      object('work.karmada.io/v1alpha2', 'ResourceBinding', name, { metadata, spec }),
    );
  }

  async patch(name: string, patch: object, subresource?: 'status'): Promise<void> {
    await this.#client.patch(
      resourceBindings,
      { namespace, name },
      { type: 'merge', patch: { ...patch } },
      subresource ? { subresource } : {},
    );
  }

  /** Changes the binding, so that it is evaluated. */
  touch(name: string): Promise<void> {
    return this.patch(name, { metadata: { annotations: { turn: String(++this.#turn) } } });
  }

  delete(name: string): Promise<void> {
    return this.#client.delete(resourceBindings, { namespace, name });
  }

  async specOf(name: string): Promise<BindingSpec> {
    return ((await this.#client.get(resourceBindings, { namespace, name })) as Binding).spec;
  }

  async evicted(name: string): Promise<BindingSpec> {
    await until(`${name} is evicted`, async () => (await this.specOf(name)).gracefulEvictionTasks !== undefined);
    return this.specOf(name);
  }

  /** Resolves with the names of those that are not evicted once what was written before has been evaluated. */
  async staying(names: readonly string[]): Promise<string[]> {
    const marker = `marker-${++this.#turn}`;
    for (const name of names) await this.touch(name);
    await this.bind(marker, []);
    await this.evicted(marker);
    const specs = await Promise.all(names.map(async name => [name, await this.specOf(name)] as const));
    return specs.filter(([, spec]) => !spec.gracefulEvictionTasks).map(([name]) => name);
  }

  told(reason: string, kind: string): Promise<void> {
    return until(reason, async () => {
      const { items } = await this.#client.list(core('events'), { namespace });
      return items.some(
        event => event['reason'] === reason && (event['involvedObject'] as { kind: string }).kind === kind,
      );
    });
  }
}

const forSeconds = (key: string, tolerationSeconds?: number): Toleration => ({
  ...{ key, operator: 'Exists', effect: 'NoExecute' },
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

t.test('a binding leaves when the first time limit of its tolerations is over', async t => {
  const scene = await Scene.start(t);
  await scene.setTaints('m1', [scene.taint('a'), scene.taint('b', 30_000)]);
  const table: { name: string; given: Toleration[]; afterMs: number }[] = [
    { name: 'no-limit', given: [forSeconds('a'), forSeconds('b')], afterMs: Infinity },
    { name: 'one-limit', given: [forSeconds('a', 60), forSeconds('b')], afterMs: 60_000 },
    { name: 'earliest-limit', given: [forSeconds('a', 60), forSeconds('b', 70)], afterMs: 40_000 },
    { name: 'of-both-taints', given: [{ operator: 'Exists', tolerationSeconds: 50 }], afterMs: 20_000 },
    { name: 'passed-limit', given: [forSeconds('a'), forSeconds('b', 30)], afterMs: 0 },
    { name: 'one-untolerated', given: [forSeconds('a')], afterMs: 0 },
    { name: 'another-effect', given: [{ operator: 'Exists', effect: 'NoSchedule' }], afterMs: 0 },
  ];
  const names = table.map(({ name }) => name);
  for (const { name, given } of table) await scene.bind(name, given);
  let past = 0;
  for (const at of [0, 19_999, 20_000, 39_999, 40_000, 59_999, 60_000]) {
    scene.clock.advance(at - past);
    past = at;
    const expect = table.filter(({ afterMs }) => afterMs > at).map(({ name }) => name);
    t.same(await scene.staying(names), expect, `after ${at} ms`);
  }
});

t.test('a binding is judged by the placement that the scheduler has applied', async t => {
  const scene = await Scene.start(t);
  await scene.setTaints('m1', [scene.taint('a')]);
  await scene.bind('unscheduled', [], {}, null);
  await scene.bind('unreadable', [], {}, '{');
  await scene.bind('newer', [forSeconds('a')], { placement: { clusterTolerations: [] } });
  const names = ['unscheduled', 'unreadable', 'newer'];
  t.same(await scene.staying(names), names);
  for (const name of names)
    await scene.patch(name, { metadata: { annotations: { [annotations.appliedPlacement]: '{}' } } });
  for (const name of names) await scene.evicted(name);
});

t.test('only targets are left, and only by bindings that stay', async t => {
  const scene = await Scene.start(t);
  await scene.setTaints('m1', [scene.taint('a')]);
  await scene.bind('elsewhere', [], { clusters: [{ name: 'm2' }] });
  await scene.bind('deleted', [], { clusters: [{ name: 'm2' }] });
  await scene.patch('deleted', { metadata: { finalizers: ['example.com/hold'] } });
  await scene.delete('deleted');
  await scene.patch('deleted', { spec: { clusters: [{ name: 'm1' }] } });
  t.same(await scene.staying(['elsewhere', 'deleted']), ['elsewhere', 'deleted']);
  t.same((await scene.specOf('deleted')).clusters, [{ name: 'm1' }]);
});

t.test('the purge mode is that of the binding, or that of the flag', async t => {
  const state = { statePreservation: { rules: [{ aliasLabelName: 'job', jsonPath: '{.job}' }] } };
  const table: { name: string; given: Partial<BindingSpec>; expect: object }[] = [
    { name: 'flag', given: {}, expect: { purgeMode: 'Directly' } },
    {
      name: 'application',
      given: { failover: { application: { decisionConditions: {} } } },
      expect: { purgeMode: 'Directly' },
    },
    { name: 'default', given: { failover: { cluster: {} } }, expect: { purgeMode: 'Gracefully' } },
    {
      name: 'gracefully',
      given: { failover: { cluster: { purgeMode: 'Gracefully' } } },
      expect: { purgeMode: 'Gracefully' },
    },
    {
      name: 'with-state',
      given: { failover: { cluster: { purgeMode: 'Directly', ...state } } },
      expect: { purgeMode: 'Directly', preservedLabelState: { job: 'j1' } },
    },
  ];
  const scene = await Scene.start(t, { purgeMode: 'Directly' });
  const aggregatedStatus = [{ clusterName: 'm1', status: { job: 'j1' } }];
  for (const { name, given } of table) {
    await scene.bind(name, [], given);
    await scene.patch(name, { status: { aggregatedStatus } }, 'status');
  }
  await scene.setTaints('m1', [scene.taint('a')]);
  for (const { name, expect } of table) {
    const [task] = (await scene.evicted(name)).gracefulEvictionTasks ?? [];
    const { creationTimestamp: _, ...rest } = task ?? {};
    t.same(rest, { fromCluster: 'm1', reason: 'TaintUntolerated', producer: 'TaintManager', ...expect }, name);
  }
});

t.test('a binding whose state is not reported yet waits for it, and no other binding does', async t => {
  const scene = await Scene.start(t);
  const statePreservation = { rules: [{ aliasLabelName: 'job', jsonPath: '{.job}' }] };
  await scene.bind('stateful', [], { failover: { cluster: { statePreservation } } });
  await scene.setTaints('m1', [scene.taint('a')]);
  t.same(await scene.staying(['stateful']), ['stateful']);
  const aggregatedStatus = [{ clusterName: 'm1', status: { job: 'j1' } }];
  await scene.patch('stateful', { status: { aggregatedStatus } }, 'status');
  t.match((await scene.evicted('stateful')).gracefulEvictionTasks, [{ preservedLabelState: { job: 'j1' } }]);
});

t.test('an eviction that is refused is told, and tried again', async t => {
  let isRefused = true;
  const scene = await Scene.start(t, {
    wrap: client => {
      const update: Client['update'] = (resource, next, options) =>
        isRefused && resource.resource === 'resourcebindings' && next.metadata.name === 'web'
          ? Promise.reject(forbidden({ group: 'work.karmada.io', resource: 'resourcebindings' }, 'web', 'by a policy'))
          : client.update(resource, next, options);
      return withVerbs(client, { update });
    },
  });
  await scene.bind('web', []);
  await scene.setTaints('m1', [scene.taint('a')]);
  for (const kind of ['ResourceBinding', 'ConfigMap']) await scene.told('EvictWorkloadFromClusterFailed', kind);
  t.same(await scene.staying(['web']), ['web']);
  isRefused = false;
  await scene.evicted('web');
});

t.test('a cluster that has returned has time to lose its taint', async t => {
  const scene = await Scene.start(t, { recoveryMs: 10_000 });
  await scene.setReady('m2', 'True');
  await scene.setTaints('m1', [scene.taint('a')]);
  scene.clock.advance(5000);
  await scene.bind('web', []);
  await scene.setReady('m1', 'True');
  scene.clock.advance(9999);
  await scene.touch('web');
  await scene.setTaints('m2', [scene.taint('b')]);
  t.same((await scene.evicted('web')).clusters, [{ name: 'm1' }], 'the taint of the other one is new');
  scene.clock.advance(1);
  await scene.touch('web');
  await until('it leaves', async () => (await scene.specOf('web')).clusters?.length === 0);
});
