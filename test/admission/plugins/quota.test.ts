import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { quantityText } from '../../../apimachinery/quantity/quantity.js';
import { selectsScopes } from '../../../admission/plugins/quota/evaluator.js';
import { evaluatorOf } from '../../../admission/plugins/quota/evaluators.js';
import type { Client } from '../../../client/interface.js';
import { configMap, configmaps, pod, pods, refusal } from '../../registry/serve.js';
import { guarded, object, resource } from './guarded.js';

const quotas = resource('resourcequotas');
const services = resource('services');

type Texts = Record<string, string>;

/** Creates a quota with the status that the controller would write. */
async function limit(
  client: Client,
  name: string,
  hard: Texts,
  used: Texts | undefined,
  spec: object = {},
): Promise<void> {
  await client.create(quotas, object('v1', 'ResourceQuota', name, { spec: { hard, ...spec } }));
  const patch = { status: { hard, ...(used && { used }) } };
  await client.patch(quotas, { namespace: 'default', name }, { type: 'merge', patch }, { subresource: 'status' });
}

async function usedOf(client: Client, name = 'q'): Promise<unknown> {
  const { status } = await client.get(quotas, { namespace: 'default', name });
  return (status as { used?: unknown } | undefined)?.used;
}

const requesting = (name: string, cpu: string, more: object = {}): KubeObject =>
  pod(name, { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }], ...more });

t.test('objects are counted and charged', async t => {
  const { client } = await guarded(t);
  await client.create(quotas, object('v1', 'ResourceQuota', 'unknown', { spec: { hard: { configmaps: '0' } } }));
  await client.create(configmaps, configMap('free'));
  t.pass('without status.hard nothing is limited');
  await limit(client, 'q', { configmaps: '2', 'count/configmaps': '5' }, { configmaps: '1', 'count/configmaps': '1' });
  await client.create(configmaps, configMap('a'), { dryRun: true });
  t.same(await usedOf(client), { configmaps: '1', 'count/configmaps': '1' }, 'a dry run is not charged');
  await client.create(configmaps, configMap('a'));
  t.same(await usedOf(client), { configmaps: '2', 'count/configmaps': '2' });
  t.equal(
    await refusal(client.create(configmaps, configMap('b'))),
    '403 Forbidden: configmaps "b" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2',
  );
  t.same(await usedOf(client), { configmaps: '2', 'count/configmaps': '2' });
  await client.update(configmaps, configMap('a', { data: { k: 'v' } }));
});

t.test('concurrent creations are charged one after the other', async t => {
  const { client } = await guarded(t);
  await limit(client, 'q', { configmaps: '5' }, { configmaps: '0' });
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, i) => refusal(client.create(configmaps, configMap(`c${i}`)))),
  );
  t.equal(all.filter(each => each === 'allowed').length, 5);
  t.same(await usedOf(client), { configmaps: '5' });
});

t.test('pods are charged for their requests', async t => {
  const { client } = await guarded(t);
  await limit(client, 'q', { 'requests.cpu': '1', pods: '9' }, { 'requests.cpu': '0', pods: '0' });
  const cases: readonly { name: string; given: KubeObject; expect: string }[] = [
    {
      name: 'limited resources must be specified',
      given: pod('p', { initContainers: [{ name: 'i', image: 'i' }], containers: [{ name: 'c', image: 'i' }] }),
      expect: 'failed quota: q: must specify requests.cpu for: c,i',
    },
    {
      name: 'too much',
      given: requesting('p', '1500m'),
      expect: 'exceeded quota: q, requested: requests.cpu=1500m, used: requests.cpu=0, limited: requests.cpu=1',
    },
  ];
  for (const { name, given, expect } of cases)
    t.equal(await refusal(client.create(pods, given)), `403 Forbidden: pods "p" is forbidden: ${expect}`, name);
  await client.create(pods, requesting('p', '600m'));
  t.same(await usedOf(client), { pods: '1', 'requests.cpu': '600m' });
  await client.create(pods, pod('q', { resources: { requests: { cpu: '100m' } } }));
  t.same(
    await usedOf(client),
    { pods: '2', 'requests.cpu': '700m' },
    'resources of the pod replace those of its containers',
  );
});

t.test('quotas without status refuse', async t => {
  const { client } = await guarded(t);
  await limit(client, 'q', { pods: '1', 'requests.cpu': '1', 'count/configmaps': '1' }, { pods: '0' });
  t.equal(
    await refusal(client.create(pods, requesting('p', '1'))),
    '403 Forbidden: pods "p" is forbidden: status unknown for quota: q, resources: pods,requests.cpu',
  );
});

t.test('scopes', async t => {
  const { client } = await guarded(t);
  const scope = (name: string, ...scopes: string[]) => limit(client, name, { pods: '9' }, { pods: '0' }, { scopes });
  await scope('terminating', 'Terminating');
  await scope('lasting', 'NotTerminating');
  await scope('best', 'BestEffort', 'NotTerminating');
  await limit(
    client,
    'high',
    { pods: '9' },
    { pods: '0' },
    {
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
    },
  );
  await client.create(
    resource('priorityclasses', 'scheduling.k8s.io'),
    object('scheduling.k8s.io/v1', 'PriorityClass', { name: 'high' }, { value: 1 }),
  );
  const names = ['terminating', 'lasting', 'best', 'high'];
  const counts = async (): Promise<unknown> =>
    Promise.all(names.map(async name => ((await usedOf(client, name)) as { pods: string }).pods));
  await client.create(pods, pod('a'));
  t.same(await counts(), ['0', '1', '1', '0']);
  await client.create(pods, requesting('b', '1', { activeDeadlineSeconds: 5 }));
  t.same(await counts(), ['1', '1', '1', '0']);
  await client.create(pods, requesting('c', '1', { priorityClassName: 'high' }));
  t.same(await counts(), ['1', '2', '1', '1']);
  await client.patch(
    pods,
    { namespace: 'default', name: 'a' },
    {
      type: 'merge',
      patch: { spec: { activeDeadlineSeconds: 9 } },
    },
  );
  t.same(await counts(), ['2', '2', '1', '1'], 'a pod that changes scope is charged in the new scope');
});

