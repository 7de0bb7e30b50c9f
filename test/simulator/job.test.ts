/** Jobs of a simulated member: how they end, and the status of them and of their Pods. */
import t from 'tap';
import { silent } from '../../server/logger.js';
import type { Job } from '../../openapi/gen/batch-v1.js';
import type { Pod } from '../../openapi/gen/core-v1.js';
import { jobs, pods } from '../../api/kubernetes/resources.js';
import { startMember } from '../../simulator/member.js';
import { exitCodeAnnotation, restartDelay, runSecondsAnnotation } from '../../simulator/pods/lifetime.js';
import { backoffLeft, indexesText, parseIndexes } from '../../simulator/workloads/job-tally.js';
import { temporaryFolder } from '../apiserver/running.js';
import { until } from '../storage/until.js';

t.test('sets of indexes are read and written as text', async t => {
  for (const text of ['', '0', '0,1', '0,2', '1,3-5,7,8']) t.equal(indexesText(parseIndexes(text)), text);
});

t.test('the backoff before failed Pods are replaced', async t => {
  const at = (seconds: number): number => Date.parse('2026-01-01T00:00:00Z') + seconds * 1000;
  const pod = (phase: string, seconds: number): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {},
    status: {
      phase,
      containerStatuses: [
        {
          ...{ name: 'c', image: '', imageID: '', ready: false, restartCount: 0 },
          state: { terminated: { exitCode: 1, finishedAt: new Date(at(seconds)).toISOString() } },
        },
      ],
    },
  });
  const failed = [1, 2, 3].map(second => pod('Failed', second));
  t.equal(backoffLeft([], at(3)), 0);
  t.equal(backoffLeft(failed.slice(0, 1), at(1)), 10_000);
  t.equal(backoffLeft(failed, at(3)), 40_000);
  t.equal(backoffLeft(failed, at(43)), 0);
  t.equal(backoffLeft([...failed, pod('Succeeded', 2.5)], at(3)), 10_000, 'counted from the last success');
  t.equal(
    backoffLeft(
      Array.from({ length: 20 }, () => pod('Failed', 0)),
      at(0),
    ),
    600_000,
    'the backoff has a maximum',
  );
  t.strictSame([0, 1, 2, 9].map(restartDelay), [0, 10_000, 20_000, 300_000]);
});

