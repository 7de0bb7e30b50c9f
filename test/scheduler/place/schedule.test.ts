/** The whole algorithm: which step refuses, and in which words. */
import t from 'tap';
import type { BindingSpec } from '../../../api/karmada/types.js';
import { atOnce } from '../../../lib/time-slice.js';
import type { ScheduleOptions, Step } from '../../../scheduler/interface.js';
import { schedule } from '../../../scheduler/place/schedule.js';
import { cluster, schedulingInput } from '../objects.js';

const clusters = [cluster('a'), cluster('b', { taints: [{ key: 'k', effect: 'NoSchedule' }] })];
const decide = (spec: Partial<BindingSpec>, options: Partial<ScheduleOptions> = {}, on = clusters) =>
  atOnce(schedule(schedulingInput(spec), on, { enableEmptyWorkloadPropagation: false, estimators: [], ...options }));

t.test('the first filter that refuses a cluster gives its reason, and reasons are counted', async t => {
  t.strictSame(decide({}), { type: 'placed', clusters: [{ name: 'a' }] });
  t.strictSame(decide({}, { disabledPlugins: new Set(['TaintToleration']) }), {
    type: 'placed',
    clusters: [{ name: 'a' }, { name: 'b' }],
  });
  t.strictSame(decide({ placement: { clusterAffinity: { clusterNames: ['c'] } } }), {
    type: 'FitError',
    message:
      '0/2 clusters are available: 1 cluster(s) did not match the placement cluster affinity constraint, ' +
      '1 cluster(s) had untolerated taint {k:NoSchedule}.',
    refusedBy: ['TaintToleration', 'ClusterAffinity'],
  });
});

t.test('clusters that are being deleted are skipped', async t => {
  const leaving = cluster('a', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
  t.strictSame(decide({}, {}, [leaving]), {
    type: 'FitError',
    message: '0/1 clusters are available: no cluster exists.',
    refusedBy: [],
  });
  const none = { type: 'FitError', message: '0/0 clusters are available: no cluster exists.', refusedBy: [] };
  t.strictSame(decide({}, {}, []), none);
});

t.test('refusals of selection and division tell their step', async t => {
  const spreadConstraints = [{ spreadByField: 'cluster', minGroups: 2, maxGroups: 2 } as const];
  t.strictSame(decide({ placement: { spreadConstraints } }), {
    type: 'Error',
    message: 'failed to select clusters: the number of feasible clusters is less than spreadConstraint.MinGroups',
  });
  const replicaScheduling = { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' } as const;
  t.strictSame(decide({ replicas: 3, placement: { replicaScheduling } }, { estimators: [() => 2] }), {
    type: 'UnschedulableError',
    message: 'failed to assign replicas: failed to scale up: Clusters available replicas 2 are not enough to schedule.',
  });
});

t.test('empty workloads are propagated where this is enabled', async t => {
  const spec = { replicas: 0, replicaRequirements: {} };
  t.strictSame(decide(spec), { type: 'placed', clusters: [] });
  t.strictSame(decide(spec, { enableEmptyWorkloadPropagation: true }), { type: 'placed', clusters: [{ name: 'a' }] });
});

t.test('existing targets are preferred', async t => {
  const spreadConstraints = [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 } as const];
  const both = [cluster('a'), cluster('b')];
  t.strictSame(decide({ placement: { spreadConstraints } }, {}, both), { type: 'placed', clusters: [{ name: 'a' }] });
  t.strictSame(decide({ placement: { spreadConstraints }, clusters: [{ name: 'b' }] }, {}, both), {
    type: 'placed',
    clusters: [{ name: 'b' }],
  });
});

t.test('every step is timed, in order', async t => {
  const told: string[] = [];
  const timed = (step: Step) => {
    told.push(`${step} begins`);
    return () => void told.push(`${step} ends`);
  };
  decide({}, { timed });
  const steps = ['Filter', 'Score', 'Select', 'AssignReplicas'];
  t.strictSame(
    told,
    steps.flatMap(step => [`${step} begins`, `${step} ends`]),
  );
});
