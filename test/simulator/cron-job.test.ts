import t from 'tap';
import type { Part } from '../../server/parts.js';
import { kubernetesControllers } from '../../cli/parts/kubernetes-controllers.js';
import { componentContext } from '../../client/runtime/component.js';
import type { CronJob, Job } from '../../openapi/gen/batch-v1.js';
import { cronJobs, jobs } from '../../api/kubernetes/resources.js';
import { defaultHardware, ensureNodes } from '../../simulator/cluster/nodes.js';
import { startNamespaceDefaults } from '../../simulator/cluster/namespaces.js';
import { startKubelets } from '../../simulator/pods/kubelet.js';
import { exitCodeAnnotation, runSecondsAnnotation } from '../../simulator/pods/lifetime.js';
import { startCronJobs, dueAt } from '../../simulator/workloads/cron-job.js';
import { startJobs } from '../../simulator/workloads/job.js';
import { runningServer } from '../apiserver/running.js';
import { until } from '../storage/until.js';
import { parseCron } from '../../controllers/autoscale/cron.js';

const at = (time: string): number => Date.parse(`2026-03-01T${time}Z`);

const table: { name: string; given: [schedule: string, earliest: number, now: number]; expect: number | undefined }[] =
  [
    { name: 'not due yet', given: ['0 * * * *', at('10:00:00'), at('10:59:59')], expect: undefined },
    { name: 'due now', given: ['0 * * * *', at('10:00:00'), at('11:00:00')], expect: at('11:00:00') },
    { name: 'a while after it was due', given: ['0 * * * *', at('10:30:00'), at('11:20:00')], expect: at('11:00:00') },
    {
      name: 'the latest of a few missed times',
      given: ['*/10 * * * *', at('10:01:00'), at('10:35:00')],
      expect: at('10:30:00'),
    },
    {
      name: 'the latest of a year of missed minutes',
      given: ['* * * * *', Date.parse('2025-03-01T00:00:00Z'), at('12:34:56')],
      expect: at('12:34:00'),
    },
    {
      name: 'the latest one of irregular times',
      given: ['0 0,6 * * *', Date.parse('2026-02-01T01:00:00Z'), at('05:00:00')],
      expect: at('00:00:00'),
    },
  ];

t.test('when a CronJob is due', async t => {
  for (const { name, given, expect } of table) {
    const [schedule, earliest, now] = given;
    t.equal(dueAt(parseCron(schedule, 'UTC'), earliest, now), expect, name);
  }
});

t.test('Jobs of a CronJob end, and old ones are deleted', async t => {
  // The start lies ahead of the server's clock, so that new objects are a minute old already.
  const began = Date.now() + 120_000;
  let passed = 0;
  const clock = { now: () => began + passed, sleep: () => new Promise<void>(() => undefined) };
  const controllers: Part = {
    name: 'cron',
    async start(part) {
      const context = componentContext(part, 'kube-controller-manager');
      await ensureNodes(context.client, 'm', { ...defaultHardware, kubeletPort: 0 }, Date.now());
      startNamespaceDefaults(context, part.pki.authority.certificate);
      startKubelets(context, 'm');
      startJobs(context);
      startCronJobs({ ...context, clock });
      return { stop: () => context.finished() };
    },
  };
  const parts = [controllers, kubernetesControllers(() => true)];
  const { client } = await runningServer(t, { profile: 'kubernetes', parts });
  const namespace = 'default';
  const create = (name: string, annotations: Record<string, string>) =>
    client.create(cronJobs, {
      ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name, namespace } },
      spec: {
        ...{
          schedule: '* * * * *',
          concurrencyPolicy: 'Forbid',
          successfulJobsHistoryLimit: 2,
          failedJobsHistoryLimit: 1,
        },
        jobTemplate: {
          metadata: { labels: { cron: name } },
          spec: {
            backoffLimit: 0,
            template: {
              metadata: { annotations: { [runSecondsAnnotation]: '0', ...annotations } },
              spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] },
            },
          },
        },
      },
    });
  const jobsOf = async (name: string): Promise<Job[]> =>
    (await client.list(jobs, { namespace, labelSelector: `cron=${name}` })).items;
  const ended = ({ status }: Job): boolean =>
    status?.conditions?.some(({ type }) => type === 'Complete' || type === 'Failed') ?? false;
  const get = async (name: string): Promise<CronJob> => (await client.get(cronJobs, { namespace, name })) as CronJob;
  await create('good', {});
  await create('bad', { [exitCodeAnnotation]: '1' });
  const names = ['good', 'bad'];
  const seen = new Map(names.map(name => [name, new Set<string | undefined>()]));
  const minutes = 5;
  for (let minute = 1; minute <= minutes; minute++) {
    for (const name of names)
      await client.patch(
        cronJobs,
        { namespace, name },
        { type: 'merge', patch: { metadata: { annotations: { minute: String(minute) } } } },
      );
    for (const name of names)
      await until(`the Job of minute ${minute} of ${name}`, async () => {
        const all = await jobsOf(name);
        for (const { metadata } of all) seen.get(name)?.add(metadata.name);
        return seen.get(name)?.size === minute && all.every(ended) && (await get(name)).status?.active === undefined;
      });
    passed += 60_000;
  }
  await until('the oldest go', async () => (await jobsOf('good')).length === 2 && (await jobsOf('bad')).length === 1);
  const { status } = await get('good');
  t.match(status, { lastScheduleTime: String, lastSuccessfulTime: String });
  t.equal((await get('bad')).status?.lastSuccessfulTime, undefined);
});
