import t from 'tap';
import { faultTable, texts } from '../fault-table.js';

t.test(
  'horizontal pod autoscalers are validated',
  async t =>
    await faultTable(
      t,
      ['autoscaling', 'HorizontalPodAutoscaler'],
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'n', namespace: 'space' },
        spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
      },
      [
        {
          name: 'no target',
          given: { spec: { scaleTargetRef: { kind: '', name: '' } } },
          expect: [
            ['spec.scaleTargetRef.kind', 'Required value'],
            ['spec.scaleTargetRef.name', 'Required value'],
          ],
        },
        {
          name: 'a target with invalid names',
          given: { spec: { scaleTargetRef: { kind: 'a/b', name: '..' } } },
          expect: [
            ['spec.scaleTargetRef.kind', `Invalid value: "a/b": may not contain '/'`],
            ['spec.scaleTargetRef.name', `Invalid value: "..": may not be '..'`],
          ],
        },
        {
          name: 'no replicas',
          given: { spec: { minReplicas: 0, maxReplicas: 0 } },
          expect: [
            ['spec.minReplicas', 'Invalid value: 0: must be greater than or equal to 1'],
            ['spec.maxReplicas', 'Required value: must be set and greater than 0'],
            [
              'spec.metrics',
              'Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
            ],
          ],
        },
        {
          name: 'a minimum above the maximum',
          given: { spec: { minReplicas: 5 } },
          expect: [['spec.maxReplicas', 'Invalid value: 3: must be greater than or equal to `minReplicas`']],
        },
        {
          name: 'metrics without their source',
          given: {
            spec: { metrics: [{ type: '' }, { type: 'X' }, { type: 'Resource' }, { type: 'Pods', object: {} }] },
          },
          expect: [
            ['spec.metrics[0].type', 'Required value: must specify a metric source type'],
            [
              'spec.metrics[0].type',
              'Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
            ],
            [
              'spec.metrics[0].type',
              'Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
            ],
            [
              'spec.metrics[1].type',
              'Unsupported value: "X": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
            ],
            [
              'spec.metrics[1].type',
              'Unsupported value: "X": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
            ],
            ['spec.metrics[2].resource', 'Required value: must populate information for the given metric source'],
            ['spec.metrics[3].object.describedObject.kind', 'Required value'],
            ['spec.metrics[3].object.describedObject.name', 'Required value'],
            ['spec.metrics[3].object.metric.name', 'Required value: must specify a metric name'],
            ['spec.metrics[3].object.target.type', 'Required value: must specify a metric target type'],
            [
              'spec.metrics[3].object.target.type',
              'Invalid value: "": must be either Utilization, Value, or AverageValue',
            ],
            [
              'spec.metrics[3].object.target.averageValue',
              'Required value: must set either a target value or averageValue',
            ],
            ['spec.metrics[3].pods', 'Required value: must populate information for the given metric source'],
          ],
        },
        {
          name: 'metrics of resources',
          given: {
            spec: {
              metrics: [
                { type: 'Resource', resource: { name: '', target: { type: 'X', averageUtilization: 0 } } },
                {
                  type: 'Resource',
                  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5, averageValue: '5' } },
                },
                { type: 'Resource', resource: { name: 'cpu', target: { type: 'Value', value: '5' } } },
              ],
            },
          },
          expect: [
            ['spec.metrics[0].resource.name', 'Required value: must specify a resource name'],
            [
              'spec.metrics[0].resource.target.type',
              'Invalid value: "X": must be either Utilization, Value, or AverageValue',
            ],
            ['spec.metrics[0].resource.target.averageUtilization', 'Invalid value: 0: must be greater than 0'],
            [
              'spec.metrics[1].resource.target.averageValue',
              'Forbidden: may not set both a target raw value and a target utilization',
            ],
            [
              'spec.metrics[2].resource.target.averageUtilization',
              'Required value: must set either a target raw value or a target utilization',
            ],
          ],
        },
        {
          name: 'metrics of pods',
          given: {
            spec: {
              metrics: [
                {
                  type: 'Pods',
                  pods: { metric: { name: 'a/b' }, target: { type: 'AverageValue', averageValue: '0' } },
                },
              ],
            },
          },
          expect: [
            ['spec.metrics[0].pods.metric.name', `Invalid value: "a/b": may not contain '/'`],
            ['spec.metrics[0].pods.target.averageValue', 'Invalid value: "0": must be positive'],
          ],
        },
        {
          name: 'metrics of objects',
          given: {
            spec: {
              metrics: [
                {
                  type: 'Object',
                  object: { describedObject: { kind: '', name: '' }, metric: { name: '' }, target: { type: 'Value' } },
                },
              ],
            },
          },
          expect: [
            ['spec.metrics[0].object.describedObject.kind', 'Required value'],
            ['spec.metrics[0].object.describedObject.name', 'Required value'],
            ['spec.metrics[0].object.metric.name', 'Required value: must specify a metric name'],
            [
              'spec.metrics[0].object.target.averageValue',
              'Required value: must set either a target value or averageValue',
            ],
          ],
        },
        {
          name: 'external metrics',
          given: {
            spec: {
              metrics: [
                {
                  type: 'External',
                  external: { metric: { name: 'a' }, target: { type: 'Value', value: '5', averageValue: '5' } },
                },
                { type: 'External', external: { metric: { name: 'a' }, target: { type: 'Value' } } },
                { type: 'External', external: { metric: { name: 'a' }, target: { type: '', value: '-1' } } },
              ],
            },
          },
          expect: [
            [
              'spec.metrics[0].external.target.value',
              'Forbidden: may not set both a target value for metric and a per-pod target',
            ],
            [
              'spec.metrics[1].external.target.averageValue',
              'Required value: must set either a target value for metric or a per-pod target',
            ],
            ['spec.metrics[2].external.target.type', 'Required value: must specify a metric target type'],
            [
              'spec.metrics[2].external.target.type',
              'Invalid value: "": must be either Utilization, Value, or AverageValue',
            ],
            ['spec.metrics[2].external.target.value', 'Invalid value: "-1": must be positive'],
          ],
        },
        {
          name: 'behavior',
          given: {
            spec: {
              behavior: {
                scaleUp: { selectPolicy: 'X', stabilizationWindowSeconds: 3601, policies: [] },
                scaleDown: {
                  stabilizationWindowSeconds: -1,
                  policies: [
                    { type: 'X', value: 0, periodSeconds: 0 },
                    { type: 'Pods', value: 1, periodSeconds: 1801 },
                  ],
                },
              },
            },
          },
          expect: [
            [
              'spec.behavior.scaleUp.stabilizationWindowSeconds',
              'Invalid value: 3601: must be less than or equal to 3600',
            ],
            [
              'spec.behavior.scaleUp.selectPolicy',
              'Unsupported value: "X": supported values: "Disabled", "Max", "Min"',
            ],
            ['spec.behavior.scaleUp.policies', 'Required value: must specify at least one Policy'],
            [
              'spec.behavior.scaleDown.stabilizationWindowSeconds',
              'Invalid value: -1: must be greater than or equal to zero',
            ],
            ['spec.behavior.scaleDown.policies[0].type', 'Unsupported value: "X": supported values: "Percent", "Pods"'],
            ['spec.behavior.scaleDown.policies[0].value', 'Invalid value: 0: must be greater than zero'],
            ['spec.behavior.scaleDown.policies[0].periodSeconds', 'Invalid value: 0: must be greater than zero'],
            [
              'spec.behavior.scaleDown.policies[1].periodSeconds',
              'Invalid value: 1801: must be less than or equal to 1800',
            ],
          ],
        },
        {
          name: 'counts of a status',
          part: 'status',
          given: { status: { currentReplicas: -1, desiredReplicas: -1 } },
          expect: [
            ['status.currentReplicas', `Invalid value: -1: ${texts.natural}`],
            ['status.desiredReplicas', `Invalid value: -1: ${texts.natural}`],
          ],
        },
      ],
    ),
);
