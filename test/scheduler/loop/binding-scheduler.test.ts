/** What attempts leave behind when their decisions fail or their writes are refused, over a real pipeline that serves Karmada's kinds. */
import t, { type Test } from 'tap';
import { forbidden, StatusError } from '../../../apimachinery/errors/status.js';
import type { Binding, BindingSpec, Placement } from '../../../api/karmada/types.js';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import type { Client } from '../../../client/interface.js';
import { createControllerContext } from '../../../client/runtime/context.js';
import type { EventRecorder } from '../../../client/runtime/interface.js';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import { BindingScheduler } from '../../../scheduler/loop/binding-scheduler.js';
import { ClusterSnapshot } from '../../../scheduler/loop/cluster-snapshot.js';
import { FirstPlacements } from '../../../scheduler/loop/first-placements.js';
import { InFlight } from '../../../scheduler/loop/in-flight.js';
import { createSchedulingQueue } from '../../../scheduler/loop/queue.js';
import { SchedulerSeries } from '../../../scheduler/loop/series.js';
import { WakeUps } from '../../../scheduler/loop/wake-ups/wake-ups.js';
import { silent } from '../../../server/logger.js';
import { serveCustomResources } from '../../kinds/karmada/custom-world.js';
import { steppedClock } from '../../lib/clock.js';
import { until } from '../../storage/until.js';
import { binding, cluster } from '../objects.js';

const { resourceBindings } = resources;
const refusal = forbidden(resourceBindings, 'x', 'a webhook denied the request');
const aggregated: Placement = {
  replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
};

/** A scheduler without workers for clusters in which each workload finds room for `room` replicas. `patch`: comes before the targets are written. */
async function fixture(
  t: Test,
  { room = 0, patch = () => Promise.resolve() }: { room?: number; patch?: () => Promise<void> } = {},
) {
  const { client: served } = await serveCustomResources(t);
  const client: Client = {
    ...served,
    patch: async (resource, key, change, options) => {
      if (options?.subresource === undefined) await patch();
      return served.patch(resource, key, change, options);
    },
  };
  const stopping = new AbortController();
  const { signal } = stopping;
  t.teardown(() => stopping.abort());
  const clock = steppedClock();
  const context = createControllerContext({ client, clock, log: silent, signal });
  const group = (at: 'antiAffinityGroup') => (b: Binding) => {
    const value = b.spec.workloadAffinityGroups?.[at];
    return value ? [`${b.metadata.namespace}/${value}`] : [];
  };
  const indexers = { affinityGroup: () => [], antiAffinityGroup: group('antiAffinityGroup') };
  const namespaced = context.informers.informer<Binding>(resourceBindings, { indexers });
  const clusterWide = context.informers.informer<Binding>(resources.clusterResourceBindings);
  await Promise.all([namespaced.synced, clusterWide.synced]);
  const clusters = new ClusterSnapshot();
  clusters.set('m1', cluster('m1'));
  const recorder: EventRecorder = { event: () => undefined };
  const firstPlacements = new FirstPlacements(clock);
  const woken: string[] = [];
  const wakeUps = new WakeUps({
    ...{ clock, signal, get: key => namespaced.get(key), cluster: name => clusters.get(name) },
    hasMoreRoom: () => false,
    found: ({ metadata }, help) => void woken.push(`${metadata.name} ${help}`),
  });
  const scheduler = new BindingScheduler({
    ...{ context, recorder, explains: recorder, namespaced, clusterWide, clusters, firstPlacements, wakeUps },
    series: new SchedulerSeries(context.meter, createSchedulingQueue(clock)),
    inFlight: new InFlight(namespaced),
    accurateEstimators: [],
    options: { enableEmptyWorkloadPropagation: false, estimators: [() => room] },
  });
  return {
    ...{ firstPlacements, woken },
    schedule: (name: string) => scheduler.scheduleOne(`default/${name}`),
    reason: async (name: string): Promise<string | undefined> => {
      const { status } = (await client.get(resourceBindings, { namespace: 'default', name })) as Binding;
      return findCondition(status?.conditions, 'Scheduled')?.reason;
    },
    make: async (name: string, spec: Partial<BindingSpec>, applied?: Placement): Promise<void> => {
      const note = applied && { annotations: { [annotations.appliedPlacement]: JSON.stringify(applied) } };
      await client.create(resourceBindings, binding(spec, undefined, { namespace: 'default', name, ...note }));
      await until('the mirror shows it', () => namespaced.get(`default/${name}`) !== undefined);
    },
  };
}

