/** What recent decisions have given to clusters, and how it reduces the estimates of the next ones. */
import t from 'tap';
import type { Binding, Cluster, Component, ResourceSummary } from '../../../api/karmada/types.js';
import { atOnce } from '../../../lib/time-slice.js';
import { ClusterLoad } from '../../../scheduler/estimate/cluster-load.js';
import { generalSetEstimator } from '../../../scheduler/estimate/component-sets.js';
import { generalEstimator, summaryEstimator } from '../../../scheduler/estimate/general.js';
import type { AssumedWorkload, Estimator } from '../../../scheduler/interface.js';
import { Assumptions } from '../../../scheduler/loop/assumptions.js';
import { steppedClock } from '../../lib/clock.js';
import { binding, bindingSpec, cluster } from '../objects.js';

const key = 'n/web-deployment';
const replicaRequirements = { resourceRequest: { cpu: '1' } };
const workload = binding({ replicas: 3, replicaRequirements });
const healthyIn = (...clusters: readonly string[]): Binding =>
  binding(workload.spec, { aggregatedStatus: clusters.map(clusterName => ({ clusterName, health: 'Healthy' })) });
const changed = (assumptions: Assumptions, old: Binding, next: Binding | undefined): void =>
  assumptions.changed({ key, old, new: next } as Parameters<Assumptions['changed']>[0]);
const assumedIn = (assumptions: Assumptions, ...clusters: readonly string[]): (number | undefined)[] =>
  clusters.map(name => assumptions.of(name)?.workloads[0]?.components[0]?.replicas);

t.test('all replicas of a target count until they are healthy', t => {
  const assumptions = new Assumptions(steppedClock());
  const targets = [
    { name: 'm1', replicas: 1 },
    { name: 'm2', replicas: 2 },
  ];
  assumptions.assume(workload, targets);
  t.same(assumptions.of('m2')?.workloads, [
    { namespace: 'n', components: [{ name: 'web', replicas: 2, replicaRequirements }] },
  ]);
  t.equal(assumptions.of('m3'), undefined);
  changed(assumptions, healthyIn(), healthyIn('m1'));
  t.same(assumedIn(assumptions, 'm1', 'm2'), [undefined, 2]);
  assumptions.assume(workload, [{ name: 'm1', replicas: 3 }]);
  t.same(assumedIn(assumptions, 'm1', 'm2'), [3, undefined], 'the next decision replaces it');
  changed(assumptions, healthyIn('m1'), healthyIn('m1'));
  t.same(assumedIn(assumptions, 'm1'), [3], 'it was healthy before');
  changed(assumptions, workload, undefined);
  t.equal(assumptions.size, 0, 'the binding is deleted');
  t.equal(assumptions.of('m1'), undefined);
  t.end();
});

t.test('sets of components count as a whole, and what has no pods does not', t => {
  const assumptions = new Assumptions(steppedClock());
  const components = [{ name: 'a', replicas: 1 }];
  assumptions.assume(binding({ components }), [{ name: 'm1', components }]);
  t.same(assumptions.of('m1')?.workloads, [{ namespace: 'n', components }]);
  assumptions.assume(binding({}, undefined, { name: 'config' }), [{ name: 'm1' }]);
  t.equal(assumptions.size, 1);
  t.end();
});

t.test('a decision that is not written is taken back', t => {
  const assumptions = new Assumptions(steppedClock());
  assumptions.assume(workload, [{ name: 'm1', replicas: 3 }]);
  const undo = assumptions.assume(workload, [{ name: 'm2', replicas: 3 }]);
  undo();
  t.same(assumedIn(assumptions, 'm1', 'm2'), [3, undefined]);
  const late = assumptions.assume(workload, [{ name: 'm2', replicas: 3 }]);
  assumptions.assume(workload, [{ name: 'm3', replicas: 3 }]);
  late();
  t.same(assumedIn(assumptions, 'm1', 'm2', 'm3'), [undefined, undefined, 3], 'unless there was another one');
  t.end();
});

t.test('a decision counts for five minutes, and is removed within another one', async t => {
  const clock = steppedClock();
  const stop = new AbortController();
  const assumptions = new Assumptions(clock);
  const collecting = assumptions.collect(stop.signal);
  assumptions.assume(workload, [{ name: 'm1', replicas: 3 }]);
  const pass = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds);
    await new Promise(setImmediate);
  };
  for (let minute = 0; minute < 5; minute++) await pass(60_000);
  t.same(assumedIn(assumptions, 'm1'), [3]);
  await pass(1);
  t.same(assumedIn(assumptions, 'm1'), [undefined]);
  t.equal(assumptions.size, 1);
  await pass(60_000);
  t.equal(assumptions.size, 0);
  stop.abort();
  await collecting;
});

