/** Which Jobs are deleted after their end. as pkg/controller/ttlafterfinished processJob */
import t from 'tap';
import { find } from '../../../client/find.js';
import { startTtlAfterFinished } from '../../../controllers/platform/ttl-after-finished.js';
import { jobs } from '../../../api/kubernetes/resources.js';
import { object } from '../../aggregation/fleet.js';
import { until } from '../../storage/until.js';
import { runningControllers } from '../one-controller.js';

const namespace = 'default';
const hourAgo = `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 19)}Z`;

/** Returns the status of a Job that has ended an hour ago; undefined while it runs. */
function statusOf(end: string | undefined): object {
  if (end === undefined) return { startTime: hourAgo, active: 1 };
  const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: hourAgo, lastProbeTime: hourAgo });
  return end === 'Complete'
    ? {
        ...{ startTime: hourAgo, completionTime: hourAgo, succeeded: 1 },
        conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
      }
    : { startTime: hourAgo, failed: 1, conditions: [condition('FailureTarget'), condition('Failed')] };
}

t.test('a Job goes when it has ended, its TTL has passed, and not before', async t => {
  const { client } = await runningControllers(t, context => startTtlAfterFinished(context));
  const table: { name: string; ttl: number | undefined; end: string | undefined; expect: 'goes' | 'stays' }[] = [
    { name: 'without-ttl', ttl: undefined, end: 'Complete', expect: 'stays' },
    { name: 'running', ttl: 0, end: undefined, expect: 'stays' },
    { name: 'ttl-not-over', ttl: 7200, end: 'Complete', expect: 'stays' },
    { name: 'ttl-zero', ttl: 0, end: 'Complete', expect: 'goes' },
    { name: 'complete', ttl: 3500, end: 'Complete', expect: 'goes' },
    { name: 'failed', ttl: 3500, end: 'Failed', expect: 'goes' },
  ];
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] } };
  for (const { name, ttl, end } of table) {
    const spec = { template, ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }) };
    const job = await client.create(jobs, object('batch/v1', 'Job', name, { metadata: { namespace }, spec }));
    await client.update(jobs, { ...job, status: statusOf(end) }, { subresource: 'status' });
  }
  const isThere = async (name: string): Promise<boolean> =>
    (await find(client, jobs, { namespace, name })) !== undefined;
  // The Jobs that stay were created first.
  for (const { name, expect } of table)
    if (expect === 'goes')
      await until(`${name} is deleted`, async () => {
        const job = await find(client, jobs, { namespace, name });
        return job === undefined || job.metadata.deletionTimestamp !== undefined;
      });
    else t.ok(await isThere(name), name);
  for (const { name, expect } of table) if (expect === 'stays') t.ok(await isThere(name), name);

  const patch = { spec: { ttlSecondsAfterFinished: 60 } };
  await client.patch(jobs, { namespace, name: 'ttl-not-over' }, { type: 'merge', patch });
  await until('a shorter TTL counts', async () => {
    const job = await find(client, jobs, { namespace, name: 'ttl-not-over' });
    return job === undefined || job.metadata.deletionTimestamp !== undefined;
  });
});
