import t from 'tap';
import type { Pod } from '../../openapi/gen/core-v1.js';
import type { PodDisruptionBudget } from '../../openapi/gen/policy-v1.js';
import { budgetStateOf } from '../../simulator/workloads/disruption.js';

const now = Date.parse('2026-01-01T00:10:00Z');
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

const pod = (name: string, { ready = true, owner = 'set', going = false } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    ...{ name, namespace: 'default', ...(going ? { deletionTimestamp: ago(1) } : {}) },
    ...(owner
      ? {
          ownerReferences: [
            { ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner }, uid: owner, controller: true },
          ],
        }
      : {}),
  },
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});

const four = ['a', 'b', 'c', 'd'].map(name => pod(name));

const budget = (spec: object, status: object = {}): PodDisruptionBudget => ({
  ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  metadata: { name: 'b', generation: 3 },
  spec,
  status,
});

t.test('the disruptions that a budget allows', t => {
  const rows = [
    { name: 'a number', spec: { minAvailable: 3 }, pods: four, expect: [4, 3, 4, 1] },
    { name: 'no Pods', spec: { minAvailable: 0 }, pods: [], expect: [0, 0, 0, 0] },
    { name: 'too few Pods', spec: { minAvailable: 9 }, pods: four, expect: [4, 9, 4, 0] },
    { name: 'a percentage, rounded up', spec: { minAvailable: '30%' }, pods: four, expect: [4, 2, 5, 2] },
    {
      name: 'maxUnavailable counts from the expected Pods',
      spec: { maxUnavailable: 2 },
      pods: four,
      expect: [4, 3, 5, 1],
    },
    {
      name: 'a percentage of maxUnavailable, rounded up',
      spec: { maxUnavailable: '10%' },
      pods: four,
      expect: [4, 4, 5, 0],
    },
    { name: 'maxUnavailable above the number of Pods', spec: { maxUnavailable: 9 }, pods: four, expect: [4, 0, 5, 4] },
    {
      name: 'Pods that are not ready or terminating',
      spec: { minAvailable: 1 },
      pods: [...four, pod('e', { ready: false }), pod('f', { going: true })],
      expect: [4, 1, 6, 3],
    },
  ];
  for (const { name, spec, pods, expect } of rows) {
    const { status } = budgetStateOf(budget(spec), pods, () => ({ uid: 'set', replicas: 5 }), now);
    t.strictSame(
      [status.currentHealthy, status.desiredHealthy, status.expectedPods, status.disruptionsAllowed],
      expect,
      name,
    );
    t.equal(status.observedGeneration, 3);
    const allowed = expect[3] !== 0;
    t.match(status.conditions, [
      {
        type: 'DisruptionAllowed',
        status: allowed ? 'True' : 'False',
        reason: allowed ? 'SufficientPods' : 'InsufficientPods',
      },
    ]);
  }
  t.end();
});

t.test('granted evictions count for two minutes, or until the Pod is gone', t => {
  const disruptedPods = { a: ago(20), b: ago(121), gone: ago(5), f: ago(5) };
  const pods = [...four, pod('f', { going: true })];
  const { status, againAfter } = budgetStateOf(
    budget({ minAvailable: 1 }, { disruptedPods }),
    pods,
    () => ({ uid: '', replicas: 0 }),
    now,
  );
  t.match(status, { currentHealthy: 3, disruptionsAllowed: 2 });
  t.strictSame(status.disruptedPods, { a: disruptedPods.a });
  t.equal(againAfter, 100_001);
  t.end();
});

t.test('Pods without a controller count as healthy, not as expected', t => {
  const pods = [pod('a', { owner: '' }), pod('b')];
  const { status } = budgetStateOf(budget({ maxUnavailable: 1 }), pods, () => ({ uid: 'set', replicas: 1 }), now);
  t.match(status, { currentHealthy: 2, desiredHealthy: 0, expectedPods: 1 });
  t.end();
});
