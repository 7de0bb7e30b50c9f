/** A simulated member as its users see it: it turns what they create into what a real cluster would. */
import t from 'tap';
import { advertisedHost } from '../../server/advertised-host.js';
import { silent } from '../../server/logger.js';
import type { RunningServer } from '../../server/start-server.js';
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../openapi/gen/apps-v1.js';
import type { Job } from '../../openapi/gen/batch-v1.js';
import type { Endpoints, Node, Pod } from '../../openapi/gen/core-v1.js';
import type { PodDisruptionBudget } from '../../openapi/gen/policy-v1.js';
import type { EndpointSlice } from '../../openapi/gen/discovery-v1.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { runSecondsAnnotation } from '../../simulator/pods/lifetime.js';
import { startMember } from '../../simulator/member.js';
import * as resources from '../../api/kubernetes/resources.js';
import { temporaryFolder } from '../apiserver/running.js';
import { until } from '../storage/until.js';

const namespace = 'default';
const small = { nodes: 3, cpu: '2', memory: '4Gi', pods: '20' };

const meta = (name: string, more: object = {}) => ({ metadata: { name, namespace, ...more } });

const template = (app: string, image = 'nginx:1.27', cpu = '100m') => ({
  metadata: { labels: { app } },
  spec: {
    containers: [
      { name: 'main', image, ports: [{ name: 'http', containerPort: 8080 }], resources: { requests: { cpu } } },
    ],
  },
});

const deployment = (name: string, replicas: number, cpu?: string): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', ...meta(name) },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name, 'nginx:1.27', cpu) },
});

