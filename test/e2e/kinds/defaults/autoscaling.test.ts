/** HorizontalPodAutoscalers: defaults. */
import { target } from '../manifests.js';
import { testDefaults } from './defaults.js';

const metrics = [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
];
const scaleUp = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const scaleDown = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

testDefaults('horizontalpodautoscalers', [
  {
    name: 'metrics',
    given: { spec: { maxReplicas: 3, scaleTargetRef: target } },
    expect: {
      spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 3, metrics },
      status: { desiredReplicas: 0, currentMetrics: null },
    },
  },
  {
    name: 'scale-up behavior',
    given: {
      spec: { maxReplicas: 3, scaleTargetRef: target, behavior: { scaleUp: { stabilizationWindowSeconds: 5 } } },
    },
    expect: {
      spec: {
        scaleTargetRef: target,
        minReplicas: 1,
        maxReplicas: 3,
        metrics,
        behavior: { scaleUp: { ...scaleUp, stabilizationWindowSeconds: 5 }, scaleDown },
      },
      status: { desiredReplicas: 0, currentMetrics: null },
    },
  },
  {
    name: 'scale-down behavior',
    given: { spec: { maxReplicas: 3, scaleTargetRef: target, behavior: { scaleDown: { selectPolicy: 'Min' } } } },
    expect: {
      spec: {
        scaleTargetRef: target,
        minReplicas: 1,
        maxReplicas: 3,
        metrics,
        behavior: { scaleUp, scaleDown: { ...scaleDown, selectPolicy: 'Min' } },
      },
      status: { desiredReplicas: 0, currentMetrics: null },
    },
  },
]);

testDefaults('autoscaling/v1 horizontalpodautoscalers', [
  {
    name: 'autoscaling/v1',
    given: { spec: { maxReplicas: 3, scaleTargetRef: target } },
    expect: {
      spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 80 },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    },
  },
]);
