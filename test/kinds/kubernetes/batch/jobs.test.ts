import t from 'tap';
import { faultTable, texts } from '../fault-table.js';

t.test(
  'jobs are validated',
  async t =>
    await faultTable(
      t,
      ['batch', 'Job'],
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'n', namespace: 'space', uid: 'u' },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      },
      [
        {
          name: 'numbers below zero',
          given: {
            spec: {
              parallelism: -1,
              completions: -1,
              activeDeadlineSeconds: -1,
              backoffLimit: -1,
              ttlSecondsAfterFinished: -1,
            },
          },
          expect: [
            ['spec.parallelism', `Invalid value: -1: ${texts.natural}`],
            ['spec.completions', `Invalid value: -1: ${texts.natural}`],
            ['spec.activeDeadlineSeconds', `Invalid value: -1: ${texts.natural}`],
            ['spec.backoffLimit', `Invalid value: -1: ${texts.natural}`],
            ['spec.ttlSecondsAfterFinished', `Invalid value: -1: ${texts.natural}`],
          ],
        },
        {
          name: 'no selector of its own',
          given: { spec: { manualSelector: true } },
          expect: [
            ['spec.selector', 'Required value'],
            ['spec.template.metadata.labels', 'Invalid value: null: `selector` does not match template `labels`'],
          ],
        },
        {
          name: 'pods with the restart policy Always',
          given: { spec: { template: { spec: { restartPolicy: 'Always' } } } },
          expect: [['spec.template.spec.restartPolicy', 'Required value: valid values: "OnFailure", "Never"']],
        },
        {
          name: 'pods with an unknown policy',
          given: { spec: { template: { spec: { restartPolicy: 'Foo' } } } },
          expect: [
            [
              'spec.template.spec.restartPolicy',
              'Unsupported value: "Foo": supported values: "Always", "OnFailure", "Never"',
            ],
            ['spec.template.spec.restartPolicy', 'Unsupported value: "Foo": supported values: "OnFailure", "Never"'],
          ],
        },
        {
          name: 'a large number of indexes',
          given: { spec: { completionMode: 'Indexed', completions: 100001, parallelism: 100001 } },
          expect: [
            [
              'spec.parallelism',
              'Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
            ],
          ],
          warnings: [
            'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
          ],
        },
        {
          name: 'an unknown mode',
          given: { spec: { completionMode: 'Foo' } },
          expect: [['spec.completionMode', 'Unsupported value: "Foo": supported values: "NonIndexed", "Indexed"']],
        },
        {
          name: 'limits of indexes, without indexes',
          given: { spec: { backoffLimitPerIndex: 1, maxFailedIndexes: 5 } },
          expect: [
            ['spec.backoffLimitPerIndex', 'Invalid value: 1: requires indexed completion mode'],
            ['spec.maxFailedIndexes', 'Invalid value: 5: requires indexed completion mode'],
          ],
        },
        {
          name: 'limits of indexes',
          given: { spec: { completionMode: 'Indexed', completions: 3, backoffLimitPerIndex: -1, maxFailedIndexes: 5 } },
          expect: [
            ['spec.backoffLimitPerIndex', `Invalid value: -1: ${texts.natural}`],
            ['spec.maxFailedIndexes', 'Invalid value: 5: must be less than or equal to completions'],
          ],
        },
        {
          name: 'maxFailedIndexes without backoffLimitPerIndex',
          given: { spec: { completionMode: 'Indexed', completions: 3, maxFailedIndexes: 5 } },
          expect: [
            ['spec.backoffLimitPerIndex', 'Required value: when maxFailedIndexes is specified'],
            ['spec.maxFailedIndexes', 'Invalid value: 5: must be less than or equal to completions'],
          ],
        },
        {
          name: 'an unknown pod replacement policy',
          given: { spec: { podReplacementPolicy: 'X' } },
          expect: [
            ['spec.podReplacementPolicy', 'Unsupported value: "X": supported values: "Failed", "TerminatingOrFailed"'],
          ],
        },
        {
          name: 'a pod replacement policy that a failure policy does not allow',
          given: { spec: { podReplacementPolicy: 'TerminatingOrFailed', podFailurePolicy: { rules: [] } } },
          expect: [
            ['spec.podReplacementPolicy', 'Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
          ],
        },
        {
          name: 'a managedBy without a domain',
          given: { spec: { managedBy: 'x' } },
          expect: [['spec.managedBy', 'Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")']],
        },
        {
          name: 'a failure policy for pods that restart',
          given: {
            spec: {
              template: { spec: { restartPolicy: 'OnFailure' } },
              podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] },
            },
          },
          expect: [
            [
              'spec.template.spec.restartPolicy',
              'Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
            ],
          ],
        },
        {
          name: 'rules of a failure policy',
          given: {
            spec: {
              podFailurePolicy: {
                rules: [
                  { action: 'X' },
                  { action: '', onExitCodes: { containerName: 'q', operator: 'Z', values: [] } },
                  {
                    action: 'Ignore',
                    onExitCodes: { operator: 'In', values: [3, 0, 3] },
                    onPodConditions: [{ type: 'a b', status: 'X' }],
                  },
                  { action: 'FailIndex', onExitCodes: { operator: 'NotIn', values: [2, 1] } },
                ],
              },
            },
          },
          expect: [
            [
              'spec.podFailurePolicy.rules[0].action',
              'Unsupported value: "X": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
            ],
            [
              'spec.podFailurePolicy.rules[0]',
              'Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
            ],
            [
              'spec.podFailurePolicy.rules[1].action',
              'Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
            ],
            [
              'spec.podFailurePolicy.rules[1].onExitCodes.operator',
              'Unsupported value: "Z": supported values: "In", "NotIn"',
            ],
            [
              'spec.podFailurePolicy.rules[1].onExitCodes.containerName',
              'Invalid value: "q": must be one of the container or initContainer names in the pod template',
            ],
            ['spec.podFailurePolicy.rules[1].onExitCodes.values', 'Invalid value: []: at least one value is required'],
            [
              'spec.podFailurePolicy.rules[2].onExitCodes.values[1]',
              'Invalid value: 0: must not be 0 for the In operator',
            ],
            ['spec.podFailurePolicy.rules[2].onExitCodes.values[2]', 'Duplicate value: 3'],
            ['spec.podFailurePolicy.rules[2].onExitCodes.values', 'Invalid value: [3,0,3]: must be ordered'],
            ['spec.podFailurePolicy.rules[2].onPodConditions[0].type', `Invalid value: "a b": ${texts.namePart}`],
            [
              'spec.podFailurePolicy.rules[2].onPodConditions[0].status',
              'Unsupported value: "X": supported values: "False", "True", "Unknown"',
            ],
            [
              'spec.podFailurePolicy.rules[2]',
              'Invalid value: specifying both OnExitCodes and OnPodConditions is not supported',
            ],
            [
              'spec.podFailurePolicy.rules[3].action',
              'Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
            ],
            ['spec.podFailurePolicy.rules[3].onExitCodes.values', 'Invalid value: [2,1]: must be ordered'],
          ],
        },
        {
          name: 'success without rules',
          given: { spec: { completionMode: 'Indexed', completions: 3, successPolicy: { rules: [] } } },
          expect: [
            [
              'spec.successPolicy.rules',
              'Required value: at least one rules must be specified when the successPolicy is specified',
            ],
          ],
        },
        {
          name: 'rules of success',
          given: {
            spec: {
              completionMode: 'Indexed',
              completions: 3,
              successPolicy: {
                rules: [
                  {},
                  { succeededIndexes: '5-7' },
                  { succeededIndexes: '2,1' },
                  { succeededIndexes: '0-1', succeededCount: 3 },
                  { succeededCount: -1 },
                ],
              },
            },
          },
          expect: [
            [
              'spec.successPolicy.rules[0]',
              'Required value: at least one of succeededCount or succeededIndexes must be specified',
            ],
            [
              'spec.successPolicy.rules[1].succeededIndexes',
              'Invalid value: "5-7": error parsing succeededIndexes: too large index: "5"',
            ],
            [
              'spec.successPolicy.rules[2].succeededIndexes',
              'Invalid value: "2,1": error parsing succeededIndexes: non-increasing order, previous: 2, current: 1',
            ],
            [
              'spec.successPolicy.rules[3].succeededCount',
              'Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)',
            ],
            ['spec.successPolicy.rules[4].succeededCount', `Invalid value: -1: ${texts.natural}`],
          ],
        },
        {
          name: 'success without indexes',
          given: { spec: { successPolicy: { rules: [{ succeededCount: 1 }] } } },
          expect: [
            [
              'spec.successPolicy',
              'Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
            ],
          ],
        },
        {
          name: 'counts of a status',
          part: 'status',
          given: { status: { active: -1, succeeded: -1, failed: -1, ready: -1, terminating: -1 } },
          expect: [
            ['status.active', `Invalid value: -1: ${texts.natural}`],
            ['status.succeeded', `Invalid value: -1: ${texts.natural}`],
            ['status.failed', `Invalid value: -1: ${texts.natural}`],
            ['status.ready', `Invalid value: -1: ${texts.natural}`],
            ['status.terminating', `Invalid value: -1: ${texts.natural}`],
            ['status.failed', 'Invalid value: -1: cannot decrease the failed counter'],
            ['status.succeeded', 'Invalid value: -1: cannot decrease the succeeded counter'],
          ],
        },
        {
          name: 'two terminal conditions',
          part: 'status',
          given: {
            status: {
              conditions: [
                { type: 'Complete', status: 'True' },
                { type: 'Failed', status: 'True' },
              ],
              startTime: '2026-01-01T00:00:00Z',
            },
          },
          expect: [
            ['status.conditions', 'Invalid value: cannot set Complete=True and Failed=true conditions'],
            ['status.completionTime', 'Required value: completionTime is required for Complete jobs'],
            [
              'status.conditions',
              'Invalid value: cannot set Failed=True condition without the FailureTarget=true condition',
            ],
            [
              'status.conditions',
              'Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
            ],
          ],
        },
        {
          name: 'uncounted pods of a finished job',
          part: 'status',
          given: {
            status: {
              startTime: '2026-01-01T00:00:00Z',
              conditions: [
                { type: 'FailureTarget', status: 'True' },
                { type: 'Failed', status: 'True' },
              ],
              uncountedTerminatedPods: { succeeded: ['a'] },
            },
          },
          expect: [
            [
              'status.uncountedTerminatedPods',
              'Invalid value: {"Succeeded":["a"],"Failed":null}: must be empty for finished job',
            ],
          ],
        },
        {
          name: 'indexes of a status',
          part: 'status',
          given: {
            status: {
              completedIndexes: '3',
              failedIndexes: '1',
              uncountedTerminatedPods: { succeeded: ['a', 'a'], failed: ['a', ''] },
            },
          },
          expect: [
            ['status.uncountedTerminatedPods.succeeded[1]', 'Duplicate value: "a"'],
            ['status.uncountedTerminatedPods.failed[0]', 'Duplicate value: "a"'],
            ['status.uncountedTerminatedPods.failed[1]', 'Invalid value: "": must not be empty'],
            ['status.completedIndexes', 'Invalid value: "3": error parsing completedIndexes: too large index: "3"'],
            [
              'status.completedIndexes',
              'Invalid value: "3": cannot set non-empty completedIndexes when non-indexed completion mode',
            ],
            [
              'status.failedIndexes',
              'Invalid value: "1": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
            ],
          ],
        },
      ],
    ),
);

