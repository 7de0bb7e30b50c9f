/** Division of replicas among the selected clusters. */
import t from 'tap';
import type {
  BindingSpec,
  BindingStatus,
  Placement,
  ReplicaScheduling,
  TargetCluster,
} from '../../../api/karmada/types.js';
import { atOnce } from '../../../lib/time-slice.js';
import type { Candidate, SchedulingInput } from '../../../scheduler/interface.js';
import { assignReplicas, isRescheduleRequired } from '../../../scheduler/place/assign.js';
import { candidate, schedulingInput } from '../objects.js';

/** Returns the targets as `name:replicas`, sorted by name; the type and message of a refusal. */
function assigned(given: SchedulingInput, selected: readonly Candidate[]): readonly string[] | string {
  const result = atOnce(assignReplicas(given, selected));
  if (result.type !== 'assigned') return `${result.type}: ${result.message}`;
  return result.clusters.map(({ name, replicas }) => (replicas === undefined ? name : `${name}:${replicas}`)).sort();
}

const divided = (
  preference?: 'Aggregated' | 'Weighted',
  weightPreference?: ReplicaScheduling['weightPreference'],
): Placement => ({
  replicaScheduling: {
    replicaSchedulingType: 'Divided',
    ...(preference && { replicaDivisionPreference: preference }),
    ...(weightPreference && { weightPreference }),
  },
});
const dynamic = divided('Weighted', { dynamicWeight: 'AvailableReplicas' });
const aggregated = divided('Aggregated');
const weights = (byName: Readonly<Record<string, number | bigint>>): Placement =>
  divided('Weighted', {
    staticWeightList: Object.entries(byName).map(([name, weight]) => ({
      targetCluster: { clusterNames: [name] },
      weight,
    })),
  });
const on = (byName: Readonly<Record<string, number>>): TargetCluster[] =>
  Object.entries(byName).map(([name, replicas]) => ({ name, replicas }));

const pair = [candidate('a', 10), candidate('b', 5)];

t.test('resources that cannot be divided go whole to every cluster', async t => {
  const components = [
    { name: 'x', replicas: 1 },
    { name: 'y', replicas: 1 },
  ];
  t.strictSame(assigned(schedulingInput(), pair), ['a', 'b'], 'no replicas');
  t.strictSame(assigned(schedulingInput({ replicas: 3, components }), pair), ['a', 'b'], 'two components');
  t.strictSame(
    assigned(schedulingInput({ replicas: 3, components: components.slice(1) }), pair),
    ['a:3', 'b:3'],
    'one component is divisible',
  );
  t.strictSame(
    assigned(schedulingInput({ replicaRequirements: {}, replicas: 0 }), pair),
    [],
    'a workload scaled to zero has no targets',
  );
  t.equal(assigned(schedulingInput({ replicas: 3 }), []), 'Error: no clusters available to schedule');
});

t.test('targets of a set of components record the replicas of each', async t => {
  const components = [
    { name: 'x', replicas: 1, replicaRequirements: { resourceRequest: { cpu: '1' } } },
    { name: 'y', replicas: 0 },
  ];
  const clusters = (given: BindingSpec['components'], recordsComponents: boolean) =>
    atOnce(assignReplicas(schedulingInput({ components: given ?? [] }), pair.slice(0, 1), { recordsComponents }));
  const recorded = [
    { name: 'x', replicas: 1 },
    { name: 'y', replicas: 0 },
  ];
  t.match(clusters(components, true), { clusters: [{ name: 'a', components: recorded }] });
  t.strictSame(clusters(components, false), { type: 'assigned', clusters: [{ name: 'a' }] }, 'without the gate');
  t.strictSame(clusters(components.slice(1), true), { type: 'assigned', clusters: [{ name: 'a' }] }, 'one component');
});

