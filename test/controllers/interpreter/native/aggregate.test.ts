/** The status of a template from those of its clusters. as pkg/resourceinterpreter/default/native aggregatestatus.go */
import t from 'tap';
import type { AggregatedStatusItem } from '../../../../api/karmada/types.js';
import { aggregateStatus } from '../../../../controllers/interpreter/native/aggregate.js';

/** Returns the status of a template, from those of the clusters c1, c2, ...; undefined: the cluster has not reported. */
function aggregated(kind: string, statuses: readonly (Record<string, unknown> | undefined)[], object: object = {}) {
  const [, apiVersion = '', name = ''] = /^(.*)\/([^/]+)$/.exec(kind) ?? [];
  const items = statuses.map((status, i): AggregatedStatusItem => ({
    clusterName: `c${i + 1}`,
    ...(status && { status }),
  }));
  const template = { apiVersion, kind: name, metadata: { name: 'o', namespace: 'default' }, ...object };
  return aggregateStatus[kind]?.(template, items)['status'];
}

t.test('ingress points are merged: hostnames first, then addresses', async t => {
  const at = (...ingress: object[]) => ({ loadBalancer: { ingress } });
  const ingress = 'networking.k8s.io/v1/Ingress';
  t.strictSame(aggregated(ingress, [at({ ip: '10.0.0.2' }), at({ hostname: 'h' }, { ip: '10.0.0.10' }), undefined]), {
    loadBalancer: { ingress: [{ hostname: 'h' }, { ip: '10.0.0.10' }, { ip: '10.0.0.2' }] },
  });
  const port = (number: number) => ({ port: number, protocol: 'TCP' });
  t.strictSame(
    aggregated(ingress, [
      at({ ip: '1.1.1.1', ports: [port(80)] }),
      at({ ip: '1.1.1.1', ports: [port(443), port(80)] }),
    ]),
    { loadBalancer: { ingress: [{ ip: '1.1.1.1', ports: [port(80), port(443)] }] } },
    'the ports of one point are merged',
  );
  t.equal(aggregated(ingress, [{ loadBalancer: {} }]), undefined, 'nothing is reported');
  const service = (type: string) => aggregated('v1/Service', [at({ ip: '1.1.1.1' })], { spec: { type } });
  t.strictSame(service('LoadBalancer'), { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } });
  t.equal(service('ClusterIP'), undefined, 'other Services have no status');
});

t.test('the phase is the worst one', async t => {
  const rows = [
    { kind: 'v1/Pod', phases: ['Running', 'Failed', 'Pending'], expect: 'Failed' },
    { kind: 'v1/Pod', phases: ['Running', undefined, 'Succeeded'], expect: 'Pending' },
    { kind: 'v1/Pod', phases: ['Running', 'Succeeded'], expect: 'Running' },
    { kind: 'v1/Pod', phases: ['Succeeded'], expect: 'Succeeded' },
    { kind: 'v1/PersistentVolume', phases: ['Released', 'Bound', 'Available'], expect: 'Available' },
    { kind: 'v1/PersistentVolume', phases: ['Released', 'Bound'], expect: 'Bound' },
    { kind: 'v1/PersistentVolumeClaim', phases: ['Bound', 'Bound'], expect: 'Bound' },
    { kind: 'v1/PersistentVolumeClaim', phases: ['Lost', 'Pending'], expect: 'Lost' },
    { kind: 'v1/PersistentVolumeClaim', phases: ['Pending', 'Bound'], expect: 'Pending' },
  ];
  for (const { kind, phases, expect } of rows)
    t.match(
      aggregated(
        kind,
        phases.map(phase => (phase === undefined ? undefined : { phase })),
      ),
      { phase: expect },
      `${kind} ${phases.join()}`,
    );
});

t.test('the containers of all clusters are listed with their state alone', async t => {
  const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };
  const status = { phase: 'Running', containerStatuses: [{ name: 'c', ready: true, state: running, restartCount: 3 }] };
  const { containerStatuses } = aggregated('v1/Pod', [status, status]) as { containerStatuses: { ready: boolean }[] };
  t.match(containerStatuses, [
    { ready: true, state: running },
    { ready: true, state: running },
  ]);
});

t.test('a CronJob has the active Jobs of all clusters, and their latest times', async t => {
  const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
  t.match(
    aggregated('batch/v1/CronJob', [
      { active: [{ name: 'a' }], lastScheduleTime: late },
      { active: [{ name: 'b' }], lastScheduleTime: early, lastSuccessfulTime: early },
    ]),
    { active: [{ name: 'a' }, { name: 'b' }], lastScheduleTime: late, lastSuccessfulTime: early },
  );
  t.equal(aggregated('batch/v1/CronJob', [{}]), undefined, 'nothing is reported');
});

t.test('counters are summed', async t => {
  const budget = { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 3, expectedPods: 4 };
  const disruptedPods = { pod: '2026-01-01T00:00:00Z' };
  t.match(aggregated('policy/v1/PodDisruptionBudget', [{ ...budget, disruptedPods }, budget, undefined]), {
    ...{ disruptionsAllowed: 2, currentHealthy: 4, desiredHealthy: 6, expectedPods: 8 },
    disruptedPods: { 'c1/pod': '2026-01-01T00:00:00Z' },
  });
  const replicas = { currentReplicas: 1, desiredReplicas: 2 };
  t.match(aggregated('autoscaling/v2/HorizontalPodAutoscaler', [replicas, replicas]), {
    currentReplicas: 2,
    desiredReplicas: 4,
  });
});

t.test('an equal status leaves the object as it is', async t => {
  const status = { phase: 'Bound' };
  const object = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'o' }, status };
  t.equal(aggregateStatus['v1/PersistentVolumeClaim']?.(object, [{ clusterName: 'c1', status }]), object);
});
