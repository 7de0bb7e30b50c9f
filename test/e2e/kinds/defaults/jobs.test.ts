/** Jobs and CronJobs: defaults. */
import { jobTemplate, once } from '../manifests.js';
import { defaultedTemplate, testDefaults } from './defaults.js';

const labels = {
  'batch.kubernetes.io/controller-uid': 'UID',
  'batch.kubernetes.io/job-name': 'x',
  'controller-uid': 'UID',
  'job-name': 'x',
};
const filledOnce = { ...defaultedTemplate, metadata: {}, spec: { ...defaultedTemplate.spec, restartPolicy: 'Never' } };
const filledJob = (more: object) => ({
  metadata: { generation: 1, labels },
  spec: {
    parallelism: 1,
    backoffLimit: 6,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'UID' } },
    manualSelector: false,
    template: { ...filledOnce, metadata: { labels } },
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    ...more,
  },
  status: {},
});

testDefaults('jobs', [
  {
    name: 'a job',
    given: { spec: { template: once } },
    expect: filledJob({ completions: 1 }),
  },
  {
    name: 'a job with a pod failure policy',
    given: {
      spec: { template: once, podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'D' }] }] } },
    },
    expect: filledJob({
      completions: 1,
      podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'D', status: 'True' }] }] },
      podReplacementPolicy: 'Failed',
    }),
  },
  {
    name: 'parallelism without completions',
    given: { spec: { template: once, parallelism: 2 } },
    expect: filledJob({ parallelism: 2 }),
  },
  {
    name: 'a backoff limit per index',
    given: { spec: { template: once, backoffLimitPerIndex: 1, completionMode: 'Indexed', completions: 2 } },
    expect: filledJob({ completions: 2, backoffLimit: 2147483647, backoffLimitPerIndex: 1, completionMode: 'Indexed' }),
  },
]);

testDefaults('cronjobs', [
  {
    name: 'job templates of a CronJob have no defaults of Jobs',
    given: { spec: { schedule: '* * * * *', jobTemplate } },
    expect: {
      metadata: { generation: 1 },
      spec: {
        schedule: '* * * * *',
        concurrencyPolicy: 'Allow',
        suspend: false,
        jobTemplate: { metadata: {}, spec: { template: filledOnce } },
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      },
      status: {},
    },
  },
]);