t.test('a request of a user outlives a failed decision that nobody has asked for', async t => {
  const { make, schedule, reason, firstPlacements } = await fixture(t);
  const clusters = [{ name: 'm1', replicas: 4 }];
  const spec = { replicas: 8, placement: aggregated };
  await make('scaled', { ...spec, clusters }, aggregated);
  await make('new', spec);
  const spread: Placement = { ...aggregated, spreadConstraints: [{ spreadByField: 'cluster', minGroups: 2 }] };
  await make('settled', { replicas: 4, placement: spread, clusters }, spread);
  /** Schedules a binding after a cluster has begun to serve its kind. */
  const overtaken = (name: string) => {
    firstPlacements.began(`default/${name}`);
    firstPlacements.overtaken(`default/${name}`);
    return schedule(name);
  };
  for (const name of ['scaled', 'new']) {
    t.equal(await overtaken(name), 'backoff', name);
    t.equal(await schedule(name), 'unschedulable', name);
    t.equal(await reason(name), 'Unschedulable', name);
  }
  t.equal(await overtaken('settled'), 'no');
  t.equal(await reason('settled'), undefined, 'its targets stay as they are');
});

t.test('targets that the server refuses, and nobody has asked for, leave the binding as it is', async t => {
  const exceeded = new StatusError({ ...refusal.status, reason: 'QuotaExceeded' });
  const { make, schedule, reason, firstPlacements } = await fixture(t, {
    room: 4,
    patch: () => Promise.reject(exceeded),
  });
  const clusters = [{ name: 'm1', replicas: 2 }];
  await make('overtaken', { replicas: 2, placement: aggregated, clusters: [{ name: 'm2', replicas: 2 }] }, aggregated);
  firstPlacements.began('default/overtaken');
  firstPlacements.overtaken('default/overtaken');
  t.equal(await schedule('overtaken'), 'no');
  t.equal(await reason('overtaken'), undefined);
  await make('asked', { replicas: 4, placement: aggregated, clusters }, aggregated);
  t.equal(await schedule('asked'), 'backoff');
  t.equal(await reason('asked'), 'QuotaExceeded');
});

t.test('first targets that the server has refused are none', async t => {
  const patch = () => Promise.reject(refusal);
  const { make, schedule, firstPlacements } = await fixture(t, { room: 4, patch });
  await make('refused', { replicas: 4, placement: aggregated });
  t.equal(await schedule('refused'), 'backoff');
  t.notOk(firstPlacements.has('default/refused'));
});

t.test('a binding is woken when the targets that kept it away are not written', async t => {
  let refuse = (): void => undefined;
  const written = new Promise<void>((_, reject) => (refuse = () => reject(refusal)));
  let patches = 0;
  const { make, schedule, reason, woken } = await fixture(t, {
    room: 4,
    patch: () => (patches++ === 0 ? written : Promise.resolve()),
  });
  const spec: Partial<BindingSpec> = {
    placement: { workloadAffinity: { antiAffinity: { groupByLabelKey: 'app' } } },
    workloadAffinityGroups: { antiAffinityGroup: 'app=x' },
  };
  await make('first', spec);
  await make('second', spec);
  const first = schedule('first');
  await until('the targets of the first are being written', () => patches > 0);
  t.equal(await schedule('second'), 'no');
  t.equal(await reason('second'), 'NoClusterFit');
  t.same(woken, []);
  refuse();
  t.equal(await first, 'backoff');
  t.same(woken, ['second peers']);
  t.equal(await schedule('second'), 'no');
  t.equal(await reason('second'), 'Success');
});
