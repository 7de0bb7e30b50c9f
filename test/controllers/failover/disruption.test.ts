import t from 'tap';
import { intervalMs, evictionPace, readinessOf } from '../../../controllers/failover/disruption.js';
import type { Cluster } from '../../../api/karmada/types.js';

const start = Date.parse('2030-01-01T00:00:00Z');
const now = start + 10_000;
const rates = { perSecond: 0.5, secondaryPerSecond: 0.1, unhealthyShare: 0.55 };
const recoveryMs = 50_000;

/** Returns a cluster that has the readiness since so many seconds after the start. */
const cluster = (status: 'True' | 'False' | 'Unknown', second: number, deletionTimestamp?: string): Cluster => ({
  ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster' },
  metadata: { name: 'c', ...(deletionTimestamp && { deletionTimestamp }) },
  spec: { syncMode: 'Push' },
  status: {
    conditions: [
      {
        ...{ type: 'Ready', status, reason: '', message: '' },
        lastTransitionTime: new Date(start + second * 1000).toISOString(),
      },
    ],
  },
});
const { status: _, ...unknown } = cluster('True', 0);
const ready = cluster('True', 0);

t.test('the pace follows the share of failed clusters', async t => {
  const cases: { name: string; given: Cluster[]; intervalMs: number; notBefore: number }[] = [
    { name: 'no clusters', given: [], intervalMs: 2000, notBefore: -Infinity },
    { name: 'all are ready', given: [ready, ready], intervalMs: 2000, notBefore: -Infinity },
    { name: 'half', given: [ready, cluster('False', 5)], intervalMs: 2000, notBefore: -Infinity },
    {
      name: 'most',
      given: [ready, cluster('False', 5), cluster('Unknown', 6)],
      intervalMs: 10_000,
      notBefore: -Infinity,
    },
    { name: 'all', given: [cluster('False', 5), cluster('Unknown', 6)], intervalMs: 10_000, notBefore: Infinity },
    {
      name: 'those without a condition do not count',
      given: [cluster('False', 5), unknown],
      intervalMs: 10_000,
      notBefore: Infinity,
    },
    {
      name: 'those that leave do not count',
      given: [cluster('False', 5), cluster('True', 0, '2030-01-01T00:00:01Z')],
      ...{ intervalMs: 10_000, notBefore: Infinity },
    },
    {
      name: 'the first has returned',
      given: [cluster('True', 7), cluster('False', 5)],
      ...{ intervalMs: 2000, notBefore: start + 7000 + recoveryMs },
    },
    {
      name: 'the clock of an agent is ahead',
      given: [cluster('True', 9999), cluster('False', 5)],
      ...{ intervalMs: 2000, notBefore: now + recoveryMs },
    },
    {
      name: 'one was ready all the time',
      given: [ready, cluster('True', 7), cluster('False', 5)],
      ...{ intervalMs: 2000, notBefore: -Infinity },
    },
  ];
  for (const { name, given, ...expect } of cases) {
    const known = given.map(readinessOf).filter(each => each !== undefined);
    t.strictSame(evictionPace(known, rates, recoveryMs, now), expect, name);
  }
});

t.test('intervals are at most half an hour', async t => {
  t.strictSame([0.5, 0.0001, 0].map(intervalMs), [2000, 1_800_000, 1_800_000]);
});
