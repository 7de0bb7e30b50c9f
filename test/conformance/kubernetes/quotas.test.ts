/** ResourceQuotas count objects and resources. as test/e2e/apimachinery/resource_quota.go */
import t, { type Test } from 'tap';
import { codeOf, kit, type Resource, type Thing, unique, version } from './kit.js';
import { runningMember } from './running-member.js';

const all = kit(t, await runningMember(t));

type Amounts = Readonly<Record<string, string>>;

const extended = 'example.com/dongle';

const hard: Amounts = {
  ...{ pods: '5', services: '10', 'services.nodeports': '1', 'services.loadbalancers': '1' },
  ...{ replicationcontrollers: '10', resourcequotas: '1', cpu: '1', memory: '500Mi', configmaps: '10', secrets: '10' },
  ...{ persistentvolumeclaims: '10', 'requests.storage': '10Gi', 'ephemeral-storage': '50Gi' },
  'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '10',
  'gold.storageclass.storage.k8s.io/requests.storage': '10Gi',
  'count/replicasets.apps': '5',
  [`requests.${extended}`]: '3',
};

interface Fixture {
  readonly namespace: string;
  readonly quotas: Resource;
  readonly of: (resource: string) => Resource;
  readonly limit: (hard: Amounts, scope?: string) => Promise<string>;
  /** Waits until the status of the quota has these amounts. */
  readonly uses: (quota: string, used: Amounts) => Promise<void>;
}

async function fixture(): Promise<Fixture> {
  const namespace = await all.namespace('quota');
  await all.of('v1/serviceaccounts', namespace).becomes('default', () => true);
  await all.of('v1/configmaps', namespace).becomes('kube-root-ca.crt', () => true);
  const quotas = all.of('v1/resourcequotas', namespace);
  return {
    ...{ namespace, quotas },
    of: resource => all.of(resource, namespace),
    async limit(hard, scope) {
      const spec = { hard, ...(scope === undefined ? {} : { scopes: [scope] }) };
      return (await quotas.create({ metadata: { generateName: 'test-' }, spec })).metadata.name;
    },
    async uses(quota, used) {
      const says = ({ status }: Thing): boolean =>
        Object.entries(used).every(([name, text]) => (status as { used?: Amounts }).used?.[name] === text);
      await quotas.becomes(quota, says);
    },
  };
}

/** Returns a Pod. */
const pod = (name: string, requests: Amounts = {}, limits: Amounts = {}, more: object = {}) => ({
  metadata: { name },
  spec: {
    nodeSelector: { 'x-test.k8s.io/unsatisfiable': 'not-schedulable' },
    containers: [{ name: 'pause', image: 'pause', resources: { requests, limits } }],
    ...more,
  },
});

const now = { gracePeriodSeconds: 0 };

t.test('a new quota has a status', async () => {
  const { limit, uses } = await fixture();
  const zero = Object.fromEntries(Object.keys(hard).map(name => [name, '0']));
  await uses(await limit(hard), { ...zero, resourcequotas: '1', configmaps: '1' });
});

/** Kinds whose objects are counted, with an object that is created and deleted. */
const counted = {
  configmaps: { of: 'v1/configmaps', draft: { data: { a: 'b' } }, before: '1', after: '2' },
  secrets: { of: 'v1/secrets', draft: { data: {} }, before: '0', after: '1' },
  replicationcontrollers: {
    of: 'v1/replicationcontrollers',
    draft: {
      spec: {
        replicas: 0,
        selector: { a: 'b' },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'n', image: 'n' }] } },
      },
    },
    before: '0',
    after: '1',
  },
  'count/replicasets.apps': {
    of: 'apps/v1/replicasets',
    draft: {
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'n', image: 'n' }] } },
      },
    },
    before: '0',
    after: '1',
  },
};

for (const [name, { of: resource, draft, before, after }] of Object.entries(counted))
  t.test(`a quota counts ${name}`, async t => {
    const { limit, uses, of } = await fixture();
    const quota = await limit({ ...hard, [name]: after });
    await uses(quota, { [name]: before, resourcequotas: '1' });
    await of(resource).create({ metadata: { name: 'counted' }, ...draft });
    await uses(quota, { [name]: after });
    t.equal(await codeOf(of(resource).create({ metadata: { name: 'more' }, ...draft })), 403);
    await of(resource).remove('counted', { propagationPolicy: 'Background' });
    await uses(quota, { [name]: before });
  });

t.test('a quota counts Services by type', async t => {
  const { limit, uses, of } = await fixture();
  const quota = await limit(hard);
  await uses(quota, { services: '0' });
  const services = of('v1/services');
  const service = (name: string, type: string, more: object = {}) =>
    services.create({ metadata: { name }, spec: { type, ports: [{ port: 80, targetPort: 80 }], ...more } });
  await service('cluster', 'ClusterIP');
  await service('node', 'NodePort');
  t.equal(await codeOf(service('balanced', 'LoadBalancer', { allocateLoadBalancerNodePorts: true })), 403);
  await uses(quota, { resourcequotas: '1', services: '2', 'services.nodeports': '1', 'services.loadbalancers': '0' });
  for (const name of ['cluster', 'node']) await services.remove(name);
  await uses(quota, { services: '0', 'services.nodeports': '0' });
});

