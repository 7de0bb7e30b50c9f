/** Explanations of decisions. */
import t from 'tap';
import type { Binding, BindingSpec, Cluster, Placement, SpreadConstraint } from '../../../api/karmada/types.js';
import { annotations } from '../../../api/karmada/well-known.js';
import { explainDecision } from '../../../scheduler/explain/explain.js';
import type { ExplainedCluster, SchedulingExplanation } from '../../../scheduler/explain/explanation.js';
import { explanationText } from '../../../scheduler/explain/explanation-text.js';
import type { EstimateQuery, EstimateTable, ScheduleOptions } from '../../../scheduler/interface.js';
import { binding, cluster } from '../objects.js';

const rooms: Readonly<Record<string, number>> = { m1: 4, m2: 2, m3: 9, m4: 1 };
const options: ScheduleOptions = {
  enableEmptyWorkloadPropagation: false,
  estimators: [({ metadata }) => rooms[metadata.name ?? ''] ?? 0],
};

const explained = (given: Binding, clusters: readonly Cluster[]): Promise<SchedulingExplanation> =>
  explainDecision({ binding: given, clusters, peers: undefined, options });

const ofSpec = (spec: Partial<BindingSpec>, clusters: readonly Cluster[]) => explained(binding(spec), clusters);

const divided = { replicaSchedulingType: 'Divided' } as const;
const dynamic: Placement = {
  replicaScheduling: {
    ...{ ...divided, replicaDivisionPreference: 'Weighted' },
    weightPreference: { dynamicWeight: 'AvailableReplicas' },
  },
};
const aggregated: Placement = { replicaScheduling: { ...divided, replicaDivisionPreference: 'Aggregated' } };
const by = (spreadByField: 'cluster' | 'region', minGroups: number, maxGroups: number): SpreadConstraint => ({
  ...{ spreadByField, minGroups, maxGroups },
});

const found = ({ decisions }: SchedulingExplanation, name: string): ExplainedCluster | undefined =>
  decisions.at(-1)?.clusters.find(cluster => cluster.name === name);

const taints = [{ key: 'dedicated', effect: 'NoSchedule' as const }];
const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' };

t.test('each cluster has the reason for its replicas', async t => {
  const clusters = [cluster('m1'), cluster('m2', { taints }), cluster('m3'), cluster('m4'), cluster('m5', {}, deleted)];
  const placement = { ...dynamic, spreadConstraints: [by('cluster', 1, 2)] };
  const result = await ofSpec({ replicas: 10, placement }, clusters);
  t.strictSame(result.decisions, [
    {
      type: 'placed',
      clusters: [
        { name: 'm3', result: 'selected', score: 0, available: 9, replicas: 7 },
        { name: 'm1', result: 'selected', score: 0, available: 4, replicas: 3 },
        {
          ...{ name: 'm4', result: 'notSelected', score: 0, available: 1 },
          reason: 'other clusters are preferred, and at most 2 may be selected',
        },
        {
          ...{ name: 'm2', result: 'filtered', plugin: 'TaintToleration' },
          reason: 'cluster(s) had untolerated taint {dedicated:NoSchedule}',
        },
        { name: 'm5', result: 'filtered', reason: 'the cluster is being deleted' },
      ],
    },
  ]);
  t.match(result, { division: 'Weighted by available replicas', causes: ['no placement has been applied yet'] });
  t.strictSame(result.changes, [
    { cluster: 'm1', to: 3, reason: 'the cluster is selected' },
    { cluster: 'm3', to: 7, reason: 'the cluster is selected' },
  ]);
});

t.test('a selected cluster without replicas has the reason', async t => {
  const clusters = [cluster('m1'), cluster('m3')];
  const few = await ofSpec({ replicas: 5, placement: aggregated }, clusters);
  t.match(found(few, 'm1'), { replicas: 0, reason: 'the replicas fit on fewer clusters, which the policy wants' });
  const one = await ofSpec({ replicas: 1, placement: dynamic }, clusters);
  t.match(found(one, 'm1'), { replicas: 0, reason: 'its share by available replicas is none' });
  const staticWeightList = [{ targetCluster: { clusterNames: ['m3'] }, weight: 1 }];
  const preference = {
    ...divided,
    replicaDivisionPreference: 'Weighted',
    weightPreference: { staticWeightList },
  } as const;
  const weighted = await ofSpec({ replicas: 3, placement: { replicaScheduling: preference } }, clusters);
  t.match(found(weighted, 'm1'), { replicas: 0, reason: 'its weight gives it no replicas' });
});

