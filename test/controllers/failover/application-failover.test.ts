/** When an unhealthy application leaves a cluster, and what its task says. as pkg/controllers/applicationfailover */
import t, { type Test } from 'tap';
import { forbidden } from '../../../apimachinery/errors/status.js';
import type { GroupVersionResource } from '../../../apimachinery/interface.js';
import type { AggregatedStatusItem, Binding, BindingSpec, Failover } from '../../../api/karmada/types.js';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import type { Client } from '../../../client/interface.js';
import { startApplicationFailover } from '../../../controllers/failover/application-failover.js';
import type { FailoverGates } from '../../../controllers/failover/failover.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { core, object } from '../../aggregation/fleet.js';
import { type SteppedClock, steppedClock } from '../../lib/clock.js';
import { until } from '../../storage/until.js';
import { runningControllers, withVerbs } from '../one-controller.js';

const namespace = 'default';
const { resourceBindings, clusterResourceBindings } = resources;
const producer = 'resource-binding-application-failover-controller';

type Behavior = NonNullable<Failover['application']>;
type Report = Omit<AggregatedStatusItem, 'clusterName'>;

const unhealthy: Report = { health: 'Unhealthy' };
const healthy: Report = { health: 'Healthy' };

const specOf = (kind: string, application: Behavior, more: Partial<BindingSpec> = {}): BindingSpec => ({
  resource: { apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1', kind, namespace, name: 'web' },
  ...{ propagateDeps: true, clusters: [{ name: 'm1', replicas: 2 }, { name: 'm2' }], failover: { application } },
  ...more,
});

/** A server with the failover of applications and no other controllers, and a clock of its own. */
class Scene {
  readonly clock: SteppedClock = steppedClock();
  readonly #client: Client;
  #turn = 0;

  private constructor(client: Client, clock: SteppedClock) {
    this.#client = client;
    this.clock = clock;
  }

  static async start(t: Test, gates: Partial<FailoverGates> = {}, wrap?: (client: Client) => Client): Promise<Scene> {
    const clock = steppedClock();
    const { client } = await runningControllers(
      t,
      context =>
        startApplicationFailover(
          { ...context, clock },
          {
            interpreter: nativeInterpreter,
            gates: { GracefulEviction: true, StatefulFailoverInjection: true, ...gates },
          },
        ),
      wrap && { wrap },
    );
    return new Scene(client, clock);
  }

  /** Creates a binding with these reports of its clusters. */
  async create(name: string, spec: BindingSpec, reports: Readonly<Record<string, Report>>): Promise<void> {
    const isNamespaced = spec.resource.namespace !== undefined;
    const kind = isNamespaced ? 'ResourceBinding' : 'ClusterResourceBinding';
    const resource = isNamespaced ? resourceBindings : clusterResourceBindings;
    const metadata = isNamespaced ? { namespace } : {};
    await this.#client.create(resource, object('work.karmada.io/v1alpha2', kind, name, { metadata, spec }));
    await this.report(name, reports, resource);
  }

  /** Replaces the reports of the clusters. Each call changes the binding, so that it is evaluated. */
  async report(
    name: string,
    reports: Readonly<Record<string, Report>>,
    resource: GroupVersionResource = resourceBindings,
  ): Promise<void> {
    const turn = { turn: ++this.#turn };
    const aggregatedStatus = Object.entries(reports).map(([clusterName, report]) => ({
      ...{ clusterName, applied: true, status: { ...turn, ...report.status } },
      ...(report.health && { health: report.health }),
    }));
    const key = resource === resourceBindings ? { namespace, name } : { name };
    const patch = { status: { aggregatedStatus } };
    await this.#client.patch(resource, key, { type: 'merge', patch }, { subresource: 'status' });
  }

  async bindingOf(name: string): Promise<Binding> {
    return (await this.#client.get(resourceBindings, { namespace, name })) as Binding;
  }

  patch(name: string, patch: object): Promise<unknown> {
    return this.#client.patch(resourceBindings, { namespace, name }, { type: 'merge', patch: { ...patch } });
  }

  /** Returns the times since when the application is unhealthy, in milliseconds of this scene's clock before now. */
  async timesOf(name: string): Promise<Record<string, number>> {
    const text = (await this.bindingOf(name)).metadata.annotations?.[annotations.unhealthySince] ?? '{}';
    const times = Object.entries(JSON.parse(text) as Record<string, string>);
    return Object.fromEntries(times.map(([cluster, time]) => [cluster, this.clock.now() - Date.parse(time)]));
  }

  noted(name: string, expect: string): Promise<void> {
    return until(`${name} has times of ${expect}`, async () => {
      return Object.keys(await this.timesOf(name)).join() === expect;
    });
  }

  async evicted(name: string, resource: GroupVersionResource = resourceBindings): Promise<Binding['spec']> {
    let spec: Binding['spec'] | undefined;
    await until(`${name} is evicted`, async () => {
      const key = resource === resourceBindings ? { namespace, name } : { name };
      ({ spec } = (await this.#client.get(resource, key)) as Binding);
      return spec.gracefulEvictionTasks !== undefined;
    });
    if (!spec) throw new Error('not reached');
    return spec;
  }

  /** Resolves when what was written before has been evaluated: bindings that came first are evaluated first. */
  async settled(): Promise<void> {
    const name = `marker-${++this.#turn}`;
    await this.create(name, specOf('Deployment', behavior(0)), { m1: unhealthy });
    await this.evicted(name);
  }

  async told(reason: string): Promise<readonly string[]> {
    let kinds: string[] = [];
    await until(reason, async () => {
      const { items } = await this.#client.list(core('events'), { namespace });
      kinds = items
        .filter(event => event['reason'] === reason)
        .map(event => (event['involvedObject'] as { kind: string }).kind);
      return kinds.length >= 2;
    });
    return kinds.sort();
  }
}

const behavior = (tolerationSeconds: number | undefined, more: Partial<Behavior> = {}): Behavior => ({
  decisionConditions: tolerationSeconds === undefined ? {} : { tolerationSeconds },
  purgeMode: 'Directly',
  ...more,
});

t.test('an application leaves a cluster where it is unhealthy for longer than tolerated', async t => {
  const scene = await Scene.start(t);
  const both = { m1: unhealthy, m2: healthy };
  await scene.create('minute', specOf('Deployment', behavior(60)), both);
  await scene.create('default', specOf('Deployment', behavior(undefined)), both);
  for (const name of ['minute', 'default']) await scene.noted(name, 'm1');
  scene.clock.advance(59_000);
  for (const name of ['minute', 'default']) await scene.report(name, both);
  await scene.settled();
  t.same(await scene.timesOf('minute'), { m1: 59_000 });
  scene.clock.advance(1000);
  await scene.report('minute', both);
  const spec = await scene.evicted('minute');
  t.same(spec.clusters, [{ name: 'm2' }]);
  t.match(spec.gracefulEvictionTasks, [
    { fromCluster: 'm1', purgeMode: 'Directly', reason: 'ApplicationFailure', producer, replicas: 2 },
  ]);
  t.same(await scene.timesOf('minute'), {});

  scene.clock.advance(239_000);
  await scene.report('default', both);
  await scene.settled();
  t.same(await scene.timesOf('default'), { m1: 299_000 }, 'five minutes by default');
  scene.clock.advance(1000);
  await scene.report('default', both);
  await scene.evicted('default');
});

t.test('the time starts again only for an application that has recovered or moved', async t => {
  const scene = await Scene.start(t);
  const table: { name: string; reports: Record<string, Report>; clusters?: string[]; expect: number }[] = [
    { name: 'healthy', reports: { m1: healthy }, expect: 0 },
    { name: 'unknown', reports: { m1: { health: 'Unknown' } }, expect: 0 },
    { name: 'moved', reports: { m1: unhealthy }, clusters: ['m2'], expect: 0 },
    { name: 'no-health', reports: { m1: {} }, expect: 20_000 },
    { name: 'no-report', reports: { m2: healthy }, expect: 20_000 },
    { name: 'no-report-at-all', reports: {}, expect: 0 },
  ];
  for (const { name } of table) await scene.create(name, specOf('Deployment', behavior(3600)), { m1: unhealthy });
  for (const { name } of table) await scene.noted(name, 'm1');
  scene.clock.advance(10_000);
  for (const { name, reports, clusters } of table) {
    if (clusters) await scene.patch(name, { spec: { clusters: clusters.map(cluster => ({ name: cluster })) } });
    await scene.report(name, reports);
  }
  for (const { name, expect } of table) await scene.noted(name, expect === 0 ? '' : 'm1');
  await scene.settled();
  scene.clock.advance(10_000);
  for (const { name, clusters } of table) {
    if (clusters) await scene.patch(name, { spec: { clusters: [{ name: 'm1' }] } });
    await scene.report(name, { m1: unhealthy });
  }
  for (const { name, expect } of table) {
    await scene.noted(name, 'm1');
    t.same(await scene.timesOf(name), { m1: expect }, name);
  }
});

t.test('the task says what the purge mode and the gates ask for', async t => {
  const scene = await Scene.start(t);
  const rules = [{ aliasLabelName: 'job', jsonPath: '{.job}' }];
  const reports = { m1: { ...unhealthy, status: { job: 'j1' } } };
  const table: { name: string; given: Partial<Behavior>; expect: object }[] = [
    { name: 'directly', given: { purgeMode: 'Directly' }, expect: { purgeMode: 'Directly' } },
    {
      name: 'gracefully',
      given: { purgeMode: 'Gracefully', gracePeriodSeconds: 9 },
      expect: { purgeMode: 'Gracefully', gracePeriodSeconds: 9 },
    },
    { name: 'never', given: { purgeMode: 'Never' }, expect: { purgeMode: 'Never', suppressDeletion: true } },
    {
      name: 'with-state',
      given: { purgeMode: 'Directly', statePreservation: { rules } },
      expect: { purgeMode: 'Directly', preservedLabelState: { job: 'j1' }, clustersBeforeFailover: ['m1', 'm2'] },
    },
  ];
  const common = { fromCluster: 'm1', reason: 'ApplicationFailure', producer, replicas: 2 };
  for (const { name, given, expect } of table) {
    await scene.create(name, specOf('Deployment', behavior(0, given)), reports);
    const [task] = (await scene.evicted(name)).gracefulEvictionTasks ?? [];
    const { creationTimestamp: _, ...rest } = task ?? {};
    t.same(rest, { ...common, ...expect }, name);
  }
  const cluster = specOf('Namespace', behavior(0), {
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    propagateDeps: false,
  });
  await scene.create('cluster-scoped', cluster, {});
  await scene.report('cluster-scoped', reports, clusterResourceBindings);
  const [task] = (await scene.evicted('cluster-scoped', clusterResourceBindings)).gracefulEvictionTasks ?? [];
  t.match(task, { producer: 'cluster-resource-binding-application-failover-controller' });
});

t.test('an application that cannot be evicted stays, and its time goes on', async t => {
  const scene = await Scene.start(t, { GracefulEviction: false });
  const rule = (jsonPath: string) => ({ statePreservation: { rules: [{ aliasLabelName: 'job', jsonPath }] } });
  const reports = { m1: unhealthy, m2: healthy };
  const table = {
    'without-gate': behavior(60, { purgeMode: 'Gracefully' }),
    'without-state': behavior(60, rule('{.job}')),
    'with-an-unreadable-path': behavior(60, rule('{.job')),
  };
  for (const [name, application] of Object.entries(table))
    await scene.create(name, specOf('Deployment', application), reports);
  for (const name of Object.keys(table)) await scene.noted(name, 'm1');
  scene.clock.advance(90_000);
  for (const name of Object.keys(table)) await scene.report(name, reports);
  await scene.settled();
  for (const name of Object.keys(table)) {
    t.equal((await scene.bindingOf(name)).spec.gracefulEvictionTasks, undefined, name);
    t.same(await scene.timesOf(name), { m1: 90_000 }, name);
  }
  await scene.report('without-state', { ...reports, m1: { ...unhealthy, status: { job: 'j1' } } });
  t.match((await scene.evicted('without-state')).gracefulEvictionTasks, [{ preservedLabelState: { job: 'j1' } }]);
});

t.test('other applications are not evicted', async t => {
  const scene = await Scene.start(t);
  const at = behavior(0);
  const table: Record<string, BindingSpec> = {
    'without-dependencies': specOf('Deployment', at, { propagateDeps: false }),
    'without-health': specOf('ConfigMap', at),
    'leaving-already': specOf('Deployment', at, {
      gracefulEvictionTasks: [{ fromCluster: 'm1', reason: 'TaintUntolerated', producer: 'TaintManager' }],
    }),
  };
  for (const [name, spec] of Object.entries(table)) await scene.create(name, spec, { m1: unhealthy });
  await scene.create('released', specOf('Deployment', behavior(3600)), { m1: unhealthy });
  await scene.noted('released', 'm1');
  await scene.patch('released', { spec: { failover: null } });
  await scene.noted('released', '');
  await scene.settled();
  for (const name of Object.keys(table))
    t.same(
      (await scene.bindingOf(name)).spec.clusters?.map(cluster => cluster.name),
      ['m1', 'm2'],
      name,
    );
});

t.test('an eviction that is refused is told, and tried again', async t => {
  let isRefused = true;
  const scene = await Scene.start(t, {}, client => {
    const update: Client['update'] = (resource, next, options) =>
      isRefused && resource.resource === 'resourcebindings'
        ? Promise.reject(forbidden({ group: 'work.karmada.io', resource: 'resourcebindings' }, 'web', 'by a policy'))
        : client.update(resource, next, options);
    return withVerbs(client, { update });
  });
  await scene.create('web', specOf('Deployment', behavior(0)), { m1: unhealthy });
  t.same(await scene.told('EvictWorkloadFromClusterFailed'), ['Deployment', 'ResourceBinding']);
  isRefused = false;
  await scene.evicted('web');
});
