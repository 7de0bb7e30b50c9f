/** Controllers that work with the kinds of another server. */
import t, { type Test } from 'tap';
import type { Part } from '../../../server/parts.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';
import type { Binding, Condition } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { find } from '../../../client/find.js';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import { remote } from '../../../aggregation/remote/client.js';
import { httpClient } from '../../apiserver/http-client.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { comesAbout, controlPlane } from '../../controllers/control-plane.js';
import { until } from '../../storage/until.js';
import { backend } from '../backend.js';
import { core, object } from '../fleet.js';
import {
  apiServices,
  availability,
  bundleOf,
  register,
  secondServer,
  widget,
  widgetDefinition,
  widgets,
} from './second-server.js';

const name = 'v1.example.com';

const registerSecond = (front: TestServer, second: TestServer): Promise<void> =>
  register(front.client, { port: second.port, spec: { caBundle: bundleOf(second.pki.authority.certificate) } });

/** Lets the server be checked now, and not only after its period. */
async function recheck(front: TestServer, reason: string): Promise<void> {
  const annotations = { at: String(Date.now()) };
  await front.client.patch(apiServices, { name }, { type: 'merge', patch: { metadata: { annotations } } });
  await availability(front.client, reason);
}

interface Platform {
  readonly front: TestServer;
  readonly second: TestServer;
}

/** Starts a server with the controllers of every API server, and the server of Widgets behind it. */
async function platform(t: Test): Promise<Platform> {
  const front = await runningServer(t, { parts: [kubernetesControllers(() => true)] });
  const second = await secondServer(t, front);
  await registerSecond(front, second);
  await availability(front.client, 'Passed');
  return { front, second };
}

const statusOf = (conditions: readonly Condition[] | undefined, type: string): string =>
  findCondition(conditions, type)?.status ?? '';

t.test('a template of an aggregated kind is propagated', async t => {
  const front = await controlPlane(t, { lookEveryMs: 200 });
  const second = await secondServer(t, front);
  const [context] = front.contexts;
  if (!context) throw new Error('there is no member');
  const { server, authority = '', user } = context;
  const { certificate, key } = (user as { credential: { certificate: string; key: string } }).credential;
  const endpoint = { server, ca: authority, clientCertificate: certificate, clientKey: key };
  const member = remote(endpoint, { userAgent: 'test' });
  t.teardown(() => member.close());
  await member.create(customResourceDefinitions, widgetDefinition);

  await registerSecond(front, second);
  const namespace = 'default';
  await second.client.create(widgets, widget('w', { metadata: { namespace }, spec: { size: 5 } }));
  const selector = { apiVersion: 'example.com/v1', kind: 'Widget' };
  const placement = { clusterAffinity: { clusterNames: ['member1'] } };
  await front.client.create(
    resources.propagationPolicies,
    object('policy.karmada.io/v1alpha1', 'PropagationPolicy', 'widgets', {
      ...{ metadata: { namespace }, spec: { resourceSelectors: [selector], placement } },
    }),
  );
  await comesAbout(
    front,
    resources.resourceBindings,
    { namespace, name: 'w-widget' },
    found => statusOf((found as Binding).status?.conditions, 'FullyApplied') === 'True',
  );
  t.match(await member.get(widgets, { namespace, name: 'w' }), { spec: { size: 5 } });
  const claimed = await second.client.get(widgets, { namespace, name: 'w' });
  t.match(claimed.metadata.labels, { 'propagationpolicy.karmada.io/permanent-id': String });
  await second.client.patch(widgets, { namespace, name: 'w' }, { type: 'merge', patch: { spec: { size: 6 } } });
  await until('the change to arrive', async () => {
    const { spec } = await member.get(widgets, { namespace, name: 'w' });
    return (spec as { size: number }).size === 6;
  });
});

t.test('a namespace waits for a group version that cannot be read, and says so', async t => {
  const { front, second } = await platform(t);
  const namespace = 'doomed';
  for (const { client } of [front, second])
    await client.create(core('namespaces'), object('v1', 'Namespace', namespace));
  await second.client.create(widgets, widget('w', { metadata: { namespace } }));
  second.pause();
  await recheck(front, 'FailedDiscoveryCheck');
  await front.client.delete(core('namespaces'), { name: namespace });
  let message: string | undefined;
  await until('the condition', async () => {
    const { status } = await front.client.get(core('namespaces'), { name: namespace });
    const { conditions } = status as { conditions?: Condition[] };
    const failure = findCondition(conditions, 'NamespaceDeletionDiscoveryFailure');
    message = failure?.message;
    return failure?.status === 'True';
  });
  t.equal(
    message,
    'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ' +
      'example.com/v1: stale GroupVersion discovery: example.com/v1',
  );
  await second.resume();
  await recheck(front, 'Passed');
  await until('the namespace to go', async () => !(await find(front.client, core('namespaces'), { name: namespace })));
  t.notOk(await find(second.client, widgets, { namespace, name: 'w' }));
});