t.test('scope selectors match', t => {
  const cases: readonly { operator: string; names: string[]; expect: boolean }[] = [
    { operator: 'In', names: ['a'], expect: true },
    { operator: 'In', names: ['c'], expect: false },
    { operator: 'In', names: [], expect: false },
    { operator: 'NotIn', names: ['c'], expect: true },
    { operator: 'NotIn', names: ['a'], expect: false },
    { operator: 'NotIn', names: [], expect: true },
    { operator: 'Exists', names: ['c'], expect: true },
    { operator: 'Exists', names: [], expect: false },
    { operator: 'DoesNotExist', names: [], expect: true },
    { operator: 'DoesNotExist', names: ['a'], expect: false },
  ];
  for (const { operator, names, expect } of cases)
    t.equal(
      selectsScopes({ scopeName: 'PriorityClass', operator, values: ['a', 'b'] }, names),
      expect,
      `${operator} ${names.join()}`,
    );
  t.end();
});

t.test('updates are charged for what they add', async t => {
  const { client } = await guarded(t);
  const zero = { services: '0', 'services.nodeports': '0', 'services.loadbalancers': '0' };
  await limit(client, 'q', { services: '5', 'services.nodeports': '2', 'services.loadbalancers': '1' }, zero);
  const port = (number: number): object => ({ name: `p${number}`, port: number });
  await client.create(services, object('v1', 'Service', 's', { spec: { ports: [port(1)] } }));
  t.same(await usedOf(client), { ...zero, services: '1' });
  const patch = (spec: object) =>
    client.patch(services, { namespace: 'default', name: 's' }, { type: 'merge', patch: { spec } });
  await patch({ type: 'LoadBalancer' });
  t.same(await usedOf(client), { services: '1', 'services.nodeports': '1', 'services.loadbalancers': '1' });
  t.equal(
    await refusal(patch({ ports: [port(1), port(2), port(3)] })),
    '403 Forbidden: services "s" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=1, limited: services.nodeports=2',
  );
});

t.test('usage of objects', async t => {
  const { catalogue } = await guarded(t);
  const usage = (plural: string, group: string, version: string, given: object): Texts | undefined => {
    const definition = catalogue.find(resource(plural, group, version));
    const evaluator = definition && evaluatorOf(definition);
    if (!evaluator) return undefined;
    const used = evaluator.usage(object('v1', 'X', 'x', given), new Date('2026-01-01T00:00:10Z'));
    return Object.fromEntries([...used].map(([name, amount]) => [name, quantityText(amount)]));
  };
  t.same(usage('deployments', 'apps', 'v1', {}), { 'count/deployments.apps': '1' });
  t.same(usage('secrets', '', 'v1', {}), { 'count/secrets': '1', secrets: '1' });
  t.equal(usage('events', '', 'v1', {}), undefined);
  t.equal(usage('nodes', '', 'v1', {}), undefined);
  const claim = { storageClassName: 'gold', resources: { requests: { storage: '1500m' } } };
  t.same(usage('persistentvolumeclaims', '', 'v1', { spec: claim }), {
    'count/persistentvolumeclaims': '1',
    persistentvolumeclaims: '1',
    'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
    'requests.storage': '2',
    'gold.storageclass.storage.k8s.io/requests.storage': '2',
  });
  const device = (deviceClassName: string, allocationMode: string, count?: number): object => ({
    deviceClassName,
    allocationMode,
    count,
  });
  const requests = [
    { exactly: device('gpu', 'ExactCount', 2) },
    { firstAvailable: [device('gpu', 'ExactCount', 1), device('gpu', 'ExactCount', 3), device('fpga', 'All')] },
  ];
  t.same(usage('resourceclaims', 'resource.k8s.io', 'v1', { spec: { devices: { requests } } }), {
    'count/resourceclaims.resource.k8s.io': '1',
    'gpu.deviceclass.resource.k8s.io/devices': '5',
    'fpga.deviceclass.resource.k8s.io/devices': '32',
  });
  const resources = {
    requests: { cpu: '1', 'hugepages-2Mi': '2Mi', 'example.com/gpu': '3' },
    limits: { memory: '1Gi', 'example.com/gpu': '3' },
  };
  const spec = {
    containers: [
      { name: 'c', resources },
      { name: 'd', resources: { requests: { cpu: '500m' } } },
    ],
  };
  const running = {
    'count/pods': '1',
    pods: '1',
    cpu: '1500m',
    'requests.cpu': '1500m',
    'hugepages-2Mi': '2Mi',
    'requests.hugepages-2Mi': '2Mi',
    'requests.example.com/gpu': '3',
    'limits.memory': '1Gi',
  };
  t.same(usage('pods', '', 'v1', { spec }), running);
  t.same(usage('pods', '', 'v1', { spec, status: { phase: 'Failed' } }), { 'count/pods': '1' });
  const over = { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 };
  t.same(usage('pods', '', 'v1', { spec, metadata: over }), { 'count/pods': '1' });
});
