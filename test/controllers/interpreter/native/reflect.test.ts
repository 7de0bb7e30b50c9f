/** Which part of a member's status a Work gets. as pkg/resourceinterpreter/default/native reflectstatus.go */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { reflectAny, reflectStatus } from '../../../../controllers/interpreter/native/reflect.js';

const templateGeneration = 'resourcetemplate.karmada.io/generation';

function object(kind: string, status: unknown, { spec = {}, note = '5' } = {}): KubeObject {
  const [, apiVersion = '', name = ''] = /^(.*)\/([^/]+)$/.exec(kind) ?? [];
  const annotations = note === '' ? {} : { [templateGeneration]: note };
  const metadata = { name: 'o', namespace: 'n', generation: 2, annotations };
  return { apiVersion, kind: name, metadata, spec, ...(status === undefined ? {} : { status }) };
}

const reflected = (kind: string, status: unknown, more?: Parameters<typeof object>[2]): unknown =>
  (reflectStatus[kind] ?? reflectAny)(object(kind, status, more));

t.test('a workload reports its counters, and for which generations they hold', async t => {
  const conditions = [{ type: 'Available', status: 'True' }];
  const generations = { generation: 2, resourceTemplateGeneration: 5 };
  const table: { kind: string; given: object; expect: object }[] = [
    {
      kind: 'apps/v1/Deployment',
      given: {
        observedGeneration: 2,
        replicas: 3,
        readyReplicas: 0,
        unavailableReplicas: 1,
        conditions,
        collisionCount: 1,
      },
      expect: { ...generations, observedGeneration: 2, replicas: 3, unavailableReplicas: 1 },
    },
    {
      kind: 'apps/v1/ReplicaSet',
      given: { readyReplicas: 1, fullyLabeledReplicas: 1 },
      expect: { ...generations, readyReplicas: 1, replicas: 0 },
    },
    {
      kind: 'apps/v1/StatefulSet',
      // The member's observedGeneration is not reported: it is compared with its own generation.
      given: { observedGeneration: 2, currentReplicas: 2, currentRevision: 'r' },
      expect: { ...generations, currentReplicas: 2, replicas: 0, availableReplicas: 0 },
    },
    {
      kind: 'apps/v1/DaemonSet',
      given: { observedGeneration: 2, numberReady: 1, numberAvailable: 0 },
      expect: {
        ...generations,
        ...{ observedGeneration: 2, numberReady: 1 },
        ...{ currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0 },
      },
    },
  ];
  for (const { kind, given, expect } of table) {
    t.same(reflected(kind, given), expect, kind);
    t.equal(reflected(kind, undefined), undefined, `${kind} without a status`);
    for (const note of ['', 'five', '5.0', ' 5'])
      t.throws(
        () => reflected(kind, given, { note }),
        { message: `strconv.ParseInt: parsing "${note}": invalid syntax` },
        `${kind}: generation ${note}`,
      );
  }
  const bare: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'o', annotations: {} },
    status: {},
  };
  bare.metadata.annotations = { [templateGeneration]: '0' };
  t.equal(reflectStatus['apps/v1/Deployment']?.(bare), undefined, 'an empty status was not collected yet');
});

t.test('a Service reports the addresses of its load balancer alone', async t => {
  const loadBalancer = { ingress: [{ ip: '10.0.0.1' }] };
  const balanced = { spec: { type: 'LoadBalancer' } };
  t.same(reflected('v1/Service', { loadBalancer, conditions: [] }, balanced), { loadBalancer });
  t.same(reflected('v1/Service', { conditions: [] }, balanced), { loadBalancer: {} });
  t.equal(reflected('v1/Service', undefined, balanced), undefined);
  for (const spec of [{ type: 'NodePort' }, {}])
    t.equal(reflected('v1/Service', { loadBalancer }, { spec }), undefined);
});

t.test('other kinds report selected fields, or all', async t => {
  const [start, end] = ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'];
  const conditions = [{ type: 'Complete', status: 'True' }];
  const table: { kind: string; given: object; expect: object }[] = [
    {
      kind: 'batch/v1/Job',
      given: { active: 0, succeeded: 1, startTime: start, completionTime: end, conditions, ready: 0, terminating: 1 },
      expect: { succeeded: 1, startTime: start, completionTime: end, conditions },
    },
    {
      kind: 'policy/v1/PodDisruptionBudget',
      given: { currentHealthy: 1, disruptedPods: { p: start }, observedGeneration: 2, conditions },
      expect: {
        ...{ disruptedPods: { p: start }, currentHealthy: 1 },
        ...{ disruptionsAllowed: 0, desiredHealthy: 0, expectedPods: 0 },
      },
    },
    {
      kind: 'autoscaling/v2/HorizontalPodAutoscaler',
      given: { currentReplicas: 0, desiredReplicas: 2, lastScaleTime: start, currentMetrics: [{ type: 'Resource' }] },
      expect: { desiredReplicas: 2, currentMetrics: null },
    },
    { kind: 'networking.k8s.io/v1/Ingress', given: { loadBalancer: {} }, expect: { loadBalancer: {} } },
    { kind: 'example.com/v1/Foo', given: { any: { thing: [1] } }, expect: { any: { thing: [1] } } },
  ];
  for (const { kind, given, expect } of table) {
    t.same(reflected(kind, given), expect, kind);
    t.equal(reflected(kind, undefined), undefined, `${kind} without a status`);
    t.equal(reflected(kind, 'text'), undefined, `${kind} with a status that is no map`);
  }
});
