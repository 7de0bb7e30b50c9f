import t from 'tap';
import { faultTable, texts } from '../fault-table.js';
import { anotherSelector, noSelector, selectorOfOtherLabels, workload } from './workload.js';

t.test(
  'deployments are validated',
  async t =>
    await faultTable(t, ['apps', 'Deployment'], workload('Deployment'), [
      noSelector,
      {
        name: 'an empty selector',
        given: { spec: { selector: { matchLabels: null } } },
        expect: [['spec.selector', 'Invalid value: {}: empty selector is invalid for deployment']],
      },
      selectorOfOtherLabels,
      {
        name: 'requirements of the selector',
        given: {
          spec: {
            selector: {
              matchExpressions: [
                { key: 'a', operator: 'Foo' },
                { key: 'b', operator: 'In' },
                { key: 'a', operator: 'Exists', values: ['x'] },
              ],
            },
          },
        },
        expect: [
          ['spec.selector.matchExpressions[0].operator', 'Invalid value: "Foo": not a valid selector operator'],
          [
            'spec.selector.matchExpressions[1].values',
            "Required value: must be specified when `operator` is 'In' or 'NotIn'",
          ],
          [
            'spec.selector.matchExpressions[2].values',
            "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
          ],
          [
            'spec.selector',
            'Invalid value: {"matchLabels":{"a":"b"},"matchExpressions":[{"key":"a","operator":"Foo"},{"key":"b","operator":"In"},{"key":"a","operator":"Exists","values":["x"]}]}: invalid label selector',
          ],
        ],
      },
      {
        name: 'numbers below zero',
        given: { spec: { replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: -1 } },
        expect: [
          ['spec.replicas', `Invalid value: -1: ${texts.natural}`],
          ['spec.minReadySeconds', `Invalid value: -1: ${texts.natural}`],
          ['spec.revisionHistoryLimit', `Invalid value: -1: ${texts.natural}`],
          ['spec.progressDeadlineSeconds', `Invalid value: -1: ${texts.natural}`],
          ['spec.progressDeadlineSeconds', 'Invalid value: -1: must be greater than minReadySeconds'],
        ],
      },
      {
        name: 'a progress deadline below minReadySeconds',
        given: { spec: { minReadySeconds: 10, progressDeadlineSeconds: 10 } },
        expect: [['spec.progressDeadlineSeconds', 'Invalid value: 10: must be greater than minReadySeconds']],
      },
      {
        name: 'an unknown strategy',
        given: { spec: { strategy: { type: 'X' } } },
        expect: [
          [
            'spec.strategy',
            'Unsupported value: {"Type":"X","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
          ],
        ],
      },
      {
        name: 'limits of a rolling update with the strategy Recreate',
        given: { spec: { strategy: { type: 'Recreate', rollingUpdate: {} } } },
        expect: [['spec.strategy.rollingUpdate', "Forbidden: may not be specified when strategy `type` is 'Recreate'"]],
      },
      {
        name: 'a rolling update with no limit above zero',
        given: { spec: { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } } },
        expect: [['spec.strategy.rollingUpdate.maxUnavailable', 'Invalid value: 0: may not be 0 when `maxSurge` is 0']],
      },
      {
        name: 'limits that are not numbers',
        given: { spec: { strategy: { rollingUpdate: { maxUnavailable: '101%', maxSurge: 'x' } } } },
        expect: [
          ['spec.strategy.rollingUpdate.maxSurge', `Invalid value: "x": ${texts.percent}`],
          ['spec.strategy.rollingUpdate.maxUnavailable', 'Invalid value: "101%": must not be greater than 100%'],
        ],
      },
      {
        name: 'limits below zero',
        given: { spec: { strategy: { rollingUpdate: { maxUnavailable: -1, maxSurge: '-5%' } } } },
        expect: [
          ['spec.strategy.rollingUpdate.maxUnavailable', `Invalid value: -1: ${texts.natural}`],
          ['spec.strategy.rollingUpdate.maxSurge', `Invalid value: "-5%": ${texts.percent}`],
        ],
      },
      {
        name: 'pods with another restart policy',
        given: { spec: { template: { spec: { restartPolicy: 'Never' } } } },
        expect: [['spec.template.spec.restartPolicy', 'Unsupported value: "Never": supported values: "Always"']],
      },
      {
        name: 'pods with a deadline',
        given: { spec: { template: { spec: { activeDeadlineSeconds: 5 } } } },
        expect: [
          [
            'spec.template.spec.activeDeadlineSeconds',
            'Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
          ],
        ],
      },
      {
        name: 'pods without containers',
        given: { spec: { template: { spec: { containers: [] } } } },
        expect: [['spec.template.spec.containers', 'Required value']],
      },
      anotherSelector,
      {
        name: 'counts of a status',
        part: 'status',
        given: {
          status: {
            replicas: 1,
            updatedReplicas: 2,
            readyReplicas: 3,
            availableReplicas: 4,
            unavailableReplicas: -1,
            observedGeneration: -1,
            collisionCount: -1,
          },
        },
        expect: [
          ['status.observedGeneration', `Invalid value: -1: ${texts.natural}`],
          ['status.unavailableReplicas', `Invalid value: -1: ${texts.natural}`],
          ['status.collisionCount', `Invalid value: -1: ${texts.natural}`],
          ['status.updatedReplicas', 'Invalid value: 2: cannot be greater than status.replicas'],
          ['status.readyReplicas', 'Invalid value: 3: cannot be greater than status.replicas'],
          ['status.availableReplicas', 'Invalid value: 4: cannot be greater than status.replicas'],
          ['status.availableReplicas', 'Invalid value: 4: cannot be greater than readyReplicas'],
        ],
      },
      {
        name: 'fewer collisions than before',
        old: { status: { collisionCount: 2 } },
        part: 'status',
        given: { status: { collisionCount: 1 } },
        expect: [['status.collisionCount', 'Invalid value: 1: cannot be decremented']],
      },
      {
        name: 'more are available than are ready',
        part: 'status',
        given: { status: { replicas: 3, readyReplicas: 1, availableReplicas: 2, terminatingReplicas: -1 } },
        expect: [
          ['status.terminatingReplicas', `Invalid value: -1: ${texts.natural}`],
          ['status.availableReplicas', 'Invalid value: 2: cannot be greater than readyReplicas'],
        ],
      },
    ]),
);

