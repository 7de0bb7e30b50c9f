/** What workloads are refused for, whole. */
import t from 'tap';
import { texts } from '../registry/kinds/fault-table.js';
import { type CauseCase, causesTable } from './kind-causes.js';
import { apps, batch } from './kind-scene.js';

const podSpec = { containers: [{ name: 'c', image: 'i' }] };
const template = { metadata: { labels: { a: 'b' } }, spec: podSpec };
const selector = { matchLabels: { a: 'b' } };
const once = { spec: { ...podSpec, restartPolicy: 'Never' } };
const jobTemplate = { spec: { template: once } };

const cases: readonly CauseCase[] = [
  {
    name: 'KND-110 Deployment without selector',
    path: `${apps}/deployments`,
    kind: 'Deployment',
    given: { spec: { template } },
    expect: [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ],
  },
  {
    name: 'KND-110 Deployment with an empty selector',
    path: `${apps}/deployments`,
    kind: 'Deployment',
    given: { spec: { template, selector: {} } },
    expect: ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
  },
  {
    name: 'KND-110 Deployment that does not select its pods',
    path: `${apps}/deployments`,
    kind: 'Deployment',
    given: { spec: { template, selector: { matchLabels: { a: 'c' } } } },
    expect: ['spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`'],
  },
  {
    name: 'KND-110 Deployment whose pods end',
    path: `${apps}/deployments`,
    kind: 'Deployment',
    given: {
      spec: {
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { ...podSpec, restartPolicy: 'Never', activeDeadlineSeconds: 5 },
        },
        selector,
      },
    },
    expect: [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
    ],
  },
  {
    name: 'KND-110 Deployment with another selector',
    path: `${apps}/deployments`,
    kind: 'Deployment',
    given: { spec: { template, selector } },
    patch: { spec: { selector: { matchLabels: { c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } } },
    expect: ['spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable'],
  },
  {
    name: 'KND-110 ReplicaSet without selector',
    path: `${apps}/replicasets`,
    kind: 'ReplicaSet',
    given: { spec: { template } },
    expect: [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ],
  },
  {
    name: 'KND-110 ReplicaSet with an empty selector',
    path: `${apps}/replicasets`,
    kind: 'ReplicaSet',
    given: { spec: { template, selector: {} } },
    expect: ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
  },
  {
    name: 'KND-110 ReplicaSet that does not select its pods',
    path: `${apps}/replicasets`,
    kind: 'ReplicaSet',
    given: { spec: { template, selector: { matchLabels: { a: 'c' } } } },
    expect: ['spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`'],
  },
  {
    name: 'KND-110 ReplicaSet whose pods end',
    path: `${apps}/replicasets`,
    kind: 'ReplicaSet',
    given: {
      spec: {
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { ...podSpec, restartPolicy: 'Never', activeDeadlineSeconds: 5 },
        },
        selector,
      },
    },
    expect: [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
    ],
  },
  {
    name: 'KND-110 ReplicaSet with another selector',
    path: `${apps}/replicasets`,
    kind: 'ReplicaSet',
    given: { spec: { template, selector } },
    patch: { spec: { selector: { matchLabels: { c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } } },
    expect: ['spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable'],
  },
  {
    name: 'KND-110 DaemonSet without selector',
    path: `${apps}/daemonsets`,
    kind: 'DaemonSet',
    given: { spec: { template } },
    expect: ['spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`'],
  },
  {
    name: 'KND-110 DaemonSet with an empty selector',
    path: `${apps}/daemonsets`,
    kind: 'DaemonSet',
    given: { spec: { template, selector: {} } },
    expect: ['spec.selector: Invalid value: {}: empty selector is invalid for daemonset'],
  },
  {
    name: 'KND-110 DaemonSet that does not select its pods',
    path: `${apps}/daemonsets`,
    kind: 'DaemonSet',
    given: { spec: { template, selector: { matchLabels: { a: 'c' } } } },
    expect: ['spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`'],
  },
  {
    name: 'KND-110 DaemonSet whose pods end',
    path: `${apps}/daemonsets`,
    kind: 'DaemonSet',
    given: {
      spec: {
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { ...podSpec, restartPolicy: 'Never', activeDeadlineSeconds: 5 },
        },
        selector,
      },
    },
    expect: [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported',
    ],
  },
  {
    name: 'KND-110 DaemonSet with another selector',
    path: `${apps}/daemonsets`,
    kind: 'DaemonSet',
    given: { spec: { template, selector } },
    patch: { spec: { selector: { matchLabels: { c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } } },
    expect: ['spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable'],
  },
  {
    name: 'KND-111 StatefulSet without selector',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: { spec: { template } },
    expect: [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ],
  },
  {
    name: 'KND-111 StatefulSet with an empty selector',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: { spec: { template, selector: {} } },
    expect: ['spec.selector: Invalid value: {}: empty selector is invalid for statefulset'],
  },
  {
    name: 'KND-111 StatefulSet that does not select its pods',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: { spec: { template, selector: { matchLabels: { a: 'c' } } } },
    expect: ['spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`'],
  },
  {
    name: 'KND-111 StatefulSet whose pods end',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: {
      spec: {
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { ...podSpec, restartPolicy: 'Never', activeDeadlineSeconds: 5 },
        },
        selector,
      },
    },
    expect: [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported',
    ],
  },
  {
    name: 'KND-111 StatefulSet with another selector',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: { spec: { template, selector } },
    patch: { spec: { selector: { matchLabels: { c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } } },
    expect: [
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
  },
  {
    name: 'KND-110 numbers, and an update that may do nothing',
    path: `${apps}/deployments`,
    kind: 'Deployment',
    given: {
      spec: {
        template,
        selector,
        replicas: -1,
        minReadySeconds: -1,
        revisionHistoryLimit: -1,
        progressDeadlineSeconds: 0,
        strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
      },
    },
    expect: [
      `spec.replicas: Invalid value: -1: ${texts.natural}`,
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
      `spec.minReadySeconds: Invalid value: -1: ${texts.natural}`,
      `spec.revisionHistoryLimit: Invalid value: -1: ${texts.natural}`,
    ],
  },
  {
    name: 'KND-110 percentages',
    path: `${apps}/deployments`,
    kind: 'Deployment',
    given: { spec: { template, selector, strategy: { rollingUpdate: { maxSurge: 'x', maxUnavailable: '101%' } } } },
    expect: [
      `spec.strategy.rollingUpdate.maxSurge: Invalid value: "x": ${texts.percent}`,
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
  },
  {
    name: 'KND-110 at once, and step by step',
    path: `${apps}/deployments`,
    kind: 'Deployment',
    given: { spec: { template, selector, strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } } },
    expect: ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  },
  {
    name: 'KND-110 no strategy',
    path: `${apps}/deployments`,
    kind: 'Deployment',
    given: { spec: { template, selector, strategy: { type: 'X' } } },
    expect: [
      'spec.strategy: Unsupported value: {"Type":"X","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
  },
  {
    name: 'KND-110 a DaemonSet that may do nothing',
    path: `${apps}/daemonsets`,
    kind: 'DaemonSet',
    given: { spec: { template, selector, updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
    expect: ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
  },
  {
    name: 'KND-110 a DaemonSet that may do both',
    path: `${apps}/daemonsets`,
    kind: 'DaemonSet',
    given: { spec: { template, selector, updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } } },
    expect: [
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
    ],
  },
  {
    name: 'KND-111 another service',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: { spec: { selector, template, serviceName: 's' } },
    patch: { spec: { serviceName: 't' } },
    expect: [
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
  },
  {
    name: 'KND-111 another order',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: { spec: { selector, template, serviceName: 's' } },
    patch: { spec: { podManagementPolicy: 'Parallel' } },
    expect: [
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
  },
  {
    name: 'KND-111 claims',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: { spec: { selector, template, serviceName: 's' } },
    patch: {
      spec: {
        volumeClaimTemplates: [
          {
            metadata: { name: 'v' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
    expect: [
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
  },
  {
    name: 'KND-111 all that may change',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: { spec: { selector, template, serviceName: 's' } },
    patch: {
      spec: {
        replicas: 2,
        ordinals: { start: 1 },
        template: { metadata: { labels: { c: 'd' } } },
        updateStrategy: { type: 'OnDelete', rollingUpdate: null },
        revisionHistoryLimit: 1,
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' },
        minReadySeconds: 1,
      },
    },
    expect: [],
  },
  {
    name: 'KND-111 the same, wrong',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: { spec: { selector, template, serviceName: 's' } },
    patch: { spec: { replicas: -1, ordinals: { start: -1 }, updateStrategy: { type: 'X' }, minReadySeconds: -1 } },
    expect: [
      'spec.updateStrategy: Invalid value: {"Type":"X","RollingUpdate":{"Partition":0,"MaxUnavailable":null}}: must be \'RollingUpdate\' or \'OnDelete\'',
      `spec.replicas: Invalid value: -1: ${texts.natural}`,
      `spec.minReadySeconds: Invalid value: -1: ${texts.natural}`,
      `spec.ordinals.start: Invalid value: -1: ${texts.natural}`,
    ],
  },
  {
    name: 'KND-111 words',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: {
      spec: {
        selector,
        template,
        podManagementPolicy: 'X',
        updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: -1 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'X', whenScaled: 'Y' },
      },
    },
    expect: [
      "spec.podManagementPolicy: Invalid value: \"X\": must be 'OrderedReady' or 'Parallel'",
      'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":-1,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "X": supported values: "Retain", "Delete"',
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Y": supported values: "Retain", "Delete"',
    ],
  },
  {
    name: 'KND-112 pods that always run',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: { spec: podSpec } } },
    expect: ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  },
  {
    name: 'KND-112 numbers',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: {
      spec: {
        template: once,
        parallelism: -1,
        completions: -1,
        activeDeadlineSeconds: -1,
        backoffLimit: -1,
        ttlSecondsAfterFinished: -1,
        completionMode: 'X',
      },
    },
    expect: [
      `spec.parallelism: Invalid value: -1: ${texts.natural}`,
      `spec.completions: Invalid value: -1: ${texts.natural}`,
      `spec.activeDeadlineSeconds: Invalid value: -1: ${texts.natural}`,
      `spec.backoffLimit: Invalid value: -1: ${texts.natural}`,
      `spec.ttlSecondsAfterFinished: Invalid value: -1: ${texts.natural}`,
      'spec.completionMode: Unsupported value: "X": supported values: "NonIndexed", "Indexed"',
    ],
  },
  {
    name: 'KND-112 indexes',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: {
      spec: {
        template: once,
        completionMode: 'Indexed',
        completions: 1,
        backoffLimitPerIndex: -1,
        maxFailedIndexes: 2,
        parallelism: 100001,
      },
    },
    expect: [
      `spec.backoffLimitPerIndex: Invalid value: -1: ${texts.natural}`,
      'spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
      'spec.maxFailedIndexes: Invalid value: 2: must be less than or equal to completions',
    ],
  },
  {
    name: 'KND-112 limits of indexes without indexes',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, maxFailedIndexes: 2, backoffLimitPerIndex: 1 } },
    expect: [
      'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
      'spec.maxFailedIndexes: Invalid value: 2: requires indexed completion mode',
    ],
  },
  {
    name: 'KND-112 failures',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: {
      spec: {
        template: once,
        podFailurePolicy: {
          rules: [
            {
              action: 'X',
              onExitCodes: { operator: 'In', values: [0, 0, 1] },
              onPodConditions: [{ type: 'a b', status: 'x' }],
            },
            { action: 'FailJob' },
          ],
        },
        podReplacementPolicy: 'TerminatingOrFailed',
      },
    },
    expect: [
      'spec.podFailurePolicy.rules[0].action: Unsupported value: "X": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
      'spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator',
      'spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator',
      'spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Duplicate value: 0',
      `spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: "a b": ${texts.namePart}`,
      'spec.podFailurePolicy.rules[0].onPodConditions[0].status: Unsupported value: "x": supported values: "False", "True", "Unknown"',
      'spec.podFailurePolicy.rules[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported',
      'spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
    ],
  },
  {
    name: 'KND-112 who looks after it',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, managedBy: 'x' } },
    expect: ['spec.managedBy: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")'],
  },
  {
    name: 'KND-112 a selector of its own',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, manualSelector: true } },
    expect: [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    ],
  },
  {
    name: 'KND-112 other completions',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, completions: 1, parallelism: 1 } },
    patch: { spec: { completions: 2 } },
    expect: ['spec.completions: Invalid value: 2: field is immutable'],
  },
  {
    name: 'KND-112 another mode',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, completions: 1, parallelism: 1 } },
    patch: { spec: { completionMode: 'Indexed' } },
    expect: ['spec.completionMode: Invalid value: "Indexed": field is immutable'],
  },
  {
    name: 'KND-112 another template, told in names of Go',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    patch: { spec: { template: { spec: { nodeSelector: { a: 'b' } } } } },
    expect: ['spec.template: Invalid value: {"labels":{"batch.kubernetes.i…'],
  },
  {
    name: 'KND-112 a limit of indexes, too late',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    patch: { spec: { suspend: true, managedBy: 'a.b/c', backoffLimitPerIndex: 1 } },
    expect: [
      'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
      'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
      'spec.backoffLimitPerIndex: Invalid value: 1: field is immutable',
      'spec.managedBy: Invalid value: "a.b/c": field is immutable',
    ],
  },
  {
    name: 'KND-112 scheduling of a suspended job',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, suspend: true, completionMode: 'Indexed', completions: 2, parallelism: 2 } },
    patch: {
      spec: {
        template: {
          metadata: { annotations: { a: 'b' }, labels: { c: 'd' } },
          spec: {
            nodeSelector: { a: 'b' },
            tolerations: [{ operator: 'Exists' }],
            schedulingGates: [{ name: 'a.b/c' }],
          },
        },
      },
    },
    expect: [],
  },
  {
    name: 'KND-112 completions without parallelism',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, suspend: true, completionMode: 'Indexed', completions: 2, parallelism: 2 } },
    patch: { spec: { completions: 3 } },
    expect: ['spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism'],
  },
  {
    name: 'KND-112 completions with parallelism',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, suspend: true, completionMode: 'Indexed', completions: 2, parallelism: 2 } },
    patch: { spec: { completions: 3, parallelism: 3 } },
    expect: [],
  },
  {
    name: 'KND-112 status: counts',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    patch: { status: { active: -1, ready: 1, succeeded: -2, failed: -1, terminating: -1 } },
    part: 'status',
    expect: [
      `status.active: Invalid value: -1: ${texts.natural}`,
      `status.succeeded: Invalid value: -2: ${texts.natural}`,
      `status.failed: Invalid value: -1: ${texts.natural}`,
      `status.terminating: Invalid value: -1: ${texts.natural}`,
      'status.ready: Invalid value: 1: cannot set more ready pods than active',
      'status.failed: Invalid value: -1: cannot decrease the failed counter',
      'status.succeeded: Invalid value: -2: cannot decrease the succeeded counter',
    ],
  },
  {
    name: 'KND-112 status: complete too soon',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    patch: { status: { conditions: [{ type: 'Complete', status: 'True' }] } },
    part: 'status',
    expect: [
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.startTime: Required value: startTime is required for finished job',
    ],
  },
  {
    name: 'KND-112 status: complete and failed',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    patch: {
      status: {
        conditions: [
          { type: 'Complete', status: 'True' },
          { type: 'Failed', status: 'True' },
        ],
      },
    },
    part: 'status',
    expect: [
      'status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions',
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.startTime: Required value: startTime is required for finished job',
    ],
  },
  {
    name: 'KND-112 status: ended, but not complete',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    patch: { status: { completionTime: '2026-01-01T00:00:00Z' } },
    part: 'status',
    expect: [
      'status.completionTime: Invalid value: "2026-01-01T00:00:00Z": cannot set completionTime when there is no Complete=True condition',
    ],
  },
  {
    name: 'KND-112 status: indexes of a job without',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    patch: { status: { completedIndexes: '1', failedIndexes: 'x' } },
    part: 'status',
    expect: [
      'status.completedIndexes: Invalid value: "1": error parsing completedIndexes: too large index: "1"',
      'status.completedIndexes: Invalid value: "1": cannot set non-empty completedIndexes when non-indexed completion mode',
      'status.failedIndexes: Invalid value: "x": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
    ],
  },
  {
    name: 'KND-112 status: more ready than active',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    patch: { status: { startTime: '2026-01-01T00:00:00Z', active: 1, ready: 2 } },
    part: 'status',
    expect: ['status.ready: Invalid value: 2: cannot set more ready pods than active'],
  },
  {
    name: 'KND-112 status: pods counted twice',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    patch: { status: { uncountedTerminatedPods: { succeeded: ['a', 'a', ''], failed: ['a'] } } },
    part: 'status',
    expect: [
      'status.uncountedTerminatedPods.succeeded[1]: Duplicate value: "a"',
      'status.uncountedTerminatedPods.succeeded[2]: Invalid value: "": must not be empty',
      'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
    ],
  },
  {
    name: 'KND-113 schedule ""',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '', jobTemplate } },
    expect: ['spec.schedule: Required value'],
  },
  {
    name: 'KND-113 schedule "* * *"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '* * *', jobTemplate } },
    expect: ['spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]'],
  },
  {
    name: 'KND-113 schedule "* * * * * *"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '* * * * * *', jobTemplate } },
    expect: ['spec.schedule: Invalid value: "* * * * * *": expected exactly 5 fields, found 6: [* * * * * *]'],
  },
  {
    name: 'KND-113 schedule "60 * * * *"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '60 * * * *', jobTemplate } },
    expect: ['spec.schedule: Invalid value: "60 * * * *": end of range (60) above maximum (59): 60'],
  },
  {
    name: 'KND-113 schedule "5-1 * * * *"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '5-1 * * * *', jobTemplate } },
    expect: ['spec.schedule: Invalid value: "5-1 * * * *": beginning of range (5) beyond end of range (1): 5-1'],
  },
  {
    name: 'KND-113 schedule "*/0 * * * *"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '*/0 * * * *', jobTemplate } },
    expect: ['spec.schedule: Invalid value: "*/0 * * * *": step of range should be a positive number: */0'],
  },
  {
    name: 'KND-113 schedule "a * * * *"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: 'a * * * *', jobTemplate } },
    expect: [
      'spec.schedule: Invalid value: "a * * * *": failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax',
    ],
  },
  {
    name: 'KND-113 schedule "@every 1h"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '@every 1h', jobTemplate } },
    expect: [],
  },
  {
    name: 'KND-113 schedule "@foo"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '@foo', jobTemplate } },
    expect: ['spec.schedule: Invalid value: "@foo": unrecognized descriptor: @foo'],
  },
  {
    name: 'KND-113 schedule "TZ=UTC * * * * *"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: 'TZ=UTC * * * * *', jobTemplate } },
    expect: [
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  },
  {
    name: 'KND-113 schedule "CRON_TZ=Nope * * * * *"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: 'CRON_TZ=Nope * * * * *', jobTemplate } },
    expect: [
      'spec.schedule: Invalid value: "CRON_TZ=Nope * * * * *": provided bad location Nope: unknown time zone Nope',
      'spec.schedule: Invalid value: "CRON_TZ=Nope * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  },
  {
    name: 'KND-113 time zone ""',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '* * * * *', jobTemplate, timeZone: '' } },
    expect: ['spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
  },
  {
    name: 'KND-113 time zone "Nope"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '* * * * *', jobTemplate, timeZone: 'Nope' } },
    expect: ['spec.timeZone: Invalid value: "Nope": unknown time zone Nope'],
  },
  {
    name: 'KND-113 time zone "Local"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '* * * * *', jobTemplate, timeZone: 'Local' } },
    expect: [
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
  },
  {
    name: 'KND-113 time zone "local"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '* * * * *', jobTemplate, timeZone: 'local' } },
    expect: [
      'spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      'spec.timeZone: Invalid value: "local": unknown time zone local',
    ],
  },
  {
    name: 'KND-113 time zone "../x"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '* * * * *', jobTemplate, timeZone: '../x' } },
    expect: ['spec.timeZone: Invalid value: "../x": unknown time zone ../x'],
  },
  {
    name: 'KND-113 time zone "Europe/Berlin"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '* * * * *', jobTemplate, timeZone: 'Europe/Berlin' } },
    expect: [],
  },
  {
    name: 'KND-113 time zone "EUROPE/Berlin"',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '* * * * *', jobTemplate, timeZone: 'EUROPE/Berlin' } },
    expect: ['spec.timeZone: Invalid value: "EUROPE/Berlin": unknown time zone EUROPE/Berlin'],
  },
  {
    name: 'KND-113 52 characters',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: {
      spec: { schedule: '* * * * *', jobTemplate },
      metadata: { name: 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn' },
    },
    expect: [],
    warnings: [],
  },
  {
    name: 'KND-113 53 characters',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: {
      spec: { schedule: '* * * * *', jobTemplate },
      metadata: { name: 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn' },
    },
    expect: [
      'metadata.name: Invalid value: "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn": must be no more than 52 characters',
    ],
  },
  {
    name: 'KND-113 words and numbers',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: {
      spec: {
        schedule: '* * * * *',
        jobTemplate,
        concurrencyPolicy: 'X',
        startingDeadlineSeconds: -1,
        successfulJobsHistoryLimit: -1,
        failedJobsHistoryLimit: -1,
      },
    },
    expect: [
      `spec.startingDeadlineSeconds: Invalid value: -1: ${texts.natural}`,
      'spec.concurrencyPolicy: Unsupported value: "X": supported values: "Allow", "Forbid", "Replace"',
      `spec.successfulJobsHistoryLimit: Invalid value: -1: ${texts.natural}`,
      `spec.failedJobsHistoryLimit: Invalid value: -1: ${texts.natural}`,
    ],
  },
  {
    name: 'KND-113 its jobs',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '* * * * *', jobTemplate: { spec: { template, selector, manualSelector: true } } } },
    expect: [
      'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
      'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ],
  },
];

t.test('KND-110 to KND-113: workloads', async t => causesTable(t, cases));