t.test('regions have scores, and clusters of other regions the reason', async t => {
  const clusters = ['m1', 'm2', 'm3', 'm4'].map(name => cluster(name, { region: name < 'm3' ? 'east' : 'west' }));
  const spreadConstraints = [by('region', 1, 1), by('cluster', 1, 1)];
  const result = await ofSpec({ replicas: 8, placement: { ...dynamic, spreadConstraints } }, clusters);
  t.strictSame(result.decisions[0]?.regions, [
    { name: 'west', score: 8000, clusters: 2, selected: true },
    { name: 'east', score: 6000, clusters: 2, selected: false },
  ]);
  t.match(found(result, 'm4'), { reason: 'other clusters are preferred, and at most 1 may be selected' });
  t.match(found(result, 'm1'), { reason: 'other sets of regions are preferred to those with region east' });
});

t.test('all terms of clusterAffinities that were tried are explained, up to a limit', async t => {
  const terms = (names: readonly string[]) => names.map(name => ({ affinityName: name, clusterNames: [name] }));
  const result = await ofSpec({ placement: { clusterAffinities: terms(['m8', 'm1', 'm2']) } }, [cluster('m1')]);
  t.strictSame(
    result.decisions.map(({ affinityName, type, message }) => [affinityName, type, message]),
    [
      [
        ...['m8', 'FitError'],
        '0/1 clusters are available: 1 cluster(s) did not match the placement cluster affinity constraint.',
      ],
      ['m1', 'placed', undefined],
    ],
  );
  const names = Array.from({ length: 60 }, (_, i) => `none${i}`);
  const limited = await ofSpec({ placement: { clusterAffinities: terms(names) } }, [cluster('m1')]);
  t.equal(limited.decisions.length + (limited.omittedDecisions ?? 0), 60);
  t.equal(limited.omittedDecisions, 10);
});

t.test('members that are asked count', async t => {
  const clusters = [cluster('m1'), cluster('m2', { taints }), cluster('m3'), cluster('m4')];
  const asked: (string | undefined)[][] = [];
  const answer = (query: EstimateQuery): Promise<EstimateTable> => {
    asked.push(query.clusters.map(({ metadata }) => metadata.name));
    return Promise.resolve(
      new Map([
        ['m3', 2],
        ['m1', 40],
      ]),
    );
  };
  const given = binding({ replicas: 6, placement: dynamic });
  const result = await explainDecision({ binding: given, clusters, peers: undefined, options, answer });
  t.strictSame(asked, [['m1', 'm3', 'm4']], 'those that passed the filters');
  t.strictSame(result.estimates, { asked: 3, answered: 2 });
  t.strictSame(
    ['m1', 'm3', 'm4'].map(name => found(result, name)?.available),
    [4, 2, 1],
    'the least estimate of each',
  );
  t.match(explanationText(result), /^Estimates: +2 of 3 members have answered$/m);
  const config = await explainDecision({ binding: binding({}), clusters, peers: undefined, options, answer });
  t.equal(config.estimates, undefined, 'what takes no resources asks nobody');
  t.notMatch(explanationText(config), /Estimates/);
  t.equal((await explained(given, clusters)).estimates, undefined);
});

t.test('an explanation has a limited number of clusters', async t => {
  const clusters = Array.from({ length: 10_005 }, (_, i) => cluster(`c${i}`, i < 5 ? { taints } : {}));
  const { decisions } = await ofSpec({ placement: {} }, clusters);
  t.equal(decisions[0]?.clusters.length, 10_000);
  t.equal(decisions[0]?.omittedClusters, 5);
});

t.test('changes say why clusters lose their replicas', async t => {
  const placement = { ...dynamic, clusterAffinity: { clusterNames: ['m3'] } };
  const targets = [
    { name: 'gone', replicas: 1 },
    { name: 'm1', replicas: 3 },
  ];
  const result = await ofSpec({ replicas: 4, placement, clusters: targets }, [cluster('m1'), cluster('m3')]);
  t.strictSame(result.changes, [
    { cluster: 'gone', from: 1, reason: 'there is no such cluster' },
    {
      ...{ cluster: 'm1', from: 3 },
      reason: 'ClusterAffinity: cluster(s) did not match the placement cluster affinity constraint',
    },
    { cluster: 'm3', to: 4, reason: 'the cluster is selected' },
  ]);
});