t.test('a quota counts the requests of Pods', async t => {
  const { limit, uses, of } = await fixture();
  const quota = await limit(hard);
  await uses(quota, { pods: '0' });
  const pods = of('v1/pods');
  const asks = { cpu: '500m', memory: '252Mi', 'ephemeral-storage': '30Gi' };
  const made = await pods.create(pod('test-pod', { ...asks, [extended]: '2' }, { [extended]: '2' }));
  const used = { pods: '1', ...asks, [`requests.${extended}`]: '2' };
  await uses(quota, used);
  const refused = [
    () => pods.create(pod('fail-pod', { cpu: '600m', memory: '100Mi' })),
    () => pods.create(pod('fail-extended', { ...asks, memory: '100Mi', [extended]: '2' }, { [extended]: '2' })),
    () =>
      pods.patch(
        'test-pod',
        { spec: { containers: [{ name: 'pause', resources: { requests: { cpu: '100m' } } }] } },
        'strategic',
      ),
  ];
  for (const attempt of refused) t.ok((await codeOf(attempt())) >= 403);
  await uses(quota, used);
  await pods.remove(made.metadata.name, now);
  await uses(quota, Object.fromEntries(Object.keys(used).map(name => [name, '0'])));
});

const amounts = { requests: { cpu: '500m', memory: '200Mi' }, limits: { cpu: '1', memory: '400Mi' } };
const compute = { 'requests.cpu': '1', 'requests.memory': '500Mi', 'limits.cpu': '2', 'limits.memory': '1Gi' };
const usedByOne = {
  ...{ pods: '1', 'requests.cpu': '500m', 'requests.memory': '200Mi' },
  ...{ 'limits.cpu': '1', 'limits.memory': '400Mi' },
};
const small = pod('small', amounts.requests, amounts.limits);
const ending = pod('ending', amounts.requests, amounts.limits, { activeDeadlineSeconds: 3600 });

/** Pairs of quotas of a namespace, of which exactly one counts a Pod. */
const scopes: Readonly<
  Record<string, { hard: Amounts; pods: readonly [within: string, draft: ReturnType<typeof pod>, used: Amounts][] }>
> = {
  'Terminating and NotTerminating': {
    hard: { pods: '5', ...compute },
    pods: [
      ['NotTerminating', small, usedByOne],
      ['Terminating', ending, usedByOne],
    ],
  },
  'BestEffort and NotBestEffort': {
    hard: { pods: '5' },
    pods: [
      ['BestEffort', pod('best-effort'), { pods: '1' }],
      ['NotBestEffort', small, { pods: '1' }],
    ],
  },
};

for (const [name, { hard, pods }] of Object.entries(scopes))
  t.test(`scopes: ${name}`, async t => {
    const { limit, uses, of } = await fixture();
    const zero = Object.fromEntries(Object.keys(hard).map(name => [name, '0']));
    const quotas = new Map<string, string>();
    for (const [scope] of pods) quotas.set(scope, await limit(hard, scope));
    for (const quota of quotas.values()) await uses(quota, zero);
    for (const [within, draft, used] of pods) {
      await of('v1/pods').create(draft);
      for (const [scope, quota] of quotas) await uses(quota, scope === within ? used : zero);
      await of('v1/pods').remove(draft.metadata.name, now);
      await uses(quotas.get(within) ?? '', zero);
    }
    t.pass('each Pod is counted by one quota');
  });

t.test('a quota is updated and deleted', async t => {
  const { quotas, limit } = await fixture();
  const quota = await limit({ cpu: '1', memory: '500Mi' });
  const wider = { cpu: '2', memory: '1Gi' };
  t.match(await quotas.update(quota, thing => (thing['spec'] = { hard: wider })), { spec: { hard: wider } });
  t.match(await quotas.get(quota), { spec: { hard: wider } });
  await quotas.remove(quota);
  t.equal(await quotas.find(quota), undefined);
});

t.test('a quota is patched, and deleted as a collection', async t => {
  const { quotas } = await fixture();
  const label = unique('quota');
  const spec = { hard: { cpu: '1', memory: '500Mi' } };
  const made = await quotas.create({ metadata: { name: 'q', labels: { test: label } }, spec });
  t.equal((await all.of('v1/resourcequotas').list(`labelSelector=test=${label}`)).items.length, 1);
  const patch = { metadata: { labels: { state: 'patched' } }, spec: { hard: { memory: '750Mi' } } };
  const patched = await quotas.patch('q', patch, 'strategic');
  t.match(patched, { ...patch, spec: { hard: { cpu: '1', memory: '750Mi' } } });
  t.ok(version(patched) > version(made));
  await quotas.removeAll(`labelSelector=test=${label}`);
  t.equal(await quotas.find('q'), undefined);
});

t.test('the status of a quota is written by a client, and corrected', async t => {
  await statusLife(t);
});

async function statusLife(t: Test): Promise<void> {
  const { quotas, limit } = await fixture();
  const first = { cpu: '500m', memory: '500Mi' };
  const quota = await limit(first);
  const { metadata } = await quotas.get(quota);
  const events = await quotas.watch(`resourceVersion=${metadata.resourceVersion}`);
  const observed = (hard: Amounts): Promise<unknown> =>
    events.until(({ object }) => {
      const said = (object['status'] as { hard?: Amounts }).hard;
      return said?.['cpu'] === hard['cpu'] && said?.['memory'] === hard['memory'];
    });
  t.match(await quotas.update(`${quota}/status`, thing => (thing['status'] = { hard: first })), {
    status: { hard: first },
  });
  const second = { cpu: '1', memory: '1Gi' };
  await quotas.patch(quota, { spec: { hard: second } }, 'strategic');
  t.match(await quotas.patch(`${quota}/status`, { status: { hard: second } }, 'strategic'), {
    status: { hard: second },
  });
  await observed(second);
  t.match(await quotas.get(`${quota}/status`), { status: { hard: second } });
  const wrong = { cpu: '2', memory: '2Gi' };
  t.match(await quotas.patch(`${quota}/status`, { status: { hard: wrong } }, 'strategic'), { status: { hard: wrong } });
  await observed(wrong);
  await quotas.becomes(quota, ({ status }) => (status as { hard: Amounts }).hard['cpu'] === '1');
}
