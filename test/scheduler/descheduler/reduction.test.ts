import t from 'tap';
import type { Binding, Placement } from '../../../api/karmada/types.js';
import { annotations } from '../../../api/karmada/well-known.js';
import {
  isDeschedulable,
  reduced,
  reductions,
  reductionText,
  shortClusters,
} from '../../../scheduler/descheduler/reduction.js';

const aggregated: Placement = {
  replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
};

const binding = (applied: string | undefined, more: Partial<Binding['spec']['resource']> = {}): Binding => ({
  ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
  metadata: { name: 'b', ...(applied !== undefined && { annotations: { [annotations.appliedPlacement]: applied } }) },
  spec: {
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a', ...more },
    clusters: [
      { name: 'full', replicas: 5 },
      { name: 'well', replicas: 3 },
      { name: 'silent', replicas: 2 },
      { name: 'none' },
    ],
  },
  status: {
    aggregatedStatus: [
      { clusterName: 'full', status: { readyReplicas: 2 } },
      { clusterName: 'well', status: { readyReplicas: 3 } },
      { clusterName: 'silent', status: {} },
    ],
  },
});

t.test('Deployments that are divided by capacity may be descheduled', async t => {
  const divided = (more: object): string =>
    JSON.stringify({ replicaScheduling: { replicaSchedulingType: 'Divided', ...more } });
  const dynamic = { dynamicWeight: 'AvailableReplicas' };
  const cases: { name: string; given: Binding; expect: boolean }[] = [
    { name: 'aggregated', given: binding(JSON.stringify(aggregated)), expect: true },
    {
      name: 'by dynamic weight',
      given: binding(divided({ replicaDivisionPreference: 'Weighted', weightPreference: dynamic })),
      expect: true,
    },
    {
      name: 'by static weights',
      given: binding(divided({ replicaDivisionPreference: 'Weighted', weightPreference: {} })),
      expect: false,
    },
    { name: 'without a preference', given: binding(divided({})), expect: false },
    {
      name: 'duplicated',
      given: binding('{"replicaScheduling":{"replicaSchedulingType":"Duplicated"}}'),
      expect: false,
    },
    { name: 'not scheduled', given: binding(undefined), expect: false },
    { name: 'an annotation of others', given: binding('{'), expect: false },
    { name: 'null', given: binding('null'), expect: false },
    { name: 'a StatefulSet', given: binding(JSON.stringify(aggregated), { kind: 'StatefulSet' }), expect: false },
    { name: 'of another group', given: binding(JSON.stringify(aggregated), { apiVersion: 'v1' }), expect: false },
  ];
  for (const { name, given, expect } of cases) t.equal(isDeschedulable(given), expect, name);
});

t.test('clusters with fewer ready replicas than assigned are short', async t => {
  t.strictSame(shortClusters(binding(undefined)), [
    { name: 'full', assigned: 5, ready: 2 },
    { name: 'silent', assigned: 2, ready: undefined },
    { name: 'none', assigned: 0, ready: undefined },
  ]);
  const { status: _, spec, ...rest } = binding(undefined);
  const { clusters: __, ...unplaced } = spec;
  t.strictSame(shortClusters({ ...rest, spec: unplaced }), []);
});

t.test('unschedulable replicas are taken back, and no ready ones', async t => {
  const cases: { name: string; ready: number | undefined; estimate: number | undefined; expect: number }[] = [
    { name: 'as estimated', ready: 2, estimate: 2, expect: 2 },
    { name: 'never a ready one', ready: 4, estimate: 3, expect: 1 },
    { name: 'nothing is unschedulable', ready: 2, estimate: 0, expect: 0 },
    { name: 'nothing is known', ready: 2, estimate: undefined, expect: 0 },
    { name: 'more than assigned', ready: 2, estimate: 6, expect: 0 },
    { name: 'all', ready: undefined, estimate: 5, expect: 5 },
  ];
  for (const { name, ready, estimate, expect } of cases) {
    const taken = reductions(
      [{ name: 'm', assigned: 5, ready }],
      new Map(estimate === undefined ? [] : [['m', estimate]]),
    );
    t.strictSame(taken, expect > 0 ? [{ name: 'm', replicas: expect }] : [], name);
  }
  const taken = [
    { name: 'full', replicas: 3 },
    { name: 'silent', replicas: 2 },
  ];
  t.strictSame(reduced(binding(undefined).spec.clusters ?? [], taken), [
    { name: 'full', replicas: 2 },
    { name: 'well', replicas: 3 },
    { name: 'silent' },
    { name: 'none' },
  ]);
  t.equal(
    reductionText(taken),
    'Binding has been descheduled, 3 replica(s) in cluster(full), 2 replica(s) in cluster(silent), 5 total descheduled replica(s)',
  );
});
