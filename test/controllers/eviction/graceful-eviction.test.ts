/** When the copies in evicted clusters go. as pkg/controllers/gracefuleviction */
import t from 'tap';
import type { Binding } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { startGracefulEviction } from '../../../controllers/eviction/graceful-eviction.js';
import { core, object } from '../../aggregation/fleet.js';
import { until } from '../../storage/until.js';
import { runningControllers } from '../one-controller.js';

const namespace = 'default';
const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
const now = new Date().toISOString();

t.test('a task ends when its time is over, when users say so, or when all other clusters are healthy', async t => {
  const { client } = await runningControllers(t, context => startGracefulEviction(context, { timeout: 600_000 }));
  const task = (fromCluster: string, more: object = {}) => ({
    ...{ fromCluster, reason: 'TaintUntolerated', producer: 'TaintManager' },
    ...more,
  });
  const put = async (name: string, tasks: object[], health: Record<string, string> = {}): Promise<void> => {
    const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name };
    const binding = await client.create(
      resources.resourceBindings,
      object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
        metadata: { namespace },
        spec: { resource, clusters: [{ name: 'm8' }, { name: 'm9' }] },
      }),
    );
    const aggregatedStatus = Object.entries(health).map(([clusterName, value]) => ({ clusterName, health: value }));
    const { generation = 1 } = binding.metadata;
    // The update with the tasks counts the generation up by one.
    const status = { schedulerObservedGeneration: generation + 1, aggregatedStatus };
    const observed = await client.update(resources.resourceBindings, { ...binding, status }, { subresource: 'status' });
    const spec = { ...(observed as Binding).spec, gracefulEvictionTasks: tasks };
    await client.update(resources.resourceBindings, { ...observed, spec });
  };
  const tasksOf = async (name: string): Promise<string> => {
    const binding = (await client.get(resources.resourceBindings, { namespace, name })) as Binding;
    return (binding.spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster).join();
  };
  const healthy = { m8: 'Healthy', m9: 'Healthy' };
  const table: { name: string; tasks: object[]; health?: Record<string, string>; expect: string }[] = [
    {
      name: 'times',
      tasks: [
        task('default-over', { creationTimestamp: hourAgo }),
        task('default-left', { creationTimestamp: now }),
        task('own-over', { creationTimestamp: hourAgo, gracePeriodSeconds: 1800 }),
        task('own-left', { creationTimestamp: hourAgo, gracePeriodSeconds: 7200 }),
      ],
      expect: 'default-left,own-left',
    },
    {
      name: 'users',
      tasks: [
        task('kept', { creationTimestamp: hourAgo, suppressDeletion: true }),
        task('released', { creationTimestamp: now, suppressDeletion: false }),
      ],
      expect: 'kept',
    },
    { name: 'healthy', tasks: [task('m1', { creationTimestamp: now })], health: healthy, expect: '' },
    {
      name: 'one-unhealthy',
      tasks: [task('m1', { creationTimestamp: now }), task('m2', { creationTimestamp: hourAgo })],
      health: { ...healthy, m9: 'Unhealthy' },
      expect: 'm1',
    },
    {
      name: 'one-unreported',
      tasks: [task('m1', { creationTimestamp: now }), task('m2', { creationTimestamp: hourAgo })],
      health: { m8: 'Healthy' },
      expect: 'm1',
    },
  ];
  for (const { name, tasks, health } of table) await put(name, tasks, health);
  for (const { name, expect } of table)
    await until(`the tasks of ${name} are ${expect}`, async () => (await tasksOf(name)) === expect);
  await until('Events tell it, of the template too', async () => {
    const { items } = await client.list(core('events'), { namespace });
    const about = items
      .filter(event => event['message'] === 'Evict from cluster released succeed.')
      .map(event => (event['involvedObject'] as { kind?: string } | undefined)?.kind);
    return about.includes('ResourceBinding') && about.includes('Deployment');
  });
});
