import t from 'tap';
import { faultTable, texts } from '../fault-table.js';
import { anotherSelector, selectorOfOtherLabels, workload } from './workload.js';

t.test(
  'daemon sets are validated',
  async t =>
    await faultTable(t, ['apps', 'DaemonSet'], workload('DaemonSet'), [
      selectorOfOtherLabels,
      {
        name: 'pods with another restart policy',
        given: { spec: { template: { spec: { restartPolicy: 'Never' } } } },
        expect: [['spec.template.spec.restartPolicy', 'Unsupported value: "Never": supported values: "Always"']],
      },
      {
        name: 'an unknown strategy',
        given: { spec: { updateStrategy: { type: 'X' } } },
        expect: [
          [
            'spec.updateStrategy',
            'Unsupported value: {"Type":"X","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
          ],
        ],
      },
      {
        name: 'limits are ignored with the strategy OnDelete',
        given: { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: { maxUnavailable: 0 } } } },
        expect: [],
      },
      {
        name: 'both limits',
        given: { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } } },
        expect: [
          [
            'spec.updateStrategy.rollingUpdate.maxSurge',
            'Invalid value: 1: may not be set when maxUnavailable is non-zero',
          ],
        ],
      },
      {
        name: 'a rolling update with no limit above zero',
        given: { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } } },
        expect: [
          ['spec.updateStrategy.rollingUpdate.maxUnavailable', 'Required value: cannot be 0 when maxSurge is 0'],
        ],
      },
      {
        name: 'numbers below zero',
        given: { spec: { minReadySeconds: -1, revisionHistoryLimit: -1 } },
        expect: [
          ['spec.minReadySeconds', `Invalid value: -1: ${texts.natural}`],
          ['spec.revisionHistoryLimit', `Invalid value: -1: ${texts.natural}`],
        ],
      },
      anotherSelector,
      {
        name: 'counts of a status',
        part: 'status',
        given: {
          status: {
            currentNumberScheduled: -1,
            numberMisscheduled: -1,
            desiredNumberScheduled: -1,
            numberReady: -1,
            observedGeneration: -1,
            updatedNumberScheduled: -1,
            numberAvailable: -1,
            numberUnavailable: -1,
            collisionCount: -1,
          },
        },
        expect: [
          ['status.currentNumberScheduled', `Invalid value: -1: ${texts.natural}`],
          ['status.numberMisscheduled', `Invalid value: -1: ${texts.natural}`],
          ['status.desiredNumberScheduled', `Invalid value: -1: ${texts.natural}`],
          ['status.numberReady', `Invalid value: -1: ${texts.natural}`],
          ['status.observedGeneration', `Invalid value: -1: ${texts.natural}`],
          ['status.updatedNumberScheduled', `Invalid value: -1: ${texts.natural}`],
          ['status.numberAvailable', `Invalid value: -1: ${texts.natural}`],
          ['status.numberUnavailable', `Invalid value: -1: ${texts.natural}`],
          ['status.collisionCount', `Invalid value: -1: ${texts.natural}`],
        ],
      },
    ]),
);

