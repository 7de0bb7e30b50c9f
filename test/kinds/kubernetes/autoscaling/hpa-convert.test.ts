import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { fillAutoscaler } from '../../../../kinds/kubernetes/autoscaling/hpa-defaults.js';
import { convertAutoscaler } from '../../../../kinds/kubernetes/autoscaling/hpa-convert.js';

const target = { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' };
const v2 = (spec: object, status: object = {}): KubeObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a', annotations: { mine: 'kept' } },
  spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 3, ...spec },
  status: { desiredReplicas: 2, ...status },
});

const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } };
const carried = 'autoscaling.alpha.kubernetes.io/';

const cases = [
  {
    name: 'CPU utilization has a field of its own',
    given: v2({ metrics: [cpu] }, { currentMetrics: null }),
    spec: { targetCPUUtilizationPercentage: 70 },
    annotations: {},
  },
  {
    name: 'other metrics are kept in an annotation, in their v1 form',
    given: v2({
      metrics: [
        {
          type: 'Pods',
          pods: { metric: { name: 'x', selector: {} }, target: { type: 'AverageValue', averageValue: '5' } },
        },
        {
          type: 'Object',
          object: {
            describedObject: { kind: 'Ingress', name: 'i', apiVersion: 'networking.k8s.io/v1' },
            target: { type: 'Value', value: '2k' },
            metric: { name: 'y' },
          },
        },
        {
          type: 'External',
          external: { metric: { name: 'z' }, target: { type: 'AverageValue', averageValue: '1' } },
        },
        {
          type: 'ContainerResource',
          containerResource: {
            name: 'memory',
            container: 'c',
            target: { type: 'Utilization', averageUtilization: 50 },
          },
        },
        cpu,
      ],
    }),
    spec: { targetCPUUtilizationPercentage: 70 },
    annotations: {
      [`${carried}metrics`]: JSON.stringify([
        { type: 'Pods', pods: { metricName: 'x', targetAverageValue: '5', selector: {} } },
        {
          type: 'Object',
          object: {
            target: { kind: 'Ingress', name: 'i', apiVersion: 'networking.k8s.io/v1' },
            metricName: 'y',
            targetValue: '2k',
          },
        },
        { type: 'External', external: { metricName: 'z', targetAverageValue: '1' } },
        {
          type: 'ContainerResource',
          containerResource: { name: 'memory', targetAverageUtilization: 50, container: 'c' },
        },
      ]),
    },
  },
  {
    name: 'behavior is kept with the names of Go, metric statuses and conditions with those of the API',
    given: v2(
      {
        metrics: [cpu],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 0,
            selectPolicy: 'Max',
            policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }],
          },
          scaleDown: { selectPolicy: 'Min', policies: [{ type: 'Percent', value: 1, periodSeconds: 2 }] },
        },
      },
      {
        currentMetrics: [
          { type: 'Resource', resource: { name: 'cpu', current: { averageValue: '3', averageUtilization: 9 } } },
        ],
        conditions: [{ type: 'AbleToScale', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    ),
    spec: { targetCPUUtilizationPercentage: 70 },
    annotations: {
      [`${carried}behavior`]:
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Min","Policies":[{"Type":"Percent","Value":1,"PeriodSeconds":2}],"Tolerance":null}}',
      [`${carried}current-metrics`]:
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":9,"currentAverageValue":"3"}}]',
      [`${carried}conditions`]: '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]',
    },
  },
];

for (const { name, given, spec, annotations } of cases)
  t.test(name, t => {
    const before = structuredClone(given);
    const old = convertAutoscaler(given, 'v1');
    t.match(old, {
      apiVersion: 'autoscaling/v1',
      spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 3, ...spec },
    });
    t.strictSame(old.metadata.annotations, { mine: 'kept', ...annotations });
    const back = convertAutoscaler(old, 'v2');
    t.strictSame({ ...back, status: {} }, { ...given, status: {} }, 'nothing is lost');
    t.match(
      back['status'],
      Object.fromEntries(Object.entries(given['status'] as object).filter(([, v]) => v !== null)),
    );
    t.strictSame(given, before, 'what is converted stays as it is');
    t.end();
  });

t.test('a v1 object without a metric gets the default when it is stored, not by conversion', t => {
  const old = {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a' },
    spec: { maxReplicas: 1 },
  };
  const converted = convertAutoscaler(old, 'v2');
  t.strictSame(converted['spec'], { maxReplicas: 1 });
  fillAutoscaler(converted, 'v2');
  t.match(converted, { spec: { metrics: [{ resource: { target: { averageUtilization: 80 } } }] } });
  t.end();
});
