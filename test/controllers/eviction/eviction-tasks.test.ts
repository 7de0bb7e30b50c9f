import t from 'tap';
import { assessTasks } from '../../../controllers/eviction/eviction-tasks.js';
import type { Binding, BindingSpec, BindingStatus, GracefulEvictionTask } from '../../../api/karmada/types.js';

const now = Date.parse('2026-01-01T00:10:00Z');
const timeout = 300_000;
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString().replace('.000', '');

const task = (change: Partial<GracefulEvictionTask> = {}): GracefulEvictionTask => ({
  fromCluster: 'old',
  reason: 'r',
  producer: 'p',
  creationTimestamp: ago(100),
  ...change,
});

const healthy = {
  schedulerObservedGeneration: 2,
  aggregatedStatus: [{ clusterName: 'new', health: 'Healthy' as const }],
};

const binding = (
  tasks: GracefulEvictionTask[],
  status: BindingStatus = {},
  clusters: BindingSpec['clusters'] = [{ name: 'new' }],
): Binding => ({
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ResourceBinding',
  metadata: { namespace: 'n', name: 'b', generation: 2 },
  spec: { resource: { apiVersion: 'v1', kind: 'X', name: 'x' }, clusters, gracefulEvictionTasks: tasks },
  status,
});

t.test('eviction tasks end by health, timeout or user', async t => {
  const waits = { evicted: [], expiresInMs: 200_000 };
  const goes = { evicted: ['old'], expiresInMs: undefined };
  const cases: { name: string; given: Binding; expect: object }[] = [
    { name: 'not scheduled yet', given: binding([task()]), expect: waits },
    { name: 'the replacement is healthy', given: binding([task()], healthy), expect: goes },
    {
      name: 'the binding is not scheduled yet',
      given: binding([task()], { ...healthy, schedulerObservedGeneration: 1 }),
      expect: waits,
    },
    {
      name: 'one of two clusters is healthy',
      given: binding([task()], healthy, [{ name: 'new' }, { name: 'newer' }]),
      expect: waits,
    },
    {
      name: 'no cluster is healthy',
      given: binding([task()], { ...healthy, aggregatedStatus: [{ clusterName: 'new', health: 'Unhealthy' }] }),
      expect: waits,
    },
    { name: 'the timeout has expired', given: binding([task({ creationTimestamp: ago(301) })]), expect: goes },
    {
      name: 'a task with its own grace period',
      given: binding([task({ gracePeriodSeconds: 400 })]),
      expect: { evicted: [], expiresInMs: 300_000 },
    },
    {
      name: 'the user decides',
      given: binding([task({ suppressDeletion: true, creationTimestamp: ago(9999) })], healthy),
      expect: { evicted: [], expiresInMs: undefined },
    },
    { name: 'the user has decided', given: binding([task({ suppressDeletion: false })]), expect: goes },
    {
      name: 'the next timeout is the first one',
      given: binding([task(), task({ gracePeriodSeconds: 101 }), task({ suppressDeletion: true })]),
      expect: { evicted: [], expiresInMs: 1000 },
    },
  ];
  for (const { name, given, expect } of cases) t.match(assessTasks(given, now, timeout), expect, name);
});

t.test('a new task gets its creation time, even if all clusters are healthy', async t => {
  const { creationTimestamp: _, ...fresh } = task();
  const { kept, evicted } = assessTasks(binding([fresh], healthy), now, timeout);
  t.same(kept, [{ ...fresh, creationTimestamp: ago(0) }]);
  t.same(evicted, []);
});
