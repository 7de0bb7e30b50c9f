/** CronJobs, with a clock that the test controls. as test/e2e/apps/cronjob.go */
import t from 'tap';
import type { Part } from '../../../server/parts.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { componentContext } from '../../../client/runtime/component.js';
import { startNamespaceDefaults } from '../../../simulator/cluster/namespaces.js';
import { startCronJobs } from '../../../simulator/workloads/cron-job.js';
import { startJobs } from '../../../simulator/workloads/job.js';
import { runningServer } from '../../apiserver/running.js';
import { kit, type Resource, type Thing } from './kit.js';

// The clock is ahead of the server's clock, so that a new CronJob has already missed a minute.
const began = Date.now() + 120_000;
let passed = 0;
const clock = {
  now: () => began + passed,
  sleep: () => new Promise<void>(() => undefined),
};

const controllers: Part = {
  name: 'cron',
  start(part) {
    const context = componentContext(part, 'kube-controller-manager');
    startNamespaceDefaults(context, part.pki.authority.certificate);
    startJobs(context);
    startCronJobs({ ...context, clock });
    return Promise.resolve({ stop: () => context.finished() });
  },
};

const server = await runningServer(t, {
  profile: 'kubernetes',
  parts: [controllers, kubernetesControllers(() => true)],
});
const all = kit(t, server);

const template = {
  spec: { restartPolicy: 'OnFailure', containers: [{ name: 'c', image: 'busybox', command: ['sleep', '300'] }] },
};
const cronJob = (concurrencyPolicy: string, more: object = {}) => ({
  metadata: { name: 'cron' },
  spec: {
    schedule: '*/1 * * * ?',
    concurrencyPolicy,
    jobTemplate: { spec: { parallelism: 1, completions: 1, template } },
    ...more,
  },
});

interface Fixture {
  readonly crons: Resource;
  readonly jobs: Resource;
  /** Advances the clock by a minute; resolves when the controller has handled it. */
  readonly minute: () => Promise<void>;
  /** Returns the names of active Jobs. */
  readonly active: () => Promise<readonly string[]>;
}

interface Status {
  readonly active?: readonly { readonly name: string }[];
}

async function fixture(policy: string, more: object = {}): Promise<Fixture> {
  const namespace = await all.namespace();
  const crons = all.of('batch/v1/cronjobs', namespace);
  const jobs = all.of('batch/v1/jobs', namespace);
  await crons.create(cronJob(policy, more));
  /** A CronJob that is created later, so that the controller handles it after the tested one. */
  const marker = all.of('batch/v1/cronjobs', await all.namespace('marker'));
  const marked = all.of('batch/v1/jobs', marker.path.split('/')[5]);
  let minutes = 0;
  return {
    ...{ crons, jobs },
    async minute() {
      passed += 60_000;
      minutes++;
      if (minutes === 1) await marker.create({ ...cronJob('Allow'), metadata: { name: 'cron' } });
      for (const of of [crons, marker])
        await of.patch('cron', { metadata: { annotations: { minute: String(minutes) } } });
      await marked.count(minutes);
    },
    async active() {
      const { status } = await crons.get('cron');
      return ((status as Status).active ?? []).map(({ name }) => name);
    },
  };
}

const activeOf = ({ status }: Thing): number => (status as Status).active?.length ?? 0;

t.test('Allow runs Jobs concurrently', async t => {
  const { crons, jobs, minute } = await fixture('Allow');
  await minute();
  await minute();
  await crons.becomes('cron', cron => activeOf(cron) >= 2);
  const { items } = await jobs.list();
  t.ok(items.length >= 2);
  for (const { metadata } of items)
    await jobs.becomes(metadata.name, ({ status }) => (status as { active?: number }).active === 1);
  await crons.remove('cron', { propagationPolicy: 'Background' });
  t.equal((await jobs.count(0)).length, 0);
});

t.test('a suspended CronJob creates no Job', async t => {
  const { crons, jobs, minute } = await fixture('Allow', { suspend: true });
  for (let i = 0; i < 3; i++) await minute();
  t.equal(activeOf(await crons.get('cron')), 0);
  t.same((await jobs.list()).items, []);
});

t.test('Forbid creates no second Job', async t => {
  const { crons, jobs, minute, active } = await fixture('Forbid');
  await minute();
  await crons.becomes('cron', cron => activeOf(cron) === 1);
  const [first] = await active();
  await minute();
  await minute();
  t.same(await active(), [first]);
  t.match((await jobs.list()).items, [{ metadata: { name: first } }]);
});

t.test('Replace replaces the running Job', async t => {
  const { crons, jobs, minute, active } = await fixture('Replace');
  await minute();
  await crons.becomes('cron', cron => activeOf(cron) === 1);
  const [first = ''] = await active();
  await minute();
  await jobs.gone(first);
  await crons.becomes('cron', ({ status }) => (status as Status).active?.every(({ name }) => name !== first));
  const [second, ...others] = await active();
  t.ok(second);
  t.same(others, []);
  t.match((await jobs.list()).items, [{ metadata: { name: second } }]);
});