t.test('duplicated replicas are the same everywhere, whatever the room', async t => {
  t.strictSame(assigned(schedulingInput({ replicas: 50 }), pair), ['a:50', 'b:50'], 'no strategy');
  const placement = { replicaScheduling: { replicaSchedulingType: 'Duplicated' } } as const;
  t.strictSame(assigned(schedulingInput({ replicas: 50, placement }), pair), ['a:50', 'b:50']);
});

t.test('a division without a preference is refused', async t => {
  t.equal(
    assigned(schedulingInput({ replicas: 3, placement: divided() }), pair),
    'Error: unsupported replica scheduling strategy, replicaSchedulingType: Divided, replicaDivisionPreference: , please try another scheduling strategy',
  );
});

t.test('static weights divide in proportion, whatever the room', async t => {
  const rows: readonly { name: string; placement: Placement; expect: readonly string[] }[] = [
    { name: 'in proportion', placement: weights({ a: 1, b: 2 }), expect: ['a:4', 'b:8'] },
    { name: 'no preference: equal weights', placement: divided('Weighted'), expect: ['a:6', 'b:6'] },
    { name: 'a cluster without weight is left out', placement: weights({ b: 2 }), expect: ['b:12'] },
    { name: 'no rule matches: equal weights', placement: weights({ c: 2 }), expect: ['a:6', 'b:6'] },
    { name: 'an empty list: equal weights', placement: weights({}), expect: ['a:6', 'b:6'] },
    {
      name: 'a weight of 64 bits',
      placement: weights({ a: 9_007_199_254_740_993n, b: 9_007_199_254_740_993n }),
      expect: ['a:6', 'b:6'],
    },
    {
      name: 'the largest weight of the rules that match',
      placement: divided('Weighted', {
        staticWeightList: [
          { targetCluster: {}, weight: 1 },
          { targetCluster: { clusterNames: ['b'] }, weight: 3 },
        ],
      }),
      expect: ['a:3', 'b:9'],
    },
  ];
  for (const { name, placement, expect } of rows)
    t.strictSame(assigned(schedulingInput({ replicas: 12, ...(placement && { placement }) }), pair), expect, name);
});

t.test('dynamic division moves as few replicas as possible', async t => {
  const full = [candidate('a', 0), candidate('b', 0)];
  const rows: readonly {
    readonly name: string;
    readonly placement: Placement;
    readonly replicas: number;
    readonly clusters?: TargetCluster[];
    readonly selected?: readonly Candidate[];
    readonly expect: readonly string[] | string;
  }[] = [
    { name: 'by room', placement: dynamic, replicas: 6, expect: ['a:4', 'b:2'] },
    {
      name: 'more replicas: only the new ones are divided',
      placement: dynamic,
      replicas: 9,
      clusters: on({ b: 6 }),
      expect: ['a:2', 'b:7'],
    },
    {
      name: 'fewer replicas: divided as they are now',
      placement: dynamic,
      replicas: 3,
      clusters: on({ a: 2, b: 4 }),
      expect: ['a:1', 'b:2'],
    },
    {
      name: 'as many replicas: nothing moves',
      placement: dynamic,
      replicas: 6,
      clusters: on({ a: 1, b: 5 }),
      selected: full,
      expect: ['a:1', 'b:5'],
    },
    {
      name: 'targets that are not selected any more are placed again',
      placement: dynamic,
      replicas: 6,
      clusters: on({ c: 6 }),
      expect: ['a:4', 'b:2'],
    },
    {
      name: 'a target without replicas',
      placement: dynamic,
      replicas: 3,
      clusters: [{ name: 'a' }],
      expect: ['a:2', 'b:1'],
    },
    {
      name: 'too little room',
      placement: dynamic,
      replicas: 16,
      expect: 'UnschedulableError: failed to scale up: Clusters available replicas 15 are not enough to schedule.',
    },
    { name: 'aggregated: the fewest clusters', placement: aggregated, replicas: 6, expect: ['a:6'] },
    {
      name: 'aggregated: a second one where the first is not sufficient',
      placement: aggregated,
      replicas: 12,
      expect: ['a:8', 'b:4'],
    },
    {
      name: 'aggregated: those that have replicas come first',
      placement: aggregated,
      replicas: 4,
      clusters: on({ b: 1 }),
      expect: ['b:4'],
    },
    {
      name: 'aggregated: fewer replicas leave the smaller clusters',
      placement: aggregated,
      replicas: 3,
      clusters: on({ a: 4, b: 1 }),
      expect: ['a:3'],
    },
  ];
  for (const { name, placement, replicas, clusters, selected = pair, expect } of rows) {
    const given = schedulingInput({ replicas, ...(clusters && { clusters }), ...(placement && { placement }) });
    t.strictSame(assigned(given, selected), expect, name);
  }
});

