/** The passes of the descheduler over the bindings of a store, with an estimator that the test answers for. as pkg/descheduler Descheduler */
import t, { type Test } from 'tap';
import { forbidden } from '../../../apimachinery/errors/status.js';
import type { Binding, Placement, TargetCluster } from '../../../api/karmada/types.js';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import type { Client } from '../../../client/interface.js';
import { createControllerContext } from '../../../client/runtime/context.js';
import { type Clock, systemClock } from '../../../lib/clock.js';
import { runDescheduler } from '../../../scheduler/descheduler/descheduler.js';
import { silent } from '../../../server/logger.js';
import { core, object } from '../../aggregation/fleet.js';
import { withVerbs } from '../../controllers/one-controller.js';
import { serveCustomResources } from '../../kinds/karmada/custom-world.js';
import { steppedClock } from '../../lib/clock.js';
import { until } from '../../storage/until.js';

const { resourceBindings } = resources;
const intervalMs = 120_000;
const aggregated: Placement = {
  replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
};

interface SceneOptions {
  /** Returns the unschedulable replicas of a cluster; by default none is known. */
  readonly unschedulable?: (cluster: string) => number | undefined;
  readonly clock?: Clock;
  readonly clientOf?: (client: Client) => Client;
}

async function scene(t: Test, options: SceneOptions = {}) {
  const { unschedulable = () => undefined, clock = systemClock, clientOf = client => client } = options;
  const { client } = await serveCustomResources(t);
  const stopping = new AbortController();
  /** What the estimator was asked, as `binding cluster`, with the time. */
  const asked: [question: string, at: number][] = [];
  const key = (name: string) => ({ namespace: 'default', name });
  return {
    ...{ client, asked, stopping },
    /** Creates a binding with five replicas in m1 and two in m2, of which so many are ready. */
    bind: async (
      name: string,
      ready: Readonly<Record<string, number>>,
      placement: Placement = aggregated,
    ): Promise<void> => {
      const made = object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
        metadata: {
          ...{ namespace: 'default', finalizers: ['example.com/keep'] },
          annotations: { [annotations.appliedPlacement]: JSON.stringify(placement) },
        },
        spec: {
          ...{ resource: { apiVersion: 'apps/v1', kind: 'Deployment', ...key(name) }, replicas: 7 },
          clusters: [
            { name: 'm1', replicas: 5 },
            { name: 'm2', replicas: 2 },
          ],
        },
      });
      await client.create(resourceBindings, made);
      const aggregatedStatus = Object.entries(ready).map(([clusterName, readyReplicas]) => ({
        ...{ clusterName, status: { readyReplicas } },
      }));
      const patch = { type: 'merge', patch: { status: { aggregatedStatus } } } as const;
      await client.patch(resourceBindings, key(name), patch, { subresource: 'status' });
    },
    /** Starts the descheduler, which works on one binding after the other. Returns its passes. */
    start: (): Promise<void> => {
      const context = createControllerContext({
        ...{ client: clientOf(client), clock, log: silent, signal: stopping.signal },
        tuning: { workers: { descheduler: 1 } },
      });
      const passes = runDescheduler(context, {
        ...{ intervalMs, thresholdMs: 60_000 },
        estimator: {
          unschedulableReplicas(cluster, { name }) {
            asked.push([`${name} ${cluster}`, clock.now()]);
            return Promise.resolve(unschedulable(cluster));
          },
        },
      });
      t.teardown(async () => {
        stopping.abort();
        await passes;
        await context.finished();
      });
      return passes;
    },
    targetsOf: async (name: string): Promise<readonly TargetCluster[] | undefined> =>
      ((await client.get(resourceBindings, key(name))) as Binding).spec.clusters,
    /** Returns the Events of the descheduler with a reason, as `kind: message`. */
    eventsOf: async (reason: string): Promise<readonly string[]> => {
      const { items } = await client.list(core('events'), { namespace: 'default' });
      return items
        .filter(event => event['reason'] === reason)
        .map(({ involvedObject, message }) => `${(involvedObject as { kind: string }).kind}: ${String(message)}`)
        .sort();
    },
  };
}

t.test('only clusters that are short of replicas of bindings that may be moved are asked about', async t => {
  const clock = steppedClock();
  const { client, bind, start, asked } = await scene(t, { clock });
  const short = { m1: 3, m2: 2 };
  await bind('a-deleted', short);
  await client.delete(resourceBindings, { namespace: 'default', name: 'a-deleted' });
  await bind('b-ready', { m1: 5, m2: 2 });
  await bind('c-duplicated', short, { replicaScheduling: { replicaSchedulingType: 'Duplicated' } });
  await bind('d-silent', {});
  await bind('e-short', short);
  void start();
  await until('the last binding is reached', () => asked.some(([question]) => question === 'e-short m1'));
  t.same(
    asked.map(([question]) => question),
    ['d-silent m1', 'd-silent m2', 'e-short m1'],
  );
});

