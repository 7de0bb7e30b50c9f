/** One attempt: the terms of clusterAffinities, and what happens to the targets. */
import t from 'tap';
import type { BindingSpec, BindingStatus } from '../../../api/karmada/types.js';
import { atOnce } from '../../../lib/time-slice.js';
import { type Attempt, attempt } from '../../../scheduler/loop/attempt.js';
import { withoutMembers } from '../../../scheduler/place/without-members.js';
import { binding, cluster } from '../objects.js';

const clusters = [cluster('m1'), cluster('m2')];
const options = { enableEmptyWorkloadPropagation: false, estimators: [] };
const tried = (spec: Partial<BindingSpec>, status?: BindingStatus): Attempt =>
  atOnce(withoutMembers(attempt(binding(spec, status), clusters, undefined, options)));
const term = (affinityName: string, ...clusterNames: string[]) => ({ affinityName, clusterNames });
const unfit = '0/2 clusters are available: 2 cluster(s) did not match the placement cluster affinity constraint.';
const failure = (index: number): string =>
  `failed to schedule ResourceBinding(n/web-deployment) with clusterAffiliates index(${index}): ${unfit}`;

t.test('without terms there is one decision', async t => {
  t.strictSame(tried({ placement: { clusterAffinity: { clusterNames: ['m2'] } } }), {
    decision: { type: 'placed', clusters: [{ name: 'm2' }] },
    clusters: [{ name: 'm2' }],
    affinityName: undefined,
    failures: [],
  });
  t.strictSame(tried({ placement: { clusterAffinity: { clusterNames: ['m3'] } } }), {
    decision: { type: 'FitError', message: unfit, refusedBy: ['ClusterAffinity'] },
    clusters: [],
    affinityName: undefined,
    failures: [],
  });
  const replicaScheduling = { replicaSchedulingType: 'Divided' } as const;
  const refused = tried({ replicas: 1, placement: { replicaScheduling } });
  t.equal(refused.decision.type, 'Error');
  t.equal(refused.clusters, undefined, 'targets stay unless the binding fits nowhere');
});

t.test('terms are tried in their order, from the current one', async t => {
  const clusterAffinities = [term('a', 'm3'), term('b', 'm1'), term('c', 'm2')];
  const spec = { placement: { clusterAffinities } };
  t.match(
    tried(spec),
    { clusters: [{ name: 'm1' }], affinityName: 'b', failures: [failure(0)] },
    'the first that fits',
  );
  t.match(
    tried(spec, { schedulerObservingAffinityName: 'c' }),
    { clusters: [{ name: 'm2' }], affinityName: 'c', failures: [] },
    'not back to an earlier one',
  );
  t.match(
    tried(spec, { schedulerObservingAffinityName: 'removed' }),
    { affinityName: 'b' },
    'from the first, if the current one was removed',
  );
  const requested = { ...spec, rescheduleTriggeredAt: '2026-01-02T00:00:00Z' };
  const status = { schedulerObservingAffinityName: 'c', lastScheduledTime: '2026-01-01T00:00:00Z' };
  t.match(tried(requested, status), { affinityName: 'b' }, 'from the first, if a reschedule was requested');
});

t.test('if no term fits, the first failure is the decision', async t => {
  const clusterAffinities = [term('a', 'm3'), term('b', 'm4')];
  t.strictSame(tried({ placement: { clusterAffinities } }), {
    decision: { type: 'FitError', message: unfit, refusedBy: ['ClusterAffinity'] },
    clusters: [],
    affinityName: undefined,
    failures: [failure(0), failure(1)],
  });
  t.match(tried({ placement: { clusterAffinities: [] } }), {
    decision: { type: 'Error', message: 'no cluster affinity to schedule with' },
    clusters: undefined,
  });
});

t.test('clusterAffinity replaces all terms', async t => {
  const placement = { clusterAffinity: { clusterNames: ['m2'] }, clusterAffinities: [term('a', 'm1')] };
  t.match(tried({ placement }), { clusters: [{ name: 'm2' }], affinityName: 'a' });
});

t.test('the messages name a ClusterResourceBinding without a namespace', async t => {
  const given = binding({ placement: { clusterAffinities: [term('a', 'm3')] } });
  const wide = { ...given, kind: 'ClusterResourceBinding', metadata: { name: 'x-clusterrole' } };
  const { failures } = atOnce(withoutMembers(attempt(wide, clusters, undefined, options)));
  t.match(failures, [/^failed to schedule ClusterResourceBinding\(x-clusterrole\) with/]);
});
