/** The mirrors of members hold what the controllers need, and no more. */
import t, { type Test } from 'tap';
import { remote } from '../../../aggregation/remote/client.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import {
  configMaps,
  customResourceDefinitions,
  nodes,
  pods,
  serviceAccounts,
} from '../../../api/kubernetes/resources.js';
import { MirrorBudget } from '../../../client/watch/budget.js';
import { createInformerFactory } from '../../../client/runtime/mirrors/informer.js';
import type { InformerFactory } from '../../../client/runtime/interface.js';
import { heldPartOf } from '../../../controllers/members/held-parts.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { memberServer, object } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { accountToken } from '../work/work-fixture.js';

interface Scene {
  readonly member: TestServer;
  readonly informers: InformerFactory;
  readonly budget: MirrorBudget;
}

async function started(t: Test): Promise<Scene> {
  const member = await memberServer(t);
  await member.client.create(
    serviceAccounts,
    object('v1', 'ServiceAccount', 'default', { metadata: { namespace: 'default' } }),
  );
  const endpoint = { server: member.url, ca: member.pki.authority.certificate, token: await accountToken(member) };
  const client = remote(endpoint, { userAgent: 'test/1.0' });
  const stop = new AbortController();
  t.teardown(() => {
    stop.abort();
    return client.close();
  });
  const budget = new MirrorBudget(1024 * 1024);
  const mirrored = client.holding(heldPartOf);
  const informers = createInformerFactory({
    ...{ client: mirrored, signal: stop.signal, clock: systemClock, log: silent, budget },
  });
  return { member, informers, budget };
}

const long = 'x'.repeat(4096);

const pod = (name: string): KubeObject =>
  object('v1', 'Pod', name, {
    metadata: { namespace: 'default', annotations: { long } },
    spec: {
      containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } }],
      initContainers: [{ name: 'init', image: 'i' }],
    },
  });

const node = object('v1', 'Node', 'node-1', {
  metadata: { annotations: { long } },
  spec: { podCIDR: '10.0.0.0/24' },
  status: {
    allocatable: { cpu: '4', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Test', message: long }],
  },
});

const definition = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.com', {
  metadata: { annotations: { long } },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced' },
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: {
          openAPIV3Schema: { type: 'object', description: long, 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
});

t.test('mirrors of nodes, pods and definitions hold a part of each object', async t => {
  const { member, informers, budget } = await started(t);
  const { client } = member;
  await client.create(nodes, node);
  await client.create(pods, pod('listed'));
  const mirrors = [pods, nodes, customResourceDefinitions].map(resource => informers.informer(resource));
  const [heldPods, heldNodes, definitions] = mirrors;
  await Promise.all(mirrors.map(({ synced }) => synced));
  await client.create(pods, pod('watched'));
  await client.create(customResourceDefinitions, definition);
  await until('the changes are shown', () => heldPods?.cached.size === 2 && definitions?.cached.size === 1);

  for (const held of heldPods?.list() ?? []) {
    const { metadata, spec, status, ...rest } = held;
    t.match(metadata, { name: /^(listed|watched)$/, namespace: 'default', uid: /./, resourceVersion: /./ });
    t.same(Object.keys(metadata).length, 4);
    t.same(spec, { containers: [{ resources: { requests: { cpu: '1' } } }], initContainers: [{ resources: {} }] });
    t.same(status, { phase: 'Pending' });
    t.same(rest, { apiVersion: 'v1', kind: 'Pod' });
  }
  const [heldNode] = heldNodes?.list() ?? [];
  t.same(heldNode?.['status'], {
    allocatable: { cpu: '4', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True' }],
  });
  t.notOk(heldNode?.['spec'] ?? heldNode?.metadata.annotations);
  const [heldDefinition] = definitions?.list() ?? [];
  t.same(Object.keys(heldDefinition ?? {}), ['apiVersion', 'kind', 'metadata']);
  t.match(heldDefinition, { metadata: { name: 'widgets.example.com', annotations: undefined } });
  t.ok(budget.used < 2 * long.length, `${budget.used} bytes are counted`);
});

t.test('other mirrors hold whole objects, without managedFields', async t => {
  const { member, informers } = await started(t);
  const { client } = member;
  await client.create(
    configMaps,
    object('v1', 'ConfigMap', 'listed', { metadata: { namespace: 'default' }, data: { long } }),
  );
  const selected = { labelSelector: 'kind=selected' };
  const [all, managed] = [informers.informer(configMaps), informers.informer(pods, selected)];
  await Promise.all([all.synced, managed.synced]);
  const labelled = pod('labelled');
  await client.create(pods, { ...labelled, metadata: { ...labelled.metadata, labels: { kind: 'selected' } } });
  await client.create(pods, pod('other'));
  await until('the pod is shown', () => managed.cached.size === 1);
  t.match(all.get('default/listed'), {
    metadata: { managedFields: undefined, creationTimestamp: /./ },
    data: { long },
  });
  t.match(managed.get('default/labelled'), {
    metadata: { managedFields: undefined, annotations: { long } },
    spec: { containers: [{ image: 'i' }] },
  });
  informers.release(pods);
  t.not(informers.informer(pods, selected), managed, 'a mirror that was released starts anew');
  t.equal(informers.informer(configMaps), all);
  informers.informer(pods);
  const again = informers.informer(pods, selected);
  informers.release(pods, {});
  t.equal(informers.informer(pods, selected), again, 'the mirror of another selection stays');
});

t.test('the names of resources, which the member chooses, count in the memory of an object', t => {
  const sizeOf = (resource: typeof pods, given: object): number =>
    heldPartOf(resource, {}).of?.({ object: { metadata: { name: 'a' }, ...given } as KubeObject, size: 1 }).size ?? 0;
  const few = { [long]: '1' };
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`r${i}`, '1']));
  for (const [amounts, least] of [
    [few, long.length],
    [many, 1000 * 60], // what V8 takes for a short name, a short text and the property
  ] as const) {
    const pod = { spec: { containers: [{ resources: { requests: amounts } }] } };
    t.ok(sizeOf(pods, pod) > least, `a pod with ${least}: ${sizeOf(pods, pod)}`);
    t.ok(sizeOf(nodes, { status: { allocatable: amounts } }) > least);
  }
  t.end();
});

t.test('malformed objects are held as they are', t => {
  const of = (resource: typeof pods, given: object): unknown =>
    heldPartOf(resource, {}).of?.({ object: { metadata: { name: 'a' }, ...given } as KubeObject, size: 1 }).object;
  for (const spec of [
    null,
    'x',
    [1],
    { containers: {} },
    { containers: [null, 1, { resources: 'x' }] },
    { initContainers: null },
  ]) {
    const held = of(pods, { spec, status: 7 }) as { spec: unknown; status: unknown };
    t.same(held.spec, spec);
    t.equal(held.status, 7);
  }
  for (const status of [null, 'x', { allocatable: 3, conditions: {} }, { conditions: [null, 'x'] }])
    t.same((of(nodes, { status }) as { status: unknown }).status, status);
  t.end();
});