t.test('the sums of a cluster are those of its workloads after any changes', t => {
  const clock = steppedClock();
  const assumptions = new Assumptions(clock);
  const named = (i: number): Binding =>
    binding(
      {
        replicas: 2,
        replicaRequirements: { resourceRequest: { cpu: `${i}m`, memory: `${i}Ki`, [`a.io/${i % 3}`]: '1' } },
      },
      {},
      { name: `b${i}` },
    );
  const undone: (() => void)[] = [];
  for (let i = 1; i <= 60; i++) {
    const undo = assumptions.assume(named(i), [{ name: 'm1', replicas: i % 4 }]);
    if (i % 5 === 0) undone.push(undo);
    if (i % 7 === 0) assumptions.assume(named(i - 3), [{ name: 'm2', replicas: 1 }]);
    clock.advance(10_000);
  }
  for (const undo of undone) undo();
  const load = assumptions.of('m1');
  const anew = ClusterLoad.of(load?.workloads ?? []);
  const summary = { allocatable: { cpu: '10' }, allocating: { cpu: '1500m' } };
  t.ok(load && load.workloads.length > 10);
  t.equal(load?.pods, anew.pods);
  t.same(load?.requested, anew.requested);
  t.same(load?.beside(summary), anew.beside(summary));
  t.equal(load?.beside(summary), load?.beside(summary), 'it is summed up once');
  clock.advance(600_000);
  t.equal(assumptions.of('m1'), undefined);
  t.end();
});

t.test('what a cluster was given since a decision began is known', t => {
  const assumptions = new Assumptions(steppedClock());
  assumptions.assume(workload, [{ name: 'm1', replicas: 1 }]);
  const since = assumptions.added;
  t.notOk(assumptions.isFuller('m1', since));
  assumptions.assume(binding(workload.spec, {}, { name: 'other' }), [{ name: 'm2', replicas: 1 }]);
  t.notOk(assumptions.isFuller('m1', since));
  t.ok(assumptions.isFuller('m2', since));
  t.notOk(assumptions.isFuller('m3', since));
  t.end();
});

/** Returns a cluster whose resource models are nodes of 2 and of 4 CPUs. */
const member = (resourceSummary: ResourceSummary): Cluster => {
  const resourceModels = [
    { grade: 0, ranges: [{ name: 'cpu', min: '2', max: '4' }] },
    { grade: 1, ranges: [{ name: 'cpu', min: '4', max: '8' }] },
  ];
  return { ...cluster('m1', { resourceModels }), status: { resourceSummary } };
};
const component = (replicas: number, cpu: string): Component => ({
  ...{ name: 'c', replicas, replicaRequirements: { resourceRequest: { cpu } } },
});
const assumed = (...components: readonly Component[]): AssumedWorkload[] => [{ namespace: 'n', components }];
const allocatable = { cpu: '10', pods: '20' };
const nodes = [
  { grade: 0, count: 1 },
  { grade: 1, count: 2 },
];

t.test('estimates of replicas', t => {
  const estimate = (estimator: Estimator, given: Cluster, taken: AssumedWorkload[], cpu?: string): unknown => {
    const requirements = cpu === undefined ? {} : { replicaRequirements: { resourceRequest: { cpu } } };
    const result = estimator(given, bindingSpec({ replicas: 1, ...requirements }), ClusterLoad.of(taken));
    return typeof result === 'object' ? atOnce(result) : result;
  };
  const plain = member({ allocatable });
  t.equal(estimate(generalEstimator, plain, [], '1'), 10);
  t.equal(estimate(generalEstimator, plain, assumed(component(3, '500m')), '1'), 8, 'by the sum: 8.5 CPUs are left');
  t.equal(estimate(generalEstimator, plain, assumed(component(15, '1m')), '100m'), 5, 'by the number of pods');
  t.equal(estimate(generalEstimator, plain, assumed(component(15, '1'))), 5, 'without requirements');
  t.equal(estimate(generalEstimator, plain, assumed(component(15, '1')), '1'), 0, 'nothing is left');
  t.equal(estimate(generalEstimator, cluster('m1'), assumed(component(1, '1')), '1'), 0, 'no summary');
  const modelled = member({ allocatable, allocatableModelings: nodes });
  t.equal(estimate(generalEstimator, modelled, [], '3'), 2);
  t.equal(estimate(generalEstimator, modelled, assumed(component(1, '3')), '3'), 1, 'it takes one of the large nodes');
  t.equal(estimate(generalEstimator, modelled, assumed(component(1, '2')), '3'), 2, 'the small node takes it');
  t.equal(estimate(summaryEstimator, modelled, assumed(component(1, '2')), '2'), 4, 'without models');
  const negative = member({ allocatable, allocatableModelings: [{ grade: 0, count: -1 }] });
  t.equal(estimate(generalEstimator, negative, assumed(component(1, '2')), '2'), 4, 'models that cannot be used');
  t.end();
});

t.test('estimates of sets', t => {
  const estimate = (given: Cluster, taken: AssumedWorkload[]): number | undefined =>
    atOnce(generalSetEstimator([component(2, '1')])(given, ClusterLoad.of(taken)));
  t.equal(estimate(member({ allocatable }), []), 5);
  t.equal(estimate(member({ allocatable }), assumed(component(3, '1'))), 3);
  t.equal(estimate(member({ allocatable: { ...allocatable, pods: '6' } }), assumed(component(3, '1m'))), 1);
  t.equal(estimate(member({ allocatable }), assumed(component(20, '1m'))), 0);
  const modelled = member({ allocatable, allocatableModelings: nodes });
  t.equal(estimate(modelled, []), 5);
  t.equal(estimate(modelled, assumed(component(2, '3'))), 2, 'each large node has 1 CPU left, the small one 2');
  t.equal(estimate(modelled, assumed(component(1, '2'), component(1, '4'))), 2);
  t.end();
});
