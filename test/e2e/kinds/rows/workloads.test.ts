/** Workloads: rows of Tables. */
import { jobTemplate, once, selector, target, template } from '../manifests.js';
import { age, rows, years } from './rows.js';

const ofJob = [age, 'c', 'i', /^batch.kubernetes.io\/controller-uid=/];
const since = /^\d+(y|d)/;
const startTime = '2026-01-01T00:00:00Z';
const conditions = (...types: readonly string[]) => types.map(type => ({ type, status: 'True' }));

rows('deployments', [
  {
    name: 'Deployment',
    given: { spec: { selector, template, replicas: 3 } },
    status: { replicas: 2, readyReplicas: 1, updatedReplicas: 2 },
    expect: ['1/3', 2, 0, age, 'c', 'i', 'a=b'],
  },
]);

rows('statefulsets', [
  {
    name: 'StatefulSet',
    given: { spec: { selector, template, replicas: 3 } },
    status: { replicas: 2, readyReplicas: 1 },
    expect: ['1/3', age, 'c', 'i'],
  },
]);

rows('replicasets', [
  {
    name: 'ReplicaSet',
    given: { spec: { selector, template, replicas: 3 } },
    status: { replicas: 2, readyReplicas: 1 },
    expect: [3, 2, 1, age, 'c', 'i', 'a=b'],
  },
]);

rows('daemonsets', [
  {
    name: 'DaemonSet',
    given: { spec: { selector, template } },
    status: {
      desiredNumberScheduled: 4,
      currentNumberScheduled: 3,
      numberReady: 2,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
      numberMisscheduled: 0,
    },
    expect: [4, 3, 2, 1, 1, '<none>', age, 'c', 'i', 'a=b'],
  },
]);

rows('jobs', [
  {
    name: 'job: Running',
    given: { spec: { template: once } },
    status: {},
    expect: ['Running', '0/1', '', ...ofJob],
  },
  {
    name: 'job: Suspended',
    given: { spec: { template: once, suspend: true } },
    status: { conditions: conditions('Suspended') },
    expect: ['Suspended', '0/1', '', ...ofJob],
  },
  {
    name: 'job: Complete',
    given: { spec: { template: once } },
    status: {
      startTime,
      completionTime: '2026-01-01T00:01:40Z',
      succeeded: 1,
      conditions: conditions('SuccessCriteriaMet', 'Complete'),
    },
    expect: ['Complete', '1/1', '100s', ...ofJob],
  },
  {
    name: 'job: Failed',
    given: { spec: { template: once } },
    status: { startTime, failed: 1, conditions: conditions('FailureTarget', 'Failed') },
    expect: ['Failed', '0/1', since, ...ofJob],
  },
  {
    name: 'job: FailureTarget',
    given: { spec: { template: once } },
    status: { startTime, conditions: conditions('FailureTarget') },
    expect: ['FailureTarget', '0/1', since, ...ofJob],
  },
  {
    name: 'job: SuccessCriteriaMet',
    given: { spec: { template: once } },
    status: { startTime, conditions: conditions('SuccessCriteriaMet') },
    expect: ['SuccessCriteriaMet', '0/1', since, ...ofJob],
  },
  {
    name: 'job: one of three',
    given: { spec: { template: once, completions: 3 } },
    status: { succeeded: 1 },
    expect: ['Running', '1/3', '', ...ofJob],
  },
  {
    name: 'job: parallelism of two',
    given: { spec: { template: once, parallelism: 2 } },
    status: {},
    expect: ['Running', '0/1 of 2', '', ...ofJob],
  },
]);

rows('cronjobs', [
  {
    name: 'CronJob',
    given: { spec: { schedule: '* * * * *', timeZone: 'UTC', suspend: true, jobTemplate } },
    status: { active: [{}], lastScheduleTime: '2020-01-01T00:00:00Z' },
    expect: ['* * * * *', 'UTC', 'True', 1, years, age, 'c', 'i', '<none>'],
  },
  {
    name: 'CronJob that never ran',
    given: { spec: { schedule: '* * * * *', jobTemplate } },
    expect: ['* * * * *', '<none>', 'False', 0, '<none>', age, 'c', 'i', '<none>'],
  },
]);

rows('horizontalpodautoscalers', [
  {
    name: 'measured',
    given: {
      spec: {
        maxReplicas: 3,
        minReplicas: 2,
        scaleTargetRef: target,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
          { type: 'Resource', resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 70 } } },
          { type: 'Resource', resource: { name: 'x.y/z', target: { type: 'AverageValue', averageValue: '5' } } },
        ],
      },
    },
    status: {
      currentReplicas: 2,
      desiredReplicas: 2,
      currentMetrics: [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 12, averageValue: '100m' } } },
      ],
    },
    expect: ['Deployment/x', 'cpu: 12%/80%, memory: <unknown>/70% + 1 more...', '2', 3, 2, age],
  },
  {
    name: 'other metrics',
    given: {
      spec: {
        maxReplicas: 3,
        scaleTargetRef: target,
        metrics: [
          { type: 'Pods', pods: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '5' } } },
          { type: 'External', external: { metric: { name: 'q' }, target: { type: 'Value', value: '5' } } },
        ],
      },
    },
    status: { currentReplicas: 2, desiredReplicas: 2, currentMetrics: null },
    expect: ['Deployment/x', '<unknown>/5, <unknown>/5', '1', 3, 2, age],
  },
  {
    name: 'no measured value',
    given: { spec: { maxReplicas: 3, scaleTargetRef: target } },
    expect: ['Deployment/x', 'cpu: <unknown>/80%', '1', 3, 0, age],
  },
]);

rows('poddisruptionbudgets', [
  {
    name: 'budget',
    given: { spec: { selector: {} } },
    expect: ['N/A', 'N/A', 0, age],
  },
]);