t.test('a namespace does not wait for a server whose APIService is deleted', async t => {
  const { front, second } = await platform(t);
  second.pause();
  await recheck(front, 'FailedDiscoveryCheck');
  await front.client.delete(apiServices, { name });
  const doomed = { name: 'doomed' };
  await front.client.create(core('namespaces'), object('v1', 'Namespace', 'doomed'));
  await front.client.delete(core('namespaces'), doomed);
  await until('the namespace to go', async () => !(await find(front.client, core('namespaces'), doomed)));
});

const ownedBy = (name: string, { metadata }: KubeObject): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: {
    ...{ name, namespace: 'default' },
    ownerReferences: [
      { apiVersion: 'example.com/v1', kind: 'Widget', name: metadata.name ?? '', uid: metadata.uid ?? '' },
    ],
  },
});

t.test('dependents of owners in another server are collected, but not while it is down', async t => {
  const { front, second } = await platform(t);
  const namespace = 'default';
  const maps = core('configmaps');
  const owners = await Promise.all(
    ['kept', 'gone', 'late'].map(each => second.client.create(widgets, widget(each, { metadata: { namespace } }))),
  );
  const [kept, gone, late] = owners as [KubeObject, KubeObject, KubeObject];
  for (const owner of [kept, gone, late]) await front.client.create(maps, ownedBy(`of-${owner.metadata.name}`, owner));
  await second.client.delete(widgets, { namespace, name: 'gone' });
  const isLeft = async (of: string): Promise<boolean> =>
    (await find(front.client, maps, { namespace, name: of })) !== undefined;
  await until('a dependent to go', async () => !(await isLeft('of-gone')));

  second.pause();
  await recheck(front, 'FailedDiscoveryCheck');
  // These are looked at while the server is down. One without any owner shows that the collector has come by.
  await front.client.create(maps, ownedBy('of-late-2', late));
  const nobody = { ...late, metadata: { ...late.metadata, uid: 'nobody' } };
  const orphaned = ownedBy('of-nobody', nobody);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'nobody' };
  await front.client.create(maps, { ...orphaned, metadata: { ...orphaned.metadata, ownerReferences: [owner] } });
  await until('the other dependent to go', async () => !(await isLeft('of-nobody')));
  for (const each of ['of-kept', 'of-late', 'of-late-2']) t.ok(await isLeft(each), each);

  await second.resume();
  await second.client.delete(widgets, { namespace, name: 'late' });
  await recheck(front, 'Passed');
  await until('the late ones to go', async () => !(await isLeft('of-late')) && !(await isLeft('of-late-2')));
  t.ok(await isLeft('of-kept'));

  await front.client.delete(apiServices, { name });
  await front.client.create(maps, { ...orphaned, metadata: { ...orphaned.metadata, ownerReferences: [owner] } });
  await until('the other dependent to go again', async () => !(await isLeft('of-nobody')));
  t.ok(await isLeft('of-kept'), 'the kind is not served any more');
});

t.test('a server that does not answer lists does not keep controllers from starting', async t => {
  const server = await backend(t);
  server.onRequest = (request, response) => {
    if (request.url?.includes('/widgets') === true) return; // A list that never arrives.
    response.setHeader('content-type', 'application/json');
    const verbs = ['get', 'list', 'watch', 'delete'];
    const entry = { name: 'widgets', kind: 'Widget', namespaced: true, verbs };
    response.end(JSON.stringify(request.url === '/apis' ? {} : { resources: [entry] }));
  };
  // The controllers start when the kinds of the other server are known.
  let begin = (): void => undefined;
  const begun = new Promise<void>(resolve => (begin = resolve));
  const controllers = kubernetesControllers(() => true);
  let running: ReturnType<typeof controllers.start> = Promise.resolve();
  const late: Part = {
    name: 'late',
    start(context) {
      running = begun.then(() => controllers.start(context));
      return Promise.resolve({ stop: async () => (await running)?.stop() });
    },
  };
  const front = await runningServer(t, { parts: [late] });
  await register(front.client, {
    port: Number(new URL(server.url).port),
    spec: { insecureSkipTLSVerify: true },
  });
  await availability(front.client, 'Passed');
  const ask = httpClient(t, front);
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  await until('the kinds to be known', async () => (await ask('GET /apis', { accept })).text.includes('widgets'));
  begin();
  await running;
  const maps = core('configmaps');
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'nobody' };
  const metadata = { name: 'orphan', namespace: 'default', ownerReferences: [owner] };
  await front.client.create(maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  await until(
    'it to be collected',
    async () => !(await find(front.client, maps, { namespace: 'default', name: 'orphan' })),
  );
});
