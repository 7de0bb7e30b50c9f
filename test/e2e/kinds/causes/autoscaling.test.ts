/** HorizontalPodAutoscalers: validation errors and warnings. */
import { target } from '../manifests.js';
import { causes } from './causes.js';

const scaled = (more: object) => ({ spec: { maxReplicas: 3, scaleTargetRef: target, ...more } });

causes('horizontalpodautoscalers', [
  {
    name: 'zero replicas',
    given: scaled({ minReplicas: 0 }),
    expect: [
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
  },
  {
    name: 'numbers',
    given: scaled({ maxReplicas: 0, minReplicas: -1 }),
    expect: [
      'spec.minReplicas: Invalid value: -1: must be greater than or equal to 1',
      'spec.maxReplicas: Required value: must be set and greater than 0',
    ],
  },
  {
    name: 'negative replicas',
    given: scaled({ maxReplicas: -1 }),
    expect: [
      'spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1',
      'spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`',
    ],
  },
  {
    name: 'a minimum above the maximum',
    given: scaled({ minReplicas: 5 }),
    expect: ['spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`'],
  },
  {
    name: 'no target',
    given: scaled({ scaleTargetRef: { kind: '', name: '', apiVersion: 'a/b/c' } }),
    expect: [
      'spec.scaleTargetRef.kind: Required value',
      'spec.scaleTargetRef.name: Required value',
      'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
  },
  {
    name: 'a target without group',
    given: scaled({ scaleTargetRef: { kind: 'a/b', name: 'c%' } }),
    expect: [
      'spec.scaleTargetRef.kind: Invalid value: "a/b": may not contain \'/\'',
      'spec.scaleTargetRef.name: Invalid value: "c%": may not contain \'%\'',
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
    ],
  },
  {
    name: 'sources',
    given: scaled({
      metrics: [
        { type: '' },
        { type: 'X' },
        { type: 'Resource' },
        { type: 'Resource', resource: { name: '', target: { type: 'Utilization' } } },
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 0, averageValue: '1' } },
          pods: { metric: { name: 'x' }, target: { type: 'AverageValue', averageValue: '1' } },
        },
      ],
    }),
    expect: [
      'spec.metrics[0].type: Required value: must specify a metric source type',
      'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[1].type: Unsupported value: "X": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[1].type: Unsupported value: "X": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[2].resource: Required value: must populate information for the given metric source',
      'spec.metrics[3].resource.name: Required value: must specify a resource name',
      'spec.metrics[3].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      'spec.metrics[4].pods: Forbidden: must populate the given metric source only',
    ],
  },
  {
    name: 'targets of metrics',
    given: scaled({
      metrics: [
        { type: 'Pods', pods: { metric: { name: '' }, target: { type: 'Value', value: '1' } } },
        {
          type: 'Object',
          object: { describedObject: { kind: '', name: '' }, metric: { name: 'a/b' }, target: { type: '' } },
        },
        { type: 'External', external: { metric: { name: 'x' }, target: { type: 'Value' } } },
        {
          type: 'ContainerResource',
          containerResource: { name: 'cpu', container: '', target: { type: 'AverageValue', averageValue: '0' } },
        },
      ],
    }),
    expect: [
      'spec.metrics[0].pods.metric.name: Required value: must specify a metric name',
      'spec.metrics[0].pods.target.averageValue: Required value: must specify a positive target averageValue',
      'spec.metrics[1].object.describedObject.kind: Required value',
      'spec.metrics[1].object.describedObject.name: Required value',
      'spec.metrics[1].object.metric.name: Invalid value: "a/b": may not contain \'/\'',
      'spec.metrics[1].object.target.type: Required value: must specify a metric target type',
      'spec.metrics[1].object.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
      'spec.metrics[1].object.target.averageValue: Required value: must set either a target value or averageValue',
      'spec.metrics[2].external.target.averageValue: Required value: must set either a target value for metric or a per-pod target',
      'spec.metrics[3].containerResource.container: Required value: must specify a container',
      'spec.metrics[3].containerResource.target.averageValue: Invalid value: "0": must be positive',
    ],
  },
  {
    name: 'behavior',
    given: scaled({
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 3601, selectPolicy: 'X', policies: [] },
        scaleDown: {
          stabilizationWindowSeconds: -1,
          policies: [
            { type: 'X', value: 0, periodSeconds: 0 },
            { type: 'Pods', value: 1, periodSeconds: 1801 },
          ],
        },
      },
    }),
    expect: [
      'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "X": supported values: "Disabled", "Max", "Min"',
      'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero',
      'spec.behavior.scaleDown.policies[0].type: Unsupported value: "X": supported values: "Percent", "Pods"',
      'spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleDown.policies[1].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
    ],
  },
  {
    name: 'zero replicas, and a target without group',
    given: { spec: { minReplicas: 0, maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'x' } } },
    expect: [
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
  },
]);
