/** Every plugin of the scheduler: which cluster it refuses, in which words, and which it prefers. */
import t, { type Test } from 'tap';
import type { Binding, BindingSpec, Cluster, ClusterAffinityTerm } from '../../../api/karmada/types.js';
import type { Filter, SchedulingInput } from '../../../scheduler/interface.js';
import { apiEnablement } from '../../../scheduler/plugins/api-enablement.js';
import { clusterAffinity, observedTerm } from '../../../scheduler/plugins/cluster-affinity.js';
import { clusterEviction } from '../../../scheduler/plugins/cluster-eviction.js';
import { clusterLocality } from '../../../scheduler/plugins/cluster-locality.js';
import { plugins } from '../../../scheduler/plugins/plugins.js';
import { spreadConstraint } from '../../../scheduler/plugins/spread-constraint.js';
import { taintToleration } from '../../../scheduler/plugins/taint-toleration.js';
import { workloadAffinity, workloadAntiAffinity } from '../../../scheduler/plugins/workload-affinity.js';
import { binding, cluster, schedulingInput } from '../objects.js';

interface Row {
  readonly name: string;
  readonly given?: Partial<BindingSpec>;
  readonly more?: Partial<SchedulingInput>;
  readonly cluster?: Cluster;
  readonly expect: string | undefined;
}

function filters(t: Test, filter: Filter, rows: readonly Row[]): void {
  for (const { name, given, more, cluster: on = cluster('m1'), expect } of rows)
    t.equal(filter(schedulingInput(given, more), on), expect, name);
}

const onM1 = { clusters: [{ name: 'm1' }] };

t.test('the order of the plugins is that of Karmada', async t => {
  t.strictSame(
    plugins.map(({ name }) => name),
    [
      ...['APIEnablement', 'TaintToleration', 'ClusterAffinity', 'SpreadConstraint'],
      ...['ClusterLocality', 'ClusterEviction', 'WorkloadAffinity', 'WorkloadAntiAffinity'],
    ],
  );
  t.ok(Object.isFrozen(plugins));
});

t.test('APIEnablement requires that the cluster serves the kind', async t => {
  const refused = 'cluster(s) did not have the API resource';
  const resource = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' };
  const { status: _, ...unobserved } = cluster('m1');
  filters(t, apiEnablement, [
    { name: 'a kind that is served', expect: undefined },
    { name: 'another kind of the same group', given: { resource }, expect: refused },
    {
      name: 'the same kind in another version',
      given: { resource: { ...resource, apiVersion: 'apps/v2', kind: 'Deployment' } },
      expect: refused,
    },
    { name: 'a cluster whose discovery is not known yet', cluster: unobserved, expect: refused },
    { name: 'a target stays', given: { resource, ...onM1 }, expect: undefined },
    { name: 'another target does not matter', given: { resource, clusters: [{ name: 'm2' }] }, expect: refused },
  ]);
});