t.test('a simulated member behaves as a cluster', async t => {
  const directory = await temporaryFolder(t);
  const start = (): Promise<RunningServer> =>
    startMember({ name: 'm', directory, host: '127.0.0.1', log: silent, hardware: small });
  let member = await start();
  t.teardown(() => member.stop());

  const get = async <T extends KubeObject>(resource: GroupVersionResource, name: string): Promise<T> =>
    (await member.client.get(resource, { namespace, name })) as T;
  const podsOf = async (app: string): Promise<Pod[]> =>
    (await member.client.list(resources.pods, { namespace, labelSelector: `app=${app}` })).items;
  const becomes = <T extends KubeObject>(
    resource: GroupVersionResource,
    name: string,
    holds: (object: T) => unknown,
  ): Promise<void> => until(`${resource.resource} ${name}`, async () => Boolean(holds(await get<T>(resource, name))));
  const merge = (resource: GroupVersionResource, name: string, patch: Record<string, unknown>) =>
    member.client.patch(resource, { namespace, name }, { type: 'merge', patch });

  await t.test('has nodes that are ready', async t => {
    const { items } = await member.client.list(resources.nodes);
    t.equal(items.length, 3);
    for (const { spec, status } of items as Node[]) {
      t.equal(spec?.taints, undefined, 'no taint keeps Pods away');
      t.match(status?.allocatable, { cpu: '2', memory: '4Gi', pods: '20' });
      t.ok(status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'));
    }
  });

  await t.test('serves the address of its API server as Endpoints and as EndpointSlice', async t => {
    const address = advertisedHost('0.0.0.0');
    if (address === '127.0.0.1') return t.pass('skipped: no network interface');
    const list = await get<Endpoints>(resources.endpoints, 'kubernetes');
    const slice = await get<EndpointSlice>(resources.endpointSlices, 'kubernetes');
    const ports = [{ name: 'https', port: member.port, protocol: 'TCP' }];
    t.match(list, { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } });
    t.strictSame(list.subsets, [{ addresses: [{ ip: address }], ports }]);
    t.match(slice, {
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      ...{ addressType: 'IPv4', ports, endpoints: [{ addresses: [address], conditions: { ready: true } }] },
    });
  });

  await t.test('updates the status of a PodDisruptionBudget as Pods change', async t => {
    const budget = (minAvailable: number) => ({
      ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', ...meta('guarded') },
      spec: { minAvailable, selector: { matchLabels: { app: 'guarded' } } },
    });
    await member.client.create(resources.deployments, deployment('guarded', 2));
    await member.client.create(resources.podDisruptionBudgets, budget(2));
    const allows = (count: number) => (object: PodDisruptionBudget) =>
      object.status?.currentHealthy === 2 && object.status.disruptionsAllowed === count;
    await becomes<PodDisruptionBudget>(resources.podDisruptionBudgets, 'guarded', allows(0));
    const { metadata, status } = await get<PodDisruptionBudget>(resources.podDisruptionBudgets, 'guarded');
    t.match(status, { desiredHealthy: 2, expectedPods: 2, observedGeneration: metadata.generation });
    t.match(status?.conditions, [
      { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '' },
    ]);
    await merge(resources.podDisruptionBudgets, 'guarded', { spec: { minAvailable: 1 } });
    await becomes<PodDisruptionBudget>(resources.podDisruptionBudgets, 'guarded', allows(1));
    await member.client.delete(resources.podDisruptionBudgets, { namespace, name: 'guarded' });
    await member.client.delete(resources.deployments, { namespace, name: 'guarded' });
    await until('no Pods', async () => (await podsOf('guarded')).length === 0);
  });

  await t.test('gives every namespace its ServiceAccount and its CA', async t => {
    await member.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'other' },
    });
    await until('the account', async () => {
      const { items } = await member.client.list(resources.serviceAccounts, { namespace: 'other' });
      return items.some(({ metadata }) => metadata.name === 'default');
    });
    await until('the CA in kube-root-ca.crt', async () => {
      const { items } = await member.client.list(resources.configMaps, { namespace: 'other' });
      return items.some(map => String((map['data'] as Record<string, string>)['ca.crt']).includes('BEGIN CERTIFICATE'));
    });
    t.pass();
  });

  await t.test('a Deployment gets a ReplicaSet and Pods that run', async t => {
    await member.client.create(resources.deployments, deployment('web', 3));
    await becomes<Deployment>(resources.deployments, 'web', d => d.status?.readyReplicas === 3);
    const web = await get<Deployment>(resources.deployments, 'web');
    t.equal(web.metadata.annotations?.['deployment.kubernetes.io/revision'], '1');
    t.equal(
      web.metadata.generation,
      1,
      'the revision annotation, written with the status, does not raise the generation',
    );
    t.match(web.status, {
      replicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3,
      observedGeneration: web.metadata.generation,
    });
    t.match(web.status?.conditions, [
      { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
    ]);
    const nodes = new Set((await podsOf('web')).map(({ spec }) => spec?.nodeName));
    t.equal(nodes.size, 3, 'spread over the nodes');
  });

  await t.test('a new image is rolled out, and the old ReplicaSet stays at zero replicas', async t => {
    await merge(resources.deployments, 'web', { spec: { template: template('web', 'nginx:1.28') } });
    await becomes<Deployment>(
      resources.deployments,
      'web',
      d => d.metadata.annotations?.['deployment.kubernetes.io/revision'] === '2' && d.status?.updatedReplicas === 3,
    );
    await until('only new Pods', async () => {
      const pods = await podsOf('web');
      return pods.length === 3 && pods.every(({ spec }) => spec?.containers[0]?.image === 'nginx:1.28');
    });
    const sets = (await member.client.list(resources.replicaSets, { namespace })).items as ReplicaSet[];
    t.strictSame(sets.map(({ spec }) => spec?.replicas).sort(), [0, 3]);
  });

  await t.test('a deleted Pod is replaced by one with another name', async t => {
    const before = (await podsOf('web')).map(({ metadata }) => metadata.name ?? '');
    await member.client.delete(resources.pods, { namespace, name: before[0] ?? '' });
    await until('another Pod', async () => {
      const pods = await podsOf('web');
      return pods.length === 3 && !pods.some(({ metadata }) => metadata.name === before[0]);
    });
    await becomes<Deployment>(resources.deployments, 'web', d => d.status?.readyReplicas === 3);
    t.pass();
  });

  await t.test('a Pod that does not fit waits, and runs as soon as a node has capacity', async t => {
    await member.client.create(resources.deployments, deployment('big', 4, '1500m'));
    await until('a Pod that waits', async () =>
      (await podsOf('big')).some(({ status }) => status?.conditions?.some(c => c.reason === 'Unschedulable')),
    );
    await becomes<Deployment>(resources.deployments, 'big', d => d.status?.readyReplicas === 3);
    t.match(await get(resources.deployments, 'big'), { status: { unavailableReplicas: 1 } });
    await merge(resources.deployments, 'big', { spec: { replicas: 3 } });
    await becomes<Deployment>(
      resources.deployments,
      'big',
      d => d.status?.replicas === 3 && d.status.readyReplicas === 3,
    );
    await member.client.delete(resources.deployments, { namespace, name: 'big' }, { propagationPolicy: 'Background' });
    await until('its Pods to go', async () => (await podsOf('big')).length === 0);
  });

  await t.test('a Service has the addresses of its Pods', async t => {
    await member.client.create(resources.services, {
      ...{ apiVersion: 'v1', kind: 'Service', ...meta('web') },
      spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    });
    await until('three endpoints', async () => {
      const { items } = await member.client.list(resources.endpointSlices, {
        namespace,
        labelSelector: 'kubernetes.io/service-name=web',
      });
      return (items[0] as EndpointSlice | undefined)?.endpoints?.length === 3;
    });
    await until('the Endpoints', async () => {
      const { items } = await member.client.list(resources.endpoints, { namespace });
      return items.some(({ metadata }) => metadata.name === 'web');
    });
    const { subsets } = await get<Endpoints>(resources.endpoints, 'web');
    t.equal(subsets?.[0]?.addresses?.length, 3);
    t.match(subsets?.[0]?.ports, [{ name: 'http', port: 8080, protocol: 'TCP' }], 'the port is resolved by name');
    await merge(resources.deployments, 'web', { spec: { replicas: 1 } });
    await becomes<Endpoints>(resources.endpoints, 'web', e => e.subsets?.[0]?.addresses?.length === 1);
  });

  await t.test('a StatefulSet has numbered Pods, and removes the last one first', async t => {
    await member.client.create(resources.statefulSets, {
      ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', ...meta('db') },
      spec: { serviceName: 'db', replicas: 3, selector: { matchLabels: { app: 'db' } }, template: template('db') },
    });
    await becomes<StatefulSet>(resources.statefulSets, 'db', s => s.status?.readyReplicas === 3);
    await merge(resources.statefulSets, 'db', { spec: { replicas: 2 } });
    await becomes<StatefulSet>(resources.statefulSets, 'db', s => s.status?.replicas === 2);
    // The status does not count Pods that are terminating.
    const names = async (): Promise<string> =>
      (await podsOf('db'))
        .map(({ metadata }) => metadata.name)
        .sort()
        .join();
    await until('the last Pod has gone', async () => (await names()) !== 'db-0,db-1,db-2');
    t.equal(await names(), 'db-0,db-1');
  });

  await t.test('a DaemonSet has a Pod on every node', async t => {
    await member.client.create(resources.daemonSets, {
      ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', ...meta('agent') },
      spec: { selector: { matchLabels: { app: 'agent' } }, template: template('agent') },
    });
    await becomes<DaemonSet>(resources.daemonSets, 'agent', s => s.status?.numberReady === 3);
    t.equal(new Set((await podsOf('agent')).map(({ spec }) => spec?.nodeName)).size, 3);
  });

  await t.test('a Job runs for the annotated time', async t => {
    const job = (name: string, annotations: Record<string, string>): KubeObject => ({
      ...{ apiVersion: 'batch/v1', kind: 'Job', ...meta(name) },
      spec: {
        ...{ parallelism: 2, completions: 3 },
        template: {
          metadata: { labels: { app: name }, annotations },
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
        },
      },
    });
    await member.client.create(resources.jobs, job('endless', { [runSecondsAnnotation]: '86400' }));
    await member.client.create(resources.jobs, job('short', { [runSecondsAnnotation]: '0' }));
    await becomes<Job>(resources.jobs, 'endless', j => j.status?.active === 2 && j.status.ready === 2);
    await becomes<Job>(resources.jobs, 'short', j => j.status?.conditions?.some(({ type }) => type === 'Complete'));
    t.match(await get(resources.jobs, 'short'), { status: { succeeded: 3 } });
  });

  await t.test('a ResourceQuota counts objects, and refuses those over its limit', async t => {
    const quotas = { group: '', version: 'v1', resource: 'resourcequotas' };
    const other = { namespace: 'other' };
    await member.client.create(quotas, {
      ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', ...other } },
      spec: { hard: { 'requests.cpu': '500m', pods: '10' } },
    });
    const used = async (): Promise<Record<string, string>> => {
      const quota = await member.client.get(quotas, { ...other, name: 'q' });
      return (quota['status'] as { used?: Record<string, string> } | undefined)?.used ?? {};
    };
    await until('the first count', async () => (await used())['pods'] === '0');
    const app = deployment('many', 8);
    await member.client.create(resources.deployments, { ...app, metadata: { name: 'many', ...other } });
    await until('five Pods of 100m each', async () => {
      const { pods, 'requests.cpu': cpu } = await used();
      return pods === '5' && cpu === '500m';
    });
    await member.client.delete(resources.deployments, { ...other, name: 'many' }, { propagationPolicy: 'Background' });
    await until('nothing to be used', async () => (await used())['requests.cpu'] === '0');
    t.pass();
  });

  await t.test('everything is still there after a restart', async t => {
    await becomes<Deployment>(
      resources.deployments,
      'web',
      d => d.status?.readyReplicas === 1 && d.status.replicas === 1,
    );
    await member.stop();
    member = await start();
    t.match(await get(resources.deployments, 'web'), { status: { readyReplicas: 1 } });
    await merge(resources.deployments, 'web', { spec: { replicas: 2 } });
    await becomes<Deployment>(resources.deployments, 'web', d => d.status?.readyReplicas === 2);
  });
});
