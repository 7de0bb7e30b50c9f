/** Placements that are as large as an object may be, and as many clusters and replicas as there may be. */
import t from 'tap';
import type { Binding, BindingSpec, Cluster } from '../../api/karmada/types.js';
import { eventBurst } from '../../client/runtime/events/event-budget.js';
import { atOnce, inTimeSlices } from '../../lib/time-slice.js';
import type { Candidate } from '../../scheduler/interface.js';
import { attempt } from '../../scheduler/loop/attempt.js';
import { chooseRegions, type Region } from '../../scheduler/place/regions.js';
import { withoutMembers } from '../../scheduler/place/without-members.js';
import { longestStall } from '../lib/longest-stall.js';

const range = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const resource = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', namespace: 'n', uid: 'u' };
const cluster = (name: string): Cluster => ({
  ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name } },
  spec: { syncMode: 'Push', taints: [{ key: 'k', effect: 'NoSchedule' }] },
  status: { apiEnablements: [{ groupVersion: 'apps/v1', resources: [{ kind: 'Deployment', name: 'deployments' }] }] },
});
const binding = (placement: BindingSpec['placement'], replicas = 3): Binding => ({
  ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding', metadata: { name: 'b', namespace: 'n' } },
  spec: {
    ...{ resource, replicas },
    placement: { clusterTolerations: [{ operator: 'Exists' }], ...placement },
  },
});
const options = { enableEmptyWorkloadPropagation: false, estimators: [] };
const clusters = range(100, i => cluster(`m${i}`));

t.test('terms are tried in their order, and failures are told as far as Events are written', t => {
  const terms = range(40, i => ({ affinityName: `a${i}`, clusterNames: [i === 30 ? 'm7' : 'none'] }));
  const { decision, affinityName, failures } = atOnce(
    withoutMembers(attempt(binding({ clusterAffinities: terms }), clusters, undefined, options)),
  );
  t.strictSame(decision, { type: 'placed', clusters: [{ name: 'm7', replicas: 3 }] });
  t.equal(affinityName, 'a30');
  t.equal(failures.length, eventBurst);
  t.equal(
    failures[1],
    'failed to schedule ResourceBinding(n/b) with clusterAffiliates index(1): ' +
      '0/100 clusters are available: 100 cluster(s) did not match the placement cluster affinity constraint.',
  );
  t.end();
});

t.test('large placements do not hold the event loop', async t => {
  const divided = { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' } as const;
  const rows: Readonly<Record<string, Binding>> = {
    'many terms': binding({
      clusterAffinities: range(5000, i => ({ affinityName: `a${i}`, clusterNames: [`none${i}`] })),
    }),
    'many tolerations': binding({ clusterTolerations: range(12_000, i => ({ key: `k${i}`, operator: 'Exists' })) }),
    'many names': binding({ clusterAffinity: { clusterNames: range(50_000, i => `none${i}`) } }),
    'many weights': binding({
      replicaScheduling: {
        ...divided,
        weightPreference: {
          staticWeightList: range(12_000, i => ({ targetCluster: { clusterNames: [`m${i}`] }, weight: 1 })),
        },
      },
    }),
    'many replicas': binding({ replicaScheduling: { ...divided } }, 2_147_483_647),
  };
  for (const [name, given] of Object.entries(rows)) {
    const run = async (): Promise<void> =>
      void (await inTimeSlices(withoutMembers(attempt(given, clusters, undefined, options))));
    const stall = await longestStall(100, run);
    t.ok(stall < 100, `${name}: ${stall.toFixed(0)} ms`);
  }
});

const candidate = {} as Candidate;
const region = (name: string, score: number, size: number): Region => ({
  ...{ name, score, room: size },
  clusters: range(size, () => candidate),
});

t.test('thirty regions are chosen from in a bounded time', async t => {
  const regions = range(30, i => region(`r${String(i).padStart(2, '0')}`, (i * 7) % 30, 1 + (i % 3)));
  let chosen: readonly Region[] | undefined;
  const stall = await longestStall(100, async () => {
    chosen = await Promise.resolve(
      chooseRegions(regions, { minRegions: 15, maxRegions: 15, minClusters: 20, minRoom: 0 }),
    );
  });
  t.ok(stall < 100, `${stall.toFixed(0)} ms`);
  t.strictSame(
    chosen?.map(({ score }) => score),
    range(15, i => 29 - i),
    'the highest scores',
  );
  const sizes = range(40, i => region(`r${i}`, 40 - i, i < 38 ? 1 : 50));
  t.strictSame(
    chooseRegions(sizes, { minRegions: 20, maxRegions: 20, minClusters: 100, minRoom: 0 })
      ?.map(({ name }) => name)
      .filter(name => ['r38', 'r39'].includes(name)),
    ['r38', 'r39'],
    'enough clusters, when those with the highest scores have too few',
  );
});

t.test('a choice of half of a thousand groups looks at each group a few times', t => {
  let reads = 0;
  const groups = range(1000, i => ({
    name: `g${i}`,
    clusters: [candidate],
    room: 1,
    get score() {
      reads++;
      return (i * 7) % 1000;
    },
  }));
  const chosen = chooseRegions(groups, { minRegions: 500, maxRegions: Infinity, minClusters: 0, minRoom: 0 });
  t.equal(chosen?.length, 500);
  // Twice for each of five thousand sets, and for each comparison of two groups.
  t.ok(reads < 100_000, `${reads} reads`);
  t.end();
});