t.test(
  'cron jobs are validated',
  async t =>
    await faultTable(
      t,
      ['batch', 'CronJob'],
      {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'n', namespace: 'space' },
        spec: {
          schedule: '* * * * *',
          jobTemplate: {
            spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
          },
        },
      },
      [
        {
          name: 'an invalid schedule',
          given: { spec: { schedule: 'x y' } },
          expect: [['spec.schedule', 'Invalid value: "x y": expected exactly 5 fields, found 2: [x y]']],
        },
        { name: 'no schedule', given: { spec: { schedule: '' } }, expect: [['spec.schedule', 'Required value']] },
        {
          name: 'a zone in the schedule',
          given: { spec: { schedule: 'TZ=UTC * * * * *' } },
          expect: [
            [
              'spec.schedule',
              'Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
            ],
          ],
        },
        {
          name: 'a zone in the stored schedule',
          old: { spec: { schedule: 'TZ=UTC * * * * *' } },
          given: { spec: { schedule: 'TZ=UTC 0 * * * *' } },
          expect: [],
          warnings: [
            'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
          ],
        },
        {
          name: 'an unknown zone',
          given: { spec: { timeZone: 'Nowhere/x' } },
          expect: [['spec.timeZone', 'Invalid value: "Nowhere/x": unknown time zone Nowhere/x']],
        },
        {
          name: 'an empty zone',
          given: { spec: { timeZone: '' } },
          expect: [['spec.timeZone', 'Invalid value: "": timeZone must be nil or non-empty string']],
        },
        {
          name: 'a zone in other case',
          given: { spec: { timeZone: 'Europe/BERLIN' } },
          expect: [['spec.timeZone', 'Invalid value: "Europe/BERLIN": unknown time zone Europe/BERLIN']],
        },
        {
          name: 'an old name of a zone',
          given: { spec: { timeZone: 'US/Pacific' } },
          expect: [],
        },
        {
          name: 'a zone by its offset',
          given: { spec: { timeZone: 'Etc/GMT+12' } },
          expect: [],
        },
        {
          name: 'a zone without a region',
          given: { spec: { timeZone: 'GMT' } },
          expect: [],
        },
        {
          name: 'a short name in other case',
          given: { spec: { timeZone: 'Gmt' } },
          expect: [['spec.timeZone', 'Invalid value: "Gmt": unknown time zone Gmt']],
        },
        {
          name: 'an old name in other case',
          given: { spec: { timeZone: 'us/pacific' } },
          expect: [['spec.timeZone', 'Invalid value: "us/pacific": unknown time zone us/pacific']],
        },
        {
          name: 'a zone that is a path',
          given: { spec: { timeZone: '../UTC' } },
          expect: [['spec.timeZone', 'Invalid value: "../UTC": unknown time zone ../UTC']],
        },
        {
          name: 'the zone Local',
          given: { spec: { timeZone: 'Local' } },
          expect: [
            [
              'spec.timeZone',
              'Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
            ],
          ],
        },
        {
          name: 'the zone of the server',
          given: { spec: { timeZone: 'local' } },
          expect: [
            [
              'spec.timeZone',
              'Invalid value: "local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
            ],
            ['spec.timeZone', 'Invalid value: "local": unknown time zone local'],
          ],
        },
        {
          name: 'numbers below zero',
          given: { spec: { startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 } },
          expect: [
            ['spec.startingDeadlineSeconds', `Invalid value: -1: ${texts.natural}`],
            ['spec.successfulJobsHistoryLimit', `Invalid value: -1: ${texts.natural}`],
            ['spec.failedJobsHistoryLimit', `Invalid value: -1: ${texts.natural}`],
          ],
        },
        {
          name: 'an unknown policy',
          given: { spec: { concurrencyPolicy: 'X' } },
          expect: [
            ['spec.concurrencyPolicy', 'Unsupported value: "X": supported values: "Allow", "Forbid", "Replace"'],
          ],
        },
        {
          name: 'a name that is too long for the names of its jobs',
          given: { metadata: { name: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' } },
          expect: [
            [
              'metadata.name',
              'Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 52 characters',
            ],
          ],
        },
        {
          name: 'jobs that select pods themselves',
          given: { spec: { jobTemplate: { spec: { manualSelector: true } } } },
          expect: [
            ['spec.jobTemplate.spec.manualSelector', 'Unsupported value: true: supported values: "nil", "false"'],
          ],
        },
        {
          name: 'pods with the restart policy Always',
          given: { spec: { jobTemplate: { spec: { template: { spec: { restartPolicy: 'Always' } } } } } },
          expect: [
            ['spec.jobTemplate.spec.template.spec.restartPolicy', 'Required value: valid values: "OnFailure", "Never"'],
          ],
        },
      ],
    ),
);