t.test('causes are what has changed since the last decision', async t => {
  const applied = (placement: Placement, spec: Partial<BindingSpec>): Binding =>
    binding(spec, {}, { annotations: { [annotations.appliedPlacement]: JSON.stringify(placement) } });
  const rows: readonly (readonly [string, Binding, readonly string[]])[] = [
    ['nothing', applied(dynamic, { replicas: 3, placement: dynamic, clusters: [{ name: 'm3', replicas: 3 }] }), []],
    [
      ...(['a part of the placement', applied(aggregated, { replicas: 3, placement: dynamic })] as const),
      ['the placement has changed since it was applied: replicaScheduling'],
    ],
    [
      'replicas',
      applied(dynamic, { replicas: 5, placement: dynamic, clusters: [{ name: 'm3', replicas: 3 }] }),
      ['the clusters have 3 replicas, and 5 are wanted'],
    ],
    [
      'a cluster that is being deleted',
      applied(dynamic, { replicas: 3, placement: dynamic, clusters: [{ name: 'm5', replicas: 3 }] }),
      ['a target cluster is being deleted'],
    ],
    ['no workload', applied({}, { placement: {} }), ['the resource has no replicas, which is decided at each change']],
  ];
  for (const [name, given, causes] of rows)
    t.strictSame((await explained(given, [cluster('m3'), cluster('m5', {}, deleted)])).causes, causes, name);
});

t.test('an explanation for people', async t => {
  const clusters = [cluster('m1'), cluster('m2', { taints }), cluster('m3')];
  const targets = [{ name: 'm1', replicas: 3 }];
  const result = await ofSpec({ replicas: 5, placement: dynamic, clusters: targets }, clusters);
  t.equal(
    explanationText(result),
    `Resource:   apps/v1 Deployment n/web
Binding:    ResourceBinding n/web-deployment; not scheduled yet
Replicas:   5, Weighted by available replicas
Clusters:   m1: 3
Decides:    no placement has been applied yet
Would be:   m1: 4, m3: 1

Decision: placed
CLUSTER   RESULT     REPLICAS   AVAILABLE   SCORE   REASON
m1        selected   4          7           100
m3        selected   1          9           0
m2        filtered                                  TaintToleration: cluster(s) had untolerated taint {dedicated:NoSchedule}

Changes:
CLUSTER   FROM   TO   REASON
m1        3      4    the division of the replicas has changed
m3        -      1    the cluster is selected
`,
  );
});

t.test('what cannot be placed names what it waits for', async t => {
  const tainted = cluster('m1', { taints });
  const unserved: Cluster = { ...cluster('m2'), status: {} };
  const without = await ofSpec({ replicas: 1, placement: {} }, [tainted, unserved]);
  t.same(without.waitsFor, ['a cluster that begins to serve the kind', 'taints of clusters', 'a change of its policy']);
  t.match(explanationText(without), /^Waits for: +a cluster that begins to serve the kind; taints of clusters; /m);
  const short = await ofSpec({ replicas: 100, placement: aggregated }, [cluster('m1')]);
  t.same(short.waitsFor, ['room in clusters', 'a change of its policy']);
  t.same((await ofSpec({ placement: {} }, [])).waitsFor, ['a cluster that joins', 'a change of its policy']);
  const placed = await ofSpec({ replicas: 1, placement: aggregated }, [cluster('m1')]);
  t.equal(placed.waitsFor, undefined);
  t.notMatch(explanationText(placed), /Waits for/);
});

t.test('fifty thousand targets that change are explained in linear time', async t => {
  const clusters = Array.from({ length: 10_000 }, (_, i) => cluster(`m${i}`));
  const gone = Array.from({ length: 50_000 }, (_, i) => ({ name: `gone${i}`, replicas: 1 }));
  const { changes } = await ofSpec({ replicas: 10_000, placement: {}, clusters: gone }, clusters);
  t.equal(changes.length, 60_000);
  t.equal(changes.find(({ cluster }) => cluster === 'gone1')?.reason, 'there is no such cluster');
});