t.test(
  'stateful sets are validated',
  async t =>
    await faultTable(t, ['apps', 'StatefulSet'], workload('StatefulSet', { serviceName: 's' }), [
      {
        name: 'an unknown order',
        given: { spec: { podManagementPolicy: 'X' } },
        expect: [['spec.podManagementPolicy', `Invalid value: "X": must be 'OrderedReady' or 'Parallel'`]],
      },
      {
        name: 'an unknown strategy',
        given: { spec: { updateStrategy: { type: 'X' } } },
        expect: [
          [
            'spec.updateStrategy',
            `Invalid value: {"Type":"X","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`,
          ],
        ],
      },
      {
        name: 'limits of a rolling update with the strategy OnDelete',
        given: { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: {} } } },
        expect: [
          [
            'spec.updateStrategy.rollingUpdate',
            `Invalid value: {"Partition":0,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`,
          ],
        ],
      },
      {
        name: 'a partition below zero',
        given: { spec: { updateStrategy: { rollingUpdate: { partition: -1 } } } },
        expect: [['spec.updateStrategy.rollingUpdate.partition', `Invalid value: -1: ${texts.natural}`]],
      },
      {
        name: 'an unknown retention',
        given: { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'X' } } },
        expect: [
          [
            'spec.persistentVolumeClaimRetentionPolicy.whenDeleted',
            'Unsupported value: "X": supported values: "Retain", "Delete"',
          ],
        ],
      },
      {
        name: 'numbers below zero',
        given: { spec: { replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, ordinals: { start: -1 } } },
        expect: [
          ['spec.replicas', `Invalid value: -1: ${texts.natural}`],
          ['spec.minReadySeconds', `Invalid value: -1: ${texts.natural}`],
          ['spec.ordinals.start', `Invalid value: -1: ${texts.natural}`],
        ],
        warnings: [
          'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
        ],
      },
      {
        name: 'an invalid name',
        given: { spec: { serviceName: 'A_B' } },
        expect: [['spec.serviceName', `Invalid value: "A_B": ${texts.dns1123Label}`]],
      },
      {
        name: 'pods with another restart policy',
        given: { spec: { template: { spec: { restartPolicy: 'OnFailure', activeDeadlineSeconds: 4 } } } },
        expect: [
          ['spec.template.spec.restartPolicy', 'Unsupported value: "OnFailure": supported values: "Always"'],
          [
            'spec.template.spec.activeDeadlineSeconds',
            'Forbidden: activeDeadlineSeconds in StatefulSet is not Supported',
          ],
        ],
      },
      {
        name: 'changes of immutable fields',
        old: {},
        given: {
          spec: {
            serviceName: 'q',
            podManagementPolicy: 'Parallel',
            volumeClaimTemplates: [{ metadata: { name: 'x' }, spec: {} }],
          },
        },
        expect: [
          [
            'spec',
            "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
          ],
        ],
      },
      {
        name: 'a status, then its metadata',
        part: 'status',
        old: { status: { collisionCount: 1 } },
        given: { metadata: { labels: { a: '-' } }, status: { observedGeneration: -1, collisionCount: 0 } },
        expect: [
          ['status.observedGeneration', `Invalid value: -1: ${texts.natural}`],
          ['metadata.labels', `Invalid value: "-": ${texts.labelValue}`],
          ['status.collisionCount', 'Invalid value: 0: cannot be decremented'],
        ],
      },
      {
        name: 'counts of a status',
        part: 'status',
        given: {
          status: {
            replicas: 1,
            readyReplicas: 2,
            currentReplicas: 3,
            updatedReplicas: 4,
            availableReplicas: 5,
            observedGeneration: -1,
            collisionCount: -1,
          },
        },
        expect: [
          ['status.observedGeneration', `Invalid value: -1: ${texts.natural}`],
          ['status.collisionCount', `Invalid value: -1: ${texts.natural}`],
          ['status.readyReplicas', 'Invalid value: 2: cannot be greater than status.replicas'],
          ['status.currentReplicas', 'Invalid value: 3: cannot be greater than status.replicas'],
          ['status.updatedReplicas', 'Invalid value: 4: cannot be greater than status.replicas'],
          ['status.availableReplicas', 'Invalid value: 5: cannot be greater than status.replicas'],
          ['status.availableReplicas', 'Invalid value: 5: cannot be greater than status.readyReplicas'],
        ],
      },
    ]),
);

t.test(
  'controller revisions are validated',
  async t =>
    await faultTable(
      t,
      ['apps', 'ControllerRevision'],
      {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: { name: 'n', namespace: 'space' },
        data: { a: 1 },
        revision: 1,
      },
      [
        { name: 'no data', given: { data: null }, expect: [['data', 'Required value: data is mandatory']] },
        {
          name: 'a number below zero',
          given: { revision: -1 },
          expect: [['revision', `Invalid value: -1: ${texts.natural}`]],
        },
        {
          name: 'other data',
          old: {},
          given: { data: { a: 2 } },
          expect: [['data', 'Invalid value: {"a":2}: field is immutable']],
        },
      ],
    ),
);