t.test(
  'replica sets are validated',
  async t =>
    await faultTable(t, ['apps', 'ReplicaSet'], workload('ReplicaSet'), [
      noSelector,
      {
        name: 'no template',
        given: { spec: { template: null } },
        expect: [
          ['spec.template.metadata.labels', 'Invalid value: null: `selector` does not match template `labels`'],
          ['spec.template.spec.containers', 'Required value'],
        ],
      },
      {
        name: 'numbers below zero',
        given: { spec: { replicas: -1, minReadySeconds: -1 } },
        expect: [
          ['spec.replicas', `Invalid value: -1: ${texts.natural}`],
          ['spec.minReadySeconds', `Invalid value: -1: ${texts.natural}`],
        ],
      },
      anotherSelector,
      {
        name: 'counts of a status',
        part: 'status',
        given: { status: { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: 3, availableReplicas: 4 } },
        expect: [
          ['status.fullyLabeledReplicas', 'Invalid value: 2: cannot be greater than status.replicas'],
          ['status.readyReplicas', 'Invalid value: 3: cannot be greater than status.replicas'],
          ['status.availableReplicas', 'Invalid value: 4: cannot be greater than status.replicas'],
          ['status.availableReplicas', 'Invalid value: 4: cannot be greater than readyReplicas'],
        ],
      },
    ]),
);
