/** The writes of simulated controllers that are saved: a Pod is created on its node, and a ReplicaSet with its replicas. */
import t from 'tap';
import type { ReplicaSet } from '../../openapi/gen/apps-v1.js';
import type { Pod } from '../../openapi/gen/core-v1.js';
import { deployments, events, pods, replicaSets } from '../../api/kubernetes/resources.js';
import type { WatchEvent } from '../../client/interface.js';
import { silent } from '../../server/logger.js';
import { startMember } from '../../simulator/member.js';
import { temporaryFolder } from '../apiserver/running.js';
import { until } from '../storage/until.js';

const namespace = 'default';
const hardware = { nodes: 2, cpu: '1', memory: '1Gi', pods: '10' };

const deployment = (app: string, replicas: number, requests: object, spec: object = {}) => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: app, namespace } },
  spec: {
    ...{ replicas, selector: { matchLabels: { app } } },
    template: {
      metadata: { labels: { app } },
      spec: { ...spec, containers: [{ name: 'main', image: 'nginx:1.27', resources: { requests } }] },
    },
  },
});

t.test('the first state of the objects of a Deployment', async t => {
  const directory = await temporaryFolder(t);
  const member = await startMember({ name: 'm', directory, host: '127.0.0.1', log: silent, hardware });
  t.teardown(() => member.stop());
  const { client } = member;
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  const added: WatchEvent[] = [];
  const collect = async (resource: typeof pods): Promise<void> => {
    for await (const event of client.watch(resource, { resourceVersion: '0' }, stopping.signal))
      if (event.type === 'ADDED') added.push(event);
  };
  for (const resource of [pods, replicaSets]) collect(resource).catch((error: unknown) => void t.error(error));
  const firstOf = <T>(kind: string, app: string): T[] =>
    added.flatMap(({ object }) =>
      object.kind === kind && object.metadata.labels?.['app'] === app ? object : [],
    ) as T[];
  const runs = (name: string, replicas: number): Promise<void> =>
    until(`${name} has ${replicas} replicas`, async () => {
      const { status, metadata } = await client.get(deployments, { namespace, name });
      const { readyReplicas, updatedReplicas, observedGeneration } = status as Record<string, number>;
      return readyReplicas === replicas && updatedReplicas === replicas && observedGeneration === metadata.generation;
    });

  await t.test('Pods with known requests are created on nodes, as evenly as others', async t => {
    await client.create(deployments, deployment('known', 4, { cpu: '100m', memory: '10Mi' }));
    await runs('known', 4);
    const nodes = firstOf<Pod>('Pod', 'known').map(({ spec }) => spec?.nodeName);
    t.equal(nodes.length, 4);
    t.same(new Set(nodes).size, 2, 'each node has some of them');
    await until('there is an Event of each', async () => {
      const { items } = await client.list(events, { namespace });
      const messages = items.filter(({ reason }) => reason === 'Scheduled').map(({ message }) => String(message));
      return firstOf<Pod>('Pod', 'known').every(({ metadata: { name = '' }, spec }) =>
        messages.includes(`Successfully assigned ${namespace}/${name} to ${spec?.nodeName}`),
      );
    });
  });

  await t.test('Pods whose template names a node are created on it', async t => {
    const nodeName = firstOf<Pod>('Pod', 'known')[0]?.spec?.nodeName;
    await client.create(deployments, deployment('named', 2, { cpu: '10m', memory: '1Mi' }, { nodeName }));
    await runs('named', 2);
    const nodes = firstOf<Pod>('Pod', 'named').map(({ spec }) => spec?.nodeName);
    t.same(nodes, [nodeName, nodeName]);
    await client.delete(deployments, { namespace, name: 'named' });
  });

  await t.test('a Pod whose requests admission may add gets its node afterwards', async t => {
    await client.create(deployments, deployment('unknown', 1, {}));
    await runs('unknown', 1);
    t.equal(firstOf<Pod>('Pod', 'unknown')[0]?.spec?.nodeName, undefined);
  });

  await t.test('a Pod that fits no node waits until one has room', async t => {
    await client.create(deployments, deployment('large', 1, { cpu: '900m', memory: '10Mi' }));
    await until('the Pod is unschedulable', async () => {
      const { items } = await client.list(pods, { namespace, labelSelector: 'app=large' });
      return (items[0] as Pod | undefined)?.status?.conditions?.[0]?.reason === 'Unschedulable';
    });
    await client.delete(deployments, { namespace, name: 'known' });
    await runs('large', 1);
    t.equal(firstOf<Pod>('Pod', 'large')[0]?.spec?.nodeName, undefined);
  });

  await t.test('a ReplicaSet of a rollout is created with the replicas of its first step', async t => {
    await client.create(deployments, deployment('rolled', 2, { cpu: '10m', memory: '10Mi' }));
    await runs('rolled', 2);
    const patch = { spec: { template: { metadata: { annotations: { turn: '2' } } } } };
    await client.patch(deployments, { namespace, name: 'rolled' }, { type: 'merge', patch });
    await runs('rolled', 2);
    const replicas = firstOf<ReplicaSet>('ReplicaSet', 'rolled').map(({ spec }) => spec?.replicas);
    t.same(replicas, [2, 1]);
  });

  await t.test('a Pod that cannot be created takes no room', async () => {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none', namespace } };
    const quotas = { group: '', version: 'v1', resource: 'resourcequotas' };
    await client.create(quotas, { ...quota, spec: { hard: { pods: '0' } } });
    await until('the quota is counted', async () => {
      const { status } = await client.get(quotas, { namespace, name: 'none' });
      return (status as { hard?: object } | undefined)?.hard !== undefined;
    });
    await client.create(deployments, deployment('refused', 1, { cpu: '500m', memory: '10Mi' }));
    await until('the creation has failed', async () => {
      const { items } = await client.list(events, { namespace });
      return items.some(({ reason, message }) => reason === 'FailedCreate' && String(message).includes('refused'));
    });
    await client.delete(deployments, { namespace, name: 'large' });
    await client.delete(quotas, { namespace, name: 'none' });
    await client.create(deployments, deployment('next', 2, { cpu: '700m', memory: '10Mi' }));
    await client.delete(deployments, { namespace, name: 'refused' });
    await runs('next', 2);
  });
});