t.test('TaintToleration refuses untolerated taints of NoSchedule and NoExecute', async t => {
  const tainted = (effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute', value?: string): Cluster =>
    cluster('m1', { taints: [{ key: 'k', effect, ...(value !== undefined && { value }) }] });
  const tolerating = (toleration: object): Partial<BindingSpec> => ({
    placement: { clusterTolerations: [toleration] },
  });
  filters(t, taintToleration, [
    { name: 'no taint', expect: undefined },
    {
      name: 'without a value',
      cluster: tainted('NoSchedule'),
      expect: 'cluster(s) had untolerated taint {k:NoSchedule}',
    },
    {
      name: 'with a value',
      cluster: tainted('NoExecute', 'v'),
      expect: 'cluster(s) had untolerated taint {k=v:NoExecute}',
    },
    { name: 'PreferNoSchedule refuses nothing', cluster: tainted('PreferNoSchedule'), expect: undefined },
    {
      name: 'tolerated by key and value',
      given: tolerating({ key: 'k', value: 'v' }),
      cluster: tainted('NoSchedule', 'v'),
      expect: undefined,
    },
    {
      name: 'tolerated with another value',
      given: tolerating({ key: 'k', value: 'w' }),
      cluster: tainted('NoSchedule', 'v'),
      expect: 'cluster(s) had untolerated taint {k=v:NoSchedule}',
    },
    {
      name: 'tolerated for another effect',
      given: tolerating({ key: 'k', operator: 'Exists', effect: 'NoExecute' }),
      cluster: tainted('NoSchedule'),
      expect: 'cluster(s) had untolerated taint {k:NoSchedule}',
    },
    {
      name: 'everything is tolerated',
      given: tolerating({ operator: 'Exists' }),
      cluster: tainted('NoExecute', 'v'),
      expect: undefined,
    },
    { name: 'a target stays', given: onM1, cluster: tainted('NoExecute'), expect: undefined },
  ]);
});

const term = (
  affinityName: string,
  clusterNames: string[],
  more: Partial<ClusterAffinityTerm> = {},
): ClusterAffinityTerm => ({
  ...{ affinityName, clusterNames },
  ...more,
});

t.test('ClusterAffinity requires a matching affinity', async t => {
  const refused = 'cluster(s) did not match the placement cluster affinity constraint';
  const overflowing = term('a', ['m2'], { overflowAffinities: [{ affinityName: 'spare', clusterNames: ['m1'] }] });
  filters(t, clusterAffinity, [
    { name: 'no affinity', expect: undefined },
    {
      name: 'a listed cluster',
      given: { placement: { clusterAffinity: { clusterNames: ['m1'] } } },
      expect: undefined,
    },
    {
      name: 'a cluster that is not listed',
      given: { placement: { clusterAffinity: { clusterNames: ['m2'] } } },
      expect: refused,
    },
    { name: 'an excluded cluster', given: { placement: { clusterAffinity: { exclude: ['m1'] } } }, expect: refused },
    { name: 'a cluster of the term', more: { term: term('a', ['m1']) }, expect: undefined },
    { name: 'no cluster of the term', more: { term: term('a', ['m2']) }, expect: refused },
    { name: 'replicas overflow', given: { replicas: 1 }, more: { term: overflowing }, expect: undefined },
    { name: 'a resource without replicas does not', more: { term: overflowing }, expect: refused },
  ]);
});

t.test('the observed term is that which the status names', async t => {
  const clusterAffinities = [term('a', ['m1']), term('b', ['m2'])];
  const observe = (placement: BindingSpec['placement'], schedulerObservingAffinityName?: string) =>
    observedTerm(schedulingInput({ ...(placement && { placement }) }).spec, {
      ...(schedulerObservingAffinityName !== undefined && { schedulerObservingAffinityName }),
    });
  t.equal(observe({ clusterAffinities }, 'b'), clusterAffinities[1]);
  t.equal(observe({ clusterAffinities }, 'c'), undefined, 'a term that was removed');
  t.equal(observe({ clusterAffinities }), undefined, 'nothing was scheduled yet');
  t.equal(observe({ clusterAffinity: {}, clusterAffinities }, 'b'), undefined, 'clusterAffinity replaces all terms');
  t.equal(observe(undefined), undefined, 'no placement');
});

t.test('SpreadConstraint refuses clusters without the location that is spread by', async t => {
  const spread = (spreadByField: 'cluster' | 'region' | 'zone' | 'provider'): Partial<BindingSpec> => ({
    placement: { spreadConstraints: [{ spreadByField }] },
  });
  const located = cluster('m1', { provider: 'p', region: 'r', zones: ['z'] });
  filters(t, spreadConstraint, [
    { name: 'no constraint', expect: undefined },
    { name: 'by cluster', given: spread('cluster'), expect: undefined },
    { name: 'no provider', given: spread('provider'), expect: 'cluster(s) did not have provider property' },
    { name: 'no region', given: spread('region'), expect: 'cluster(s) did not have region property' },
    { name: 'no zones', given: spread('zone'), expect: 'cluster(s) did not have zones property' },
    {
      name: 'empty zones',
      given: spread('zone'),
      cluster: cluster('m1', { zones: [] }),
      expect: 'cluster(s) did not have zones property',
    },
    { name: 'a provider', given: spread('provider'), cluster: located, expect: undefined },
    { name: 'a region', given: spread('region'), cluster: located, expect: undefined },
    { name: 'a zone', given: spread('zone'), cluster: located, expect: undefined },
    {
      name: 'the first constraint that refuses gives the reason',
      given: {
        placement: {
          spreadConstraints: [{ spreadByField: 'cluster' }, { spreadByField: 'zone' }, { spreadByField: 'region' }],
        },
      },
      expect: 'cluster(s) did not have zones property',
    },
  ]);
});

t.test('ClusterLocality prefers targets', async t => {
  t.equal(clusterLocality(schedulingInput(onM1), cluster('m1')), 100);
  t.equal(clusterLocality(schedulingInput(onM1), cluster('m2')), 0);
  t.equal(clusterLocality(schedulingInput(), cluster('m1')), 0, 'nothing was scheduled yet');
});

t.test('ClusterEviction refuses the cluster of an eviction task', async t => {
  const gracefulEvictionTasks = [{ fromCluster: 'm1', reason: 'TaintUntolerated', producer: 'p' }];
  filters(t, clusterEviction, [
    { name: 'no task', expect: undefined },
    { name: 'evicted from here', given: { gracefulEvictionTasks }, expect: 'cluster(s) is in the process of eviction' },
    { name: 'evicted from another one', given: { gracefulEvictionTasks }, cluster: cluster('m2'), expect: undefined },
  ]);
});

/** Returns `peers` of a case: bindings with these targets. */
const peersOn = (...targets: readonly (readonly string[])[]): Partial<SchedulingInput> => {
  const made = targets.map((names): Binding => binding({ clusters: names.map(name => ({ name })) }));
  return { peers: (_, value) => (value === 'g' ? made : []) };
};

t.test('WorkloadAffinity requires all targets of the group', async t => {
  const refused = 'ResourceBinding with the same affinity group does not target this cluster';
  const given = { workloadAffinityGroups: { affinityGroup: 'g' } };
  filters(t, workloadAffinity, [
    { name: 'no group', more: peersOn(['m2']), expect: undefined },
    { name: 'bindings that have no peers', given, expect: undefined },
    { name: 'no peer is scheduled yet', given, more: peersOn([], []), expect: undefined },
    { name: 'every scheduled peer is here', given, more: peersOn(['m1', 'm2'], [], ['m1']), expect: undefined },
    { name: 'one peer is elsewhere', given, more: peersOn(['m1'], ['m2']), expect: refused },
    { name: 'a target stays', given: { ...given, ...onM1 }, more: peersOn(['m2']), expect: undefined },
    {
      name: 'another group',
      given: { workloadAffinityGroups: { affinityGroup: 'h' } },
      more: peersOn(['m2']),
      expect: undefined,
    },
  ]);
});

t.test('WorkloadAntiAffinity refuses the targets of the group', async t => {
  const refused = 'cluster already has workload with the same anti-affinity group';
  const given = { workloadAffinityGroups: { antiAffinityGroup: 'g' } };
  filters(t, workloadAntiAffinity, [
    { name: 'no group', more: peersOn(['m1']), expect: undefined },
    { name: 'bindings that have no peers', given, expect: undefined },
    { name: 'no peer is here', given, more: peersOn(['m2'], []), expect: undefined },
    { name: 'one peer is here', given, more: peersOn(['m2'], ['m3', 'm1']), expect: refused },
    { name: 'a target stays', given: { ...given, ...onM1 }, more: peersOn(['m1']), expect: undefined },
  ]);
});

t.test('the first entry of a group version counts, and a cluster may have no resources', t => {
  const m1 = cluster('m1');
  const { apiVersion, kind } = schedulingInput({}).spec.resource;
  const resources = [{ kind, name: 'x' }];
  m1.status = {
    apiEnablements: [{ groupVersion: apiVersion }, { groupVersion: apiVersion, resources }],
  };
  t.match(apiEnablement(schedulingInput({}), m1), /did not have the API resource/);
  m1.status = {};
  t.match(apiEnablement(schedulingInput({}), m1), /did not have the API resource/);
  const tainted = cluster('');
  delete tainted.metadata.name;
  delete tainted.spec.taints;
  t.equal(taintToleration(schedulingInput({}), tainted), undefined);
  t.equal(clusterLocality(schedulingInput(onM1), tainted), 0);
  t.end();
});