const requested = { rescheduleTriggeredAt: '2026-01-02T00:00:00Z' };
const scheduled = (lastScheduledTime: string): BindingStatus => ({ lastScheduledTime });

t.test('a requested reschedule divides all replicas again', async t => {
  const given = { ...requested, replicas: 6, clusters: on({ b: 6 }), placement: dynamic };
  const before = { status: scheduled('2026-01-01T00:00:00Z') };
  t.strictSame(
    assigned(schedulingInput(given, before), [candidate('a', 10), candidate('b', 4)]),
    ['a:3', 'b:3'],
    'room is what is free and what it has',
  );
  const after = { status: scheduled('2026-01-03T00:00:00Z') };
  t.strictSame(assigned(schedulingInput(given, after), pair), ['b:6'], 'only once');
  t.equal(
    assigned(schedulingInput({ ...given, replicas: 90 }, before), pair),
    'UnschedulableError: failed to do fresh scale: Clusters available replicas 21 are not enough to schedule.',
  );
});

t.test('a reschedule is due if it was requested since the last one', async t => {
  const rows: readonly { name: string; spec: Partial<BindingSpec>; status: BindingStatus; expect: boolean }[] = [
    { name: 'later', spec: requested, status: scheduled('2026-01-01T23:59:59Z'), expect: true },
    { name: 'at the same time', spec: requested, status: scheduled('2026-01-02T00:00:00Z'), expect: false },
    { name: 'before', spec: requested, status: scheduled('2026-01-02T00:00:01Z'), expect: false },
    { name: 'never scheduled', spec: requested, status: {}, expect: false },
    { name: 'never requested', spec: {}, status: scheduled('2026-01-01T00:00:00Z'), expect: false },
  ];
  for (const { name, spec, status, expect } of rows)
    t.equal(isRescheduleRequired(schedulingInput(spec).spec, status), expect, name);
});

t.test('overflow tiers take what the tiers before them cannot', async t => {
  const term = { affinityName: 'main', overflowAffinities: [{ affinityName: 'spare' }] };
  const tiers = [
    candidate('a', 2),
    candidate('b', 2),
    candidate('c', 3, { overflowOrder: 1 }),
    candidate('d', 9, { overflowOrder: 2 }),
  ];
  const placed = (replicas: number, more: Partial<BindingSpec> = {}) =>
    assigned(schedulingInput({ replicas, placement: dynamic, ...more }, { term }), tiers);
  t.strictSame(placed(4), ['a:2', 'b:2'], 'the first tier is sufficient');
  t.strictSame(placed(6), ['a:2', 'b:2', 'c:2'], 'the second one takes the rest');
  t.strictSame(placed(9), ['a:2', 'b:2', 'c:3', 'd:2'], 'and the third one what is left');
  t.equal(placed(17), 'UnschedulableError: Clusters available replicas are not enough to schedule.');
  t.equal(
    placed(6, { placement: divided() }),
    'Error: unsupported replica scheduling strategy, replicaSchedulingType: Divided, replicaDivisionPreference: , please try another scheduling strategy',
    'a refusal of a tier is that of the whole',
  );
});
