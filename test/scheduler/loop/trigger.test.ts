/** Reasons to schedule a binding that has targets. */
import t, { type Test } from 'tap';
import type { BindingSpec, BindingStatus, Placement } from '../../../api/karmada/types.js';
import { annotations } from '../../../api/karmada/well-known.js';
import { type Trigger, trigger } from '../../../scheduler/loop/trigger.js';
import { binding } from '../objects.js';

interface Row {
  readonly name: string;
  readonly spec: Partial<BindingSpec>;
  readonly status?: BindingStatus;
  /** The placement that was applied last, or the text of the annotation. */
  readonly applied: Placement | string | undefined;
  readonly terminating?: string;
  readonly placesSets?: boolean;
  readonly expect: Trigger | undefined;
}

function run(t: Test, rows: readonly Row[]): void {
  for (const { name, spec, status, applied, terminating, placesSets = false, expect } of rows) {
    const text = typeof applied === 'string' ? applied : JSON.stringify(applied);
    const metadata = applied === undefined ? {} : { annotations: { [annotations.appliedPlacement]: text } };
    t.equal(
      trigger(binding(spec, status, metadata), cluster => cluster === terminating, { placesSets }),
      expect,
      name,
    );
  }
}

const divided = {
  replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
} as const;
const settled = {
  replicas: 3,
  placement: divided,
  clusters: [
    { name: 'm1', replicas: 1 },
    { name: 'm2', replicas: 2 },
  ],
};

t.test('a divided workload whose placement and replicas are unchanged is left alone', async t => {
  run(t, [{ name: 'nothing changed', spec: settled, applied: divided, expect: undefined }]);
});

t.test('a change of the placement is a reason', async t => {
  const affinities = (...names: readonly string[]): Placement => ({
    ...divided,
    clusterAffinities: names.map(name => ({ affinityName: name.charAt(0), clusterNames: [name] })),
  });
  const observed = (schedulerObservingAffinityName: string): BindingStatus => ({ schedulerObservingAffinityName });
  run(t, [
    { name: 'nothing was applied yet', spec: settled, applied: undefined, expect: 'placement' },
    { name: 'an empty annotation', spec: settled, applied: '', expect: 'placement' },
    { name: 'an annotation of somebody else', spec: settled, applied: '{', expect: undefined },
    {
      name: 'a toleration was added',
      spec: { ...settled, placement: { ...divided, clusterTolerations: [{ operator: 'Exists' }] } },
      applied: divided,
      expect: 'placement',
    },
    {
      name: 'an affinity was removed',
      spec: settled,
      applied: { ...divided, clusterAffinity: { clusterNames: ['m1'] } },
      expect: 'placement',
    },
    {
      name: 'a spread constraint was added',
      spec: { ...settled, placement: { ...divided, spreadConstraints: [{ spreadByField: 'cluster' }] } },
      applied: divided,
      expect: 'placement',
    },
    {
      name: 'a change of the workload affinity is none',
      spec: { ...settled, placement: { ...divided, workloadAffinity: {} } },
      applied: divided,
      expect: undefined,
    },
    {
      name: 'the current term is unchanged',
      spec: { ...settled, placement: affinities('a1', 'b2') },
      status: observed('a'),
      applied: affinities('a1', 'b1'),
      expect: undefined,
    },
    {
      name: 'the current term has changed',
      spec: { ...settled, placement: affinities('a1', 'b2') },
      status: observed('b'),
      applied: affinities('a1', 'b1'),
      expect: 'placement',
    },
    {
      name: 'the current term was removed',
      spec: { ...settled, placement: affinities('a1') },
      status: observed('b'),
      applied: affinities('a1', 'b1'),
      expect: 'placement',
    },
    {
      name: 'the current term is new',
      spec: { ...settled, placement: affinities('b1') },
      status: observed('b'),
      applied: divided,
      expect: 'placement',
    },
  ]);
});

t.test('a change of the replicas is a reason', async t => {
  const duplicated = { replicaScheduling: { replicaSchedulingType: 'Duplicated' } } as const;
  run(t, [
    { name: 'more than are assigned', spec: { ...settled, replicas: 4 }, applied: divided, expect: 'replicas' },
    { name: 'fewer than are assigned', spec: { ...settled, replicas: 2 }, applied: divided, expect: 'replicas' },
    {
      name: 'one target has other replicas than a duplicated workload',
      spec: { ...settled, placement: duplicated },
      applied: duplicated,
      expect: 'replicas',
    },
    {
      name: 'a target without replicas',
      spec: { replicas: 1, placement: duplicated, clusters: [{ name: 'm1' }] },
      applied: duplicated,
      expect: 'replicas',
    },
    {
      name: 'without a strategy, replicas are not compared',
      spec: { ...settled, placement: {} },
      applied: {},
      expect: 'duplicated',
    },
  ]);
});

t.test('components without a target are a reason, with the gate', async t => {
  const components = [{ name: 'c', replicas: 2 }];
  const spec = { components, placement: divided };
  run(t, [
    { name: 'evicted from its cluster', spec, applied: divided, placesSets: true, expect: 'replicas' },
    { name: 'without the gate', spec, applied: divided, expect: undefined },
    {
      name: 'with a target',
      spec: { ...spec, clusters: [{ name: 'm1', components: [{ name: 'c', replicas: 1 }] }] },
      ...{ applied: divided, placesSets: true, expect: undefined },
    },
    {
      name: 'no strategy: always scheduled',
      spec: { components, placement: {}, clusters: [{ name: 'm1' }] },
      ...{ applied: {}, placesSets: true, expect: 'duplicated' },
    },
  ]);
});

t.test('other reasons follow in their order', async t => {
  const requested = { rescheduleTriggeredAt: '2026-01-02T00:00:00Z' };
  const status = { lastScheduledTime: '2026-01-01T00:00:00Z' };
  const { placement: _, ...unplaced } = settled;
  run(t, [
    {
      name: 'a reschedule was requested',
      spec: { ...settled, ...requested },
      status,
      applied: divided,
      expect: 'requested',
    },
    {
      name: 'a request before the first scheduling',
      spec: { ...settled, ...requested },
      applied: divided,
      expect: undefined,
    },
    {
      name: 'a resource without replicas follows new clusters',
      spec: { placement: divided, clusters: [{ name: 'm1' }] },
      applied: divided,
      expect: 'duplicated',
    },
    { name: 'a workload without a placement', spec: unplaced, applied: {}, expect: 'duplicated' },
    { name: 'a target is being deleted', spec: settled, applied: divided, terminating: 'm2', expect: 'terminating' },
    { name: 'another cluster is being deleted', spec: settled, applied: divided, terminating: 'm3', expect: undefined },
    {
      name: 'no targets',
      spec: { replicaRequirements: {}, placement: divided },
      applied: divided,
      terminating: 'm1',
      expect: undefined,
    },
  ]);
});
