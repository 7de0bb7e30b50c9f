import t from 'tap';
import { appliedTolerations, returnedAt, leftToleratedMs } from '../../../controllers/failover/tolerations.js';
import type { Binding, Taint, Toleration } from '../../../api/karmada/types.js';
import { annotations } from '../../../api/karmada/well-known.js';

const now = Date.parse('2030-01-01T00:01:00Z');
const taint = (key: string, timeAdded?: string): Taint => ({
  key,
  effect: 'NoExecute',
  ...(timeAdded && { timeAdded }),
});
const exists = (key: string, tolerationSeconds?: number): Toleration => ({
  ...{ key, operator: 'Exists' as const },
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});
const minuteAgo = '2030-01-01T00:00:00Z';

t.test('the first time limit counts, from the time when the taint was added', async t => {
  const cases: { name: string; taints: Taint[]; tolerations: Toleration[]; expect: number }[] = [
    { name: 'not tolerated', taints: [taint('a')], tolerations: [exists('b')], expect: 0 },
    { name: 'one of two', taints: [taint('a'), taint('b')], tolerations: [exists('a')], expect: 0 },
    { name: 'for ever', taints: [taint('a', minuteAgo)], tolerations: [exists('a')], expect: Infinity },
    { name: 'for a while', taints: [taint('a', minuteAgo)], tolerations: [exists('a', 90)], expect: 30_000 },
    { name: 'until now', taints: [taint('a', minuteAgo)], tolerations: [exists('a', 60)], expect: 0 },
    { name: 'too long', taints: [taint('a', minuteAgo)], tolerations: [exists('a', 5)], expect: 0 },
    {
      name: 'the shorter limit',
      taints: [taint('a', minuteAgo), taint('b', '2030-01-01T00:00:50Z')],
      tolerations: [exists('a', 90), exists('b', 20)],
      expect: 10_000,
    },
    {
      name: 'a toleration that fits both counts for both',
      taints: [taint('a', minuteAgo), taint('b', '2030-01-01T00:00:50Z')],
      tolerations: [{ operator: 'Exists', tolerationSeconds: 90 }],
      expect: 30_000,
    },
    {
      name: 'the first fitting toleration counts',
      taints: [taint('a', minuteAgo)],
      tolerations: [exists('a'), exists('a', 5)],
      expect: Infinity,
    },
    { name: 'nothing is known about the time', taints: [taint('a')], tolerations: [exists('a', 5)], expect: Infinity },
  ];
  for (const { name, taints, tolerations, expect } of cases)
    t.equal(leftToleratedMs(taints, tolerations, now), expect, name);
});

t.test('a taint from before a cluster has returned may be outdated', async t => {
  const returned = (taints: Taint[], lastTransitionTime?: string): number => {
    const ready = { type: 'Ready', status: 'True', reason: '', message: '' } as const;
    const status = { conditions: lastTransitionTime === undefined ? [] : [{ ...ready, lastTransitionTime }] };
    const metadata = { name: 'c' };
    return returnedAt({ apiVersion: '', kind: 'Cluster', metadata, spec: { syncMode: 'Push', taints }, status }, now);
  };
  const time = '2030-01-01T00:00:30Z';
  t.equal(returned([taint('a', minuteAgo)], time), Date.parse(time));
  t.equal(returned([taint('a', minuteAgo)], '2030-01-02T00:00:00Z'), now, 'the clock of an agent is ahead');
  t.equal(returned([taint('a', '2030-01-01T00:00:40Z'), taint('b', time), taint('c')], time), -Infinity);
  t.equal(returned([taint('a', minuteAgo)]), -Infinity);
  t.equal(returned([{ ...taint('a', minuteAgo), effect: 'NoSchedule' }], time), -Infinity);
});

t.test('the tolerations are those of the applied placement', async t => {
  const binding = (applied?: string): Binding => ({
    ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
    metadata: { name: 'b', ...(applied !== undefined && { annotations: { [annotations.appliedPlacement]: applied } }) },
    spec: {
      resource: { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' },
      placement: { clusterTolerations: [exists('newer')] },
    },
  });
  t.strictSame(appliedTolerations(binding('{"clusterTolerations":[{"key":"a","operator":"Exists"}]}')), [exists('a')]);
  t.strictSame(appliedTolerations(binding('{}')), []);
  t.strictSame(appliedTolerations(binding('null')), []);
  t.equal(appliedTolerations(binding('{')), undefined);
  t.equal(appliedTolerations(binding()), undefined, 'it has not been scheduled');
});
