import t from 'tap';
import {
  recreateStep,
  rollingStep,
  type RollingUpdate,
  type ReplicaSetState,
} from '../../simulator/workloads/rollout.js';

const version = (name: string, replicas: number, available = replicas): ReplicaSetState => ({
  name,
  replicas,
  available,
});

const table: {
  name: string;
  given: [desired: number, latest: ReplicaSetState, older: ReplicaSetState[], update?: RollingUpdate];
  expect: Record<string, number>;
}[] = [
  { name: 'a first version is scaled up at once', given: [3, version('new', 0), []], expect: { new: 3 } },
  { name: 'a complete version stays', given: [3, version('new', 3), []], expect: {} },
  { name: 'fewer replicas', given: [2, version('new', 5), []], expect: { new: 2 } },
  {
    name: 'an update surges by 25 %, rounded up, and removes 25 %, rounded down',
    given: [4, version('new', 0), [version('old', 4)]],
    expect: { new: 1, old: 3 },
  },
  {
    name: 'old replicas are removed as new ones become available',
    given: [4, version('new', 2), [version('old', 3)]],
    expect: { old: 1 },
  },
  {
    name: 'unavailable new replicas keep the old ones',
    given: [4, version('new', 2, 0), [version('old', 3)]],
    expect: {},
  },
  {
    name: 'unavailable old replicas are removed first',
    given: [4, version('new', 1, 1), [version('older', 2, 0), version('old', 2)]],
    expect: { older: 0 },
  },
  {
    name: 'without surge an old replica is removed before a new one is created',
    given: [2, version('new', 0), [version('old', 2)], { maxSurge: 0, maxUnavailable: 1 }],
    expect: { old: 1 },
  },
  {
    name: 'with maxUnavailable 0 a new replica is created before an old one is removed',
    given: [2, version('new', 0), [version('old', 2)], { maxSurge: '50%', maxUnavailable: 0 }],
    expect: { new: 1 },
  },
  {
    name: 'maxSurge and maxUnavailable of 0 count as maxUnavailable 1',
    given: [2, version('new', 0), [version('old', 2)], { maxSurge: 0, maxUnavailable: 0 }],
    expect: { old: 1 },
  },
];

for (const { name, given, expect } of table)
  t.test(name, t => {
    t.strictSame(Object.fromEntries(rollingStep(...given)), expect);
    t.end();
  });

t.test('every rolling update ends, and stays within its bounds', t => {
  for (const [desired, maxSurge, maxUnavailable] of [
    [1, '25%', '25%'],
    [10, 3, 0],
    [7, 0, 2],
    [5, '100%', '100%'],
  ] as const) {
    let latest = version('new', 0);
    let old = version('old', desired);
    let steps = 0;
    while (latest.replicas !== desired || old.replicas !== 0) {
      const next = rollingStep(desired, latest, [old], { maxSurge, maxUnavailable });
      if (next.size === 0) return t.fail(`stuck at ${latest.replicas} new, ${old.replicas} old`);
      // New replicas are available in the next step.
      latest = version('new', next.get('new') ?? latest.replicas);
      old = version('old', next.get('old') ?? old.replicas);
      if (++steps > 50) return t.fail('no end');
    }
    t.ok(steps > 0, `${desired} replicas in ${steps} steps`);
  }
  t.end();
});

t.test('recreate removes all old replicas before it creates new ones', t => {
  t.strictSame(Object.fromEntries(recreateStep(3, version('new', 0), [version('old', 3)], 3)), { old: 0 });
  t.strictSame(
    Object.fromEntries(recreateStep(3, version('new', 0), [version('old', 0)], 2)),
    {},
    'old Pods still exist',
  );
  t.strictSame(Object.fromEntries(recreateStep(3, version('new', 0), [version('old', 0)], 0)), { new: 3 });
  t.end();
});
