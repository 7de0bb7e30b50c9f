/** The rules of changes to the status of a Job, one by one. */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { jobStatusRules } from '../../../../kinds/kubernetes/batch/job-status-rules.js';
import type { StrategyContext } from '../../../../registry/interface.js';

const context: StrategyContext = {
  ...{ user: { name: 'jane', groups: [] }, operation: 'update', namespace: 'space', subresource: 'status' },
  ...{ version: 'v1', dryRun: false, now: new Date(0), warn: () => undefined },
};
const job = (status: object, spec: object = {}): KubeObject => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' } },
  ...{ spec, status },
});
/** Returns the conditions of these types, which are true. */
const conditions = (...types: readonly string[]) => ({ conditions: types.map(type => ({ type, status: 'True' })) });
const start = { startTime: '2026-01-01T00:00:00Z' };
const end = { completionTime: '2026-01-01T01:00:00Z' };
const complete = { ...conditions('SuccessCriteriaMet', 'Complete'), ...start, ...end };
const failed = { ...conditions('FailureTarget', 'Failed'), ...start };
const indexed = { completionMode: 'Indexed', completions: 5, parallelism: 5, backoffLimitPerIndex: 1 };

interface Case {
  readonly name: string;
  readonly old?: object;
  readonly now: object;
  readonly spec?: object;
  readonly expect: readonly string[];
}

const about = 'status.conditions: Invalid value: ';
const cases: readonly Case[] = [
  { name: 'a job completes', now: complete, expect: [] },
  { name: 'a job fails', now: failed, expect: [] },
  {
    name: 'an unchanged status is not judged again',
    old: conditions('Complete', 'Failed'),
    now: conditions('Complete', 'Failed'),
    expect: [],
  },
  {
    name: 'complete and about to fail',
    now: { ...complete, ...conditions('SuccessCriteriaMet', 'Complete', 'FailureTarget') },
    expect: [
      `${about}cannot set Complete=True and FailureTarget=true conditions`,
      `${about}cannot set SuccessCriteriaMet=True and FailureTarget=true conditions`,
    ],
  },
  {
    name: 'an end without completion',
    now: end,
    expect: [
      'status.completionTime: Invalid value: "2026-01-01T01:00:00Z": cannot set completionTime when there is no Complete=True condition',
    ],
  },
  {
    name: 'an end before the start',
    now: { ...complete, completionTime: '2025-12-31T00:00:00Z' },
    expect: ['status.completionTime: Invalid value: "2025-12-31T00:00:00Z": must be equal to or after `startTime`'],
  },
  {
    name: 'a finished job with Pods that run or end',
    now: { ...failed, active: 1, terminating: 2 },
    expect: [
      'status.active: Invalid value: 1: active>0 is invalid for finished job',
      'status.terminating: Invalid value: 2: terminating>0 is invalid for finished job',
    ],
  },
  {
    name: 'a finished job without start',
    now: conditions('FailureTarget', 'Failed'),
    expect: ['status.startTime: Required value: startTime is required for finished job'],
  },
  {
    name: 'a suspended job without work ends without start',
    now: { ...complete, startTime: undefined },
    spec: { suspend: true, completions: 0 },
    expect: [],
  },
  {
    name: 'more Pods are ready than active',
    now: { active: 1, ready: 2 },
    expect: ['status.ready: Invalid value: 2: cannot set more ready pods than active'],
  },
  { name: 'indexes', now: { completedIndexes: '0,2-4', failedIndexes: '1' }, spec: indexed, expect: [] },
  {
    name: 'an index that has failed and succeeded',
    now: { completedIndexes: '0-3', failedIndexes: '2,4' },
    spec: indexed,
    expect: ['status.failedIndexes: Invalid value: "2,4": failedIndexes and completedIndexes overlap at index: 2'],
  },
  {
    name: 'indexes that cannot be read',
    now: { completedIndexes: '1,1', failedIndexes: 'x' },
    spec: indexed,
    expect: [
      'status.completedIndexes: Invalid value: "1,1": error parsing completedIndexes: non-increasing order, previous: 1, current: 1',
      'status.failedIndexes: Invalid value: "x": error parsing failedIndexes: cannot convert string to integer for index: "x"',
    ],
  },
  {
    name: 'a success policy without its condition',
    now: { ...conditions('Complete'), ...start, ...end },
    spec: { successPolicy: { rules: [] } },
    expect: [
      `${about}cannot set Complete=True condition without the SuccessCriteriaMet=true condition`,
      `${about}cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True`,
    ],
  },
  {
    name: 'terminal conditions stay',
    old: { ...failed, ...conditions('FailureTarget', 'Failed', 'SuccessCriteriaMet') },
    now: start,
    expect: [
      `${about}cannot disable the terminal Failed=True condition`,
      `${about}cannot disable the terminal FailureTarget=True condition`,
      `${about}cannot disable the SuccessCriteriaMet=True condition`,
    ],
  },
  { name: 'counters grow', old: { failed: 1, succeeded: 2 }, now: { failed: 1, succeeded: 3 }, expect: [] },
  {
    name: 'an indexed job that shrinks may count less successes',
    old: { succeeded: 2 },
    now: { succeeded: 1 },
    spec: indexed,
    expect: [],
  },
  {
    name: 'another job does not',
    old: { succeeded: 2 },
    now: { succeeded: 1 },
    spec: { ...indexed, parallelism: 2 },
    expect: ['status.succeeded: Invalid value: 1: cannot decrease the succeeded counter'],
  },
  {
    name: 'times stay',
    old: complete,
    now: { ...complete, startTime: '2026-01-01T00:00:01Z', completionTime: '2026-01-01T01:00:01Z' },
    expect: [
      'status.completionTime: Invalid value: "2026-01-01T01:00:01Z": field is immutable',
      'status.startTime: Invalid value: "2026-01-01T00:00:01Z": field is immutable for unsuspended job once set',
    ],
  },
  {
    name: 'a job that is resumed has another start',
    old: { ...start, ...conditions('Suspended') },
    now: { startTime: '2026-02-01T00:00:00Z', conditions: [{ type: 'Suspended', status: 'False' }] },
    expect: [],
  },
  {
    name: 'success after completion',
    old: { ...conditions('Complete'), ...start, ...end },
    now: complete,
    expect: [`${about}cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions`],
  },
];

for (const { name, old = {}, now, spec = {}, expect } of cases)
  t.test(name, async t => {
    const faults = jobStatusRules.flatMap(rule => rule(job(now, spec), job(old, spec), context));
    t.strictSame(
      faults.map(({ path, message }) => `${path}: ${message}`),
      expect,
    );
  });