t.test(
  'a cluster of which nothing is known keeps its replicas, and so does one without unschedulable ones',
  async t => {
    const known: Readonly<Record<string, number>> = { m2: 1 };
    const { bind, start, targetsOf, eventsOf } = await scene(t, { unschedulable: cluster => known[cluster] });
    await bind('web', { m1: 3, m2: 0 });
    void start();
    await until('m2 gives up a replica', async () => (await targetsOf('web'))?.[1]?.replicas !== 2);
    t.strictSame(await targetsOf('web'), [
      { name: 'm1', replicas: 5 },
      { name: 'm2', replicas: 1 },
    ]);
    const message = 'Binding has been descheduled, 1 replica(s) in cluster(m2), 1 total descheduled replica(s)';
    await until('both Events', async () => (await eventsOf('DescheduleBindingSucceed')).length === 2);
    t.same(await eventsOf('DescheduleBindingSucceed'), [`Deployment: ${message}`, `ResourceBinding: ${message}`]);
  },
);

t.test('a binding that has changed meanwhile is evaluated again, and not overwritten', async t => {
  const third = { name: 'm3', replicas: 1 };
  let interferences = 0;
  const clientOf = (client: Client): Client =>
    withVerbs(client, {
      update: async (resource, written, ...rest) => {
        if (resource.resource === 'resourcebindings' && interferences++ === 0) {
          const clusters = [
            ...((written as Binding).spec.clusters ?? []).map(({ name }) => ({ name, replicas: 5 })),
            third,
          ];
          const { namespace = '', name = '' } = written.metadata;
          await client.patch(resource, { namespace, name }, { type: 'merge', patch: { spec: { clusters } } });
        }
        return client.update(resource, written, ...rest);
      },
    });
  const { bind, start, targetsOf, eventsOf } = await scene(t, {
    ...{ clientOf, unschedulable: cluster => (cluster === 'm1' ? 1 : 0) },
  });
  await bind('web', { m1: 3, m2: 2, m3: 1 });
  void start();
  await until('m1 gives up a replica', async () => (await targetsOf('web'))?.[0]?.replicas === 4);
  t.strictSame(await targetsOf('web'), [{ name: 'm1', replicas: 4 }, { name: 'm2', replicas: 5 }, third]);
  t.ok(interferences >= 2);
  await until('both Events', async () => (await eventsOf('DescheduleBindingSucceed')).length === 2);
  t.same(await eventsOf('DescheduleBindingFailed'), [], 'a conflict is no failure');
});

t.test('a write that is refused is told with the binding and its template, and tried again', async t => {
  const refusal = forbidden({ group: 'work.karmada.io', resource: 'resourcebindings' }, 'web', 'not today');
  let refusals = 0;
  const clientOf = (client: Client): Client =>
    withVerbs(client, {
      update: (resource, ...rest) =>
        resource.resource === 'resourcebindings' && refusals++ === 0
          ? Promise.reject(refusal)
          : client.update(resource, ...rest),
    });
  const { bind, start, targetsOf, eventsOf } = await scene(t, { clientOf, unschedulable: () => 2 });
  await bind('web', { m1: 3, m2: 2 });
  void start();
  await until('m1 gives up two replicas', async () => (await targetsOf('web'))?.[0]?.replicas === 3);
  await until('both Events', async () => (await eventsOf('DescheduleBindingFailed')).length === 2);
  t.same(await eventsOf('DescheduleBindingFailed'), [
    `Deployment: ${refusal.message}`,
    `ResourceBinding: ${refusal.message}`,
  ]);
});

t.test('a pass begins at once, and the next one after the interval', async t => {
  const clock = steppedClock();
  const { bind, start, asked } = await scene(t, { clock });
  await bind('web', { m1: 3, m2: 2 });
  const began = clock.now();
  void start();
  await until('the first pass', () => asked.length === 1 && clock.sleeping > 0);
  clock.advance(intervalMs - 1);
  t.ok(clock.sleeping > 0, 'it waits');
  clock.advance(1);
  await until('the second pass', () => asked.length > 1);
  t.strictSame(asked, [
    ['web m1', began],
    ['web m1', began + intervalMs],
  ]);
});

t.test('the passes end when the component stops', async t => {
  const { start, stopping } = await scene(t, { clock: steppedClock() });
  let hasEnded = false;
  const passes = start().then(() => (hasEnded = true));
  t.equal(hasEnded, false);
  stopping.abort();
  await passes;
  t.ok(hasEnded);
});