t.test('Jobs of a member run, fail, and are suspended and deleted', async t => {
  const directory = await temporaryFolder(t);
  const { client, stop } = await startMember({ name: 'm', directory, host: '127.0.0.1', log: silent });
  t.teardown(stop);
  const namespace = 'default';

  interface Given {
    readonly spec?: object;
    readonly annotations?: Record<string, string>;
    readonly restartPolicy?: string;
  }
  const create = (name: string, { spec = {}, annotations = {}, restartPolicy = 'Never' }: Given) =>
    client.create(jobs, {
      ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace } },
      spec: {
        template: {
          metadata: { annotations },
          spec: { restartPolicy, containers: [{ name: 'main', image: 'busybox' }] },
        },
        ...spec,
      },
    });
  const get = async (name: string): Promise<Job> => await client.get(jobs, { namespace, name });
  const podsOf = async (name: string): Promise<Pod[]> =>
    (await client.list(pods, { namespace, labelSelector: `batch.kubernetes.io/job-name=${name}` })).items;
  const becomes = async (name: string, holds: (job: Job) => unknown): Promise<Job> => {
    await until(`Job ${name}`, async () => Boolean(holds(await get(name))));
    return get(name);
  };
  const ends = (name: string, type: string): Promise<Job> =>
    becomes(name, job => job.status?.conditions?.some(c => c.type === type && c.status === 'True'));
  const suspend = (name: string, value: boolean) =>
    client.patch(jobs, { namespace, name }, { type: 'merge', patch: { spec: { suspend: value } } });
  const forever = { [runSecondsAnnotation]: '86400' };
  const fails = { [runSecondsAnnotation]: '0', [exitCodeAnnotation]: '3' };

  await t.test('without annotations a Job completes', async t => {
    await create('usual', { spec: { completions: 3, parallelism: 2 } });
    const { status, metadata } = await ends('usual', 'Complete');
    t.match(status, { succeeded: 3, ready: 0, terminating: 0, completionTime: String, startTime: String });
    t.equal(status?.active, undefined);
    t.match(status?.conditions, [
      {
        type: 'SuccessCriteriaMet',
        reason: 'CompletionsReached',
        message: 'Reached expected number of succeeded pods',
      },
      { type: 'Complete', reason: 'CompletionsReached' },
    ]);
    const made = await podsOf('usual');
    t.equal(made.length, 3);
    for (const { status, metadata: pod } of made) {
      t.equal(status?.phase, 'Succeeded');
      t.match(status?.containerStatuses, [
        { ready: false, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
      ]);
      t.equal(pod.ownerReferences?.[0]?.uid, metadata.uid);
    }
  });

  await t.test('a Job fails with its Pods', async t => {
    await create('failing', { spec: { backoffLimit: 0 }, annotations: fails });
    const { status } = await ends('failing', 'Failed');
    t.match(status, { failed: 1, ready: 0 });
    t.equal(status?.completionTime, undefined);
    const said = { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
    t.match(status?.conditions, [
      { type: 'FailureTarget', ...said },
      { type: 'Failed', ...said },
    ]);
    const [pod] = await podsOf('failing');
    t.equal(pod?.status?.phase, 'Failed');
    t.match(pod?.status?.containerStatuses, [{ state: { terminated: { exitCode: 3, reason: 'Error' } } }]);
  });

  await t.test('a failed Pod is replaced after the backoff', async t => {
    await create('again', { spec: { backoffLimit: 2 }, annotations: fails });
    const { status } = await becomes('again', job => job.status?.failed === 1 && !job.status.active);
    t.equal(status?.conditions, undefined);
    t.equal((await podsOf('again')).length, 1);
  });

  await t.test('containers are restarted up to the backoff limit', async t => {
    await create('restarting', { spec: { backoffLimit: 1 }, annotations: fails, restartPolicy: 'OnFailure' });
    t.match((await ends('restarting', 'Failed')).status?.conditions, [
      { type: 'FailureTarget', reason: 'BackoffLimitExceeded' },
      { type: 'Failed' },
    ]);
    t.strictSame(await podsOf('restarting'), [], 'its Pods are deleted');
    await create('crashing', { annotations: fails, restartPolicy: 'OnFailure' });
    await until('a container that waits', async () => {
      const [pod] = await podsOf('crashing');
      return pod?.status?.containerStatuses?.[0]?.state?.waiting !== undefined;
    });
    const [pod] = await podsOf('crashing');
    t.match(pod?.status, {
      phase: 'Running',
      containerStatuses: [
        {
          ...{ ready: false, restartCount: 1, lastState: { terminated: { exitCode: 3 } } },
          state: { waiting: { reason: 'CrashLoopBackOff', message: /^back-off 10s restarting failed container=main/ } },
        },
      ],
    });
  });

  await t.test('an indexed Job has a Pod for each index', async t => {
    await create('indexed', { spec: { completionMode: 'Indexed', completions: 3, parallelism: 3 } });
    const { status } = await ends('indexed', 'Complete');
    t.match(status, { succeeded: 3, completedIndexes: '0-2' });
    const made = (await podsOf('indexed')).sort((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''));
    t.equal(made.length, 3);
    for (const [index, { metadata, spec }] of made.entries()) {
      t.match(metadata.name, new RegExp(`^indexed-${index}-`));
      t.equal(metadata.annotations?.['batch.kubernetes.io/job-completion-index'], String(index));
      t.equal(metadata.labels?.['batch.kubernetes.io/job-completion-index'], String(index));
      t.equal(spec?.hostname, `indexed-${index}`);
      t.ok(spec?.containers[0]?.env?.some(({ name }) => name === 'JOB_COMPLETION_INDEX'));
    }
  });

  await t.test('indexes fail independently with a backoff limit per index', async t => {
    const spec = { completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 0 };
    await create('per-index', { spec, annotations: fails });
    const { status } = await ends('per-index', 'Failed');
    t.match(status, { failed: 2, failedIndexes: '0,1' });
    t.match(status?.conditions, [{ type: 'FailureTarget', reason: 'FailedIndexes' }, { type: 'Failed' }]);
  });

  await t.test('a Job fails at its deadline', async t => {
    await create('late', { spec: { activeDeadlineSeconds: 1 }, annotations: forever });
    const { status } = await ends('late', 'Failed');
    const said = { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
    t.match(status?.conditions, [
      { type: 'FailureTarget', ...said },
      { type: 'Failed', ...said },
    ]);
    t.strictSame(await podsOf('late'), []);
  });

  await t.test('a Job can be suspended and resumed', async t => {
    await create('paused', { annotations: forever });
    await becomes('paused', job => job.status?.ready === 1);
    await suspend('paused', true);
    const { status } = await becomes('paused', job => !job.status?.active && job.status?.conditions);
    t.match(status?.conditions, [{ type: 'Suspended', status: 'True', reason: 'JobSuspended' }]);
    t.equal(status?.startTime, undefined);
    await until('no Pods', async () => (await podsOf('paused')).length === 0);
    await suspend('paused', false);
    const resumed = await becomes('paused', job => job.status?.ready === 1);
    t.match(resumed.status, { startTime: String, conditions: [{ type: 'Suspended', status: 'False' }] });
  });

  await t.test('a finished Job is deleted after its TTL', async t => {
    await create('gone', { spec: { ttlSecondsAfterFinished: 0 }, annotations: { [runSecondsAnnotation]: '0' } });
    await until('it is gone', async () => {
      const { items } = await client.list(jobs, { namespace });
      return !items.some(({ metadata }) => metadata.name === 'gone');
    });
    t.pass();
  });
});
