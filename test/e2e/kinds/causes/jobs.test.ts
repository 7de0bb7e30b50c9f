/** Jobs: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { containers, once, template } from '../manifests.js';
import { causes, dotted } from './causes.js';

causes('jobs', [
  {
    name: 'the default restart policy',
    given: { spec: { template: { spec: { containers } } } },
    expect: ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  },
  {
    name: 'numbers',
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
    name: 'indexes',
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
    name: 'limits of indexes without indexes',
    given: { spec: { template: once, maxFailedIndexes: 2, backoffLimitPerIndex: 1 } },
    expect: [
      'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
      'spec.maxFailedIndexes: Invalid value: 2: requires indexed completion mode',
    ],
  },
  {
    name: 'failures',
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
    name: 'an invalid managedBy',
    given: { spec: { template: once, managedBy: 'x' } },
    expect: ['spec.managedBy: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")'],
  },
  {
    name: 'a selector of its own',
    given: { spec: { template: once, manualSelector: true } },
    expect: [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    ],
  },
  {
    name: 'changed completions',
    given: { spec: { template: once, completions: 1, parallelism: 1 } },
    patch: { spec: { completions: 2 } },
    expect: ['spec.completions: Invalid value: 2: field is immutable'],
  },
  {
    name: 'a changed completion mode',
    given: { spec: { template: once, completions: 1, parallelism: 1 } },
    patch: { spec: { completionMode: 'Indexed' } },
    expect: ['spec.completionMode: Invalid value: "Indexed": field is immutable'],
  },
  {
    name: 'a changed template, shown with the names of Go',
    given: { spec: { template: once } },
    patch: { spec: { template: { spec: { nodeSelector: { a: 'b' } } } } },
    expect: ['spec.template: Invalid value: {"labels":{"batch.kubernetes.i…'],
  },
  {
    name: 'a limit of indexes that is added',
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
    name: 'scheduling of a suspended job',
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
    name: 'completions without parallelism',
    given: { spec: { template: once, suspend: true, completionMode: 'Indexed', completions: 2, parallelism: 2 } },
    patch: { spec: { completions: 3 } },
    expect: ['spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism'],
  },
  {
    name: 'completions with parallelism',
    given: { spec: { template: once, suspend: true, completionMode: 'Indexed', completions: 2, parallelism: 2 } },
    patch: { spec: { completions: 3, parallelism: 3 } },
    expect: [],
  },
  {
    name: 'status: counts',
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
    name: 'status: Complete without SuccessCriteriaMet',
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
    name: 'status: Complete and Failed',
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
    name: 'status: a completionTime without Complete',
    given: { spec: { template: once } },
    patch: { status: { completionTime: '2026-01-01T00:00:00Z' } },
    part: 'status',
    expect: [
      'status.completionTime: Invalid value: "2026-01-01T00:00:00Z": cannot set completionTime when there is no Complete=True condition',
    ],
  },
  {
    name: 'status: indexes of a job without indexes',
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
    name: 'status: more ready than active',
    given: { spec: { template: once } },
    patch: { status: { startTime: '2026-01-01T00:00:00Z', active: 1, ready: 2 } },
    part: 'status',
    expect: ['status.ready: Invalid value: 2: cannot set more ready pods than active'],
  },
  {
    name: 'status: pods counted twice',
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
    name: 'Job: a name with a dot',
    given: { metadata: { name: 'a.b' }, spec: { template: once } },
    expect: [],
    warnings: [dotted],
  },
  {
    name: 'a large number of indexes',
    given: { spec: { completionMode: 'Indexed', completions: 100001, parallelism: 10001, template: once } },
    expect: [],
    warnings: [
      'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
    ],
  },
  {
    name: 'the default restart policy, with labels',
    given: { spec: { template } },
    expect: ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  },
]);
