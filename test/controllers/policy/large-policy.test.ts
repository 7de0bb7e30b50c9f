/** A policy with many templates: what others change does not wait for it. */
import t from 'tap';
import { createControllerContext } from '../../../client/runtime/context.js';
import type { Informer } from '../../../client/runtime/interface.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { startDetector } from '../../../controllers/policy/detector.js';
import type { DetectorDeps } from '../../../controllers/policy/interface.js';
import { PolicyPasses } from '../../../controllers/policy/policy-passes.js';
import { watchTemplates } from '../../../controllers/policy/templates.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { serveCustomResources } from '../../kinds/karmada/custom-world.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { scheduler } from '../../../cli/parts/scheduler.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { bindingName, workName } from '../../../api/karmada/names.js';
import type { Binding, Policy } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { core, object } from '../../aggregation/fleet.js';
import { ObjectReads } from '../../client/object-reads.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { configMap, configmaps } from '../../registry/serve.js';
import { until } from '../../storage/until.js';
import { comesAbout } from '../control-plane.js';

const count = 300;
const { propagationPolicies, resourceBindings } = resources;
/** Controllers that need members are not started. */
const started = (name: string): boolean => !['clusterStatus', 'execution', 'workStatus'].includes(name);

const bindingOf = (name: string) => ({ namespace: 'default', name: bindingName('ConfigMap', name) });
const workOf = (name: string) => ({ namespace: 'karmada-es-member1', name: workName('ConfigMap', name, 'default') });
const isChanged = (binding: KubeObject): boolean => (binding as Binding).spec.conflictResolution === 'Overwrite';

const policy = (name: string, selector: object, spec: object = {}) => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { namespace: 'default', name },
  spec: {
    resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', ...selector }],
    placement: { clusterAffinity: { clusterNames: ['member1'] } },
    ...spec,
  },
});

async function addCluster({ client }: TestServer): Promise<void> {
  const spec = { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1' };
  await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', 'member1', { spec }));
  await comesAbout({ client } as TestServer, core('namespaces'), { name: 'karmada-es-member1' });
  const apiEnablements = [{ groupVersion: 'v1', resources: [{ kind: 'ConfigMap', name: 'configmaps' }] }];
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Test',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const status = { conditions: [ready], apiEnablements };
  const patch = { type: 'merge', patch: { status } } as const;
  await client.patch(resources.clusters, { name: 'member1' }, patch, { subresource: 'status' });
}

t.test('templates of other policies do not wait for those of a large policy', async t => {
  const parts = [kubernetesControllers(() => true), karmadaControllers(started), scheduler()];
  const server = await runningServer(t, { parts });
  const { client } = server;
  await addCluster(server);
  const labels = { app: 'large' };
  const names = Array.from({ length: count }, (_, i) => `large-${i}`);
  const last = names.at(-1) ?? '';
  for (const name of names) await client.create(configmaps, configMap(name, { metadata: { labels } }));
  const changed = async (): Promise<number> => {
    const { items } = await client.list(resourceBindings);
    return items.filter(isChanged).length;
  };
  const works = async (): Promise<number> =>
    (await client.list(resources.works, { namespace: 'karmada-es-member1' })).items.length;
  const propagated = async (name: string): Promise<void> => {
    await client.create(propagationPolicies, policy(name, { name }));
    await client.create(configmaps, configMap(name));
    await comesAbout(server, resources.works, workOf(name));
  };

  const large = { labelSelector: { matchLabels: labels } };
  await client.create(propagationPolicies, policy('large', large));
  await comesAbout(server, resourceBindings, bindingOf('large-0'));
  await propagated('first');
  t.ok((await works()) < count / 2, 'a template comes through before those of a new policy');
  await comesAbout(server, resources.works, workOf(last));
  await until('all have Works', async () => (await works()) === count + 1);

  const patch = { spec: { conflictResolution: 'Overwrite' } };
  await client.patch(propagationPolicies, { namespace: 'default', name: 'large' }, { type: 'merge', patch });
  await comesAbout(server, resourceBindings, bindingOf('large-0'), isChanged);
  await propagated('second');
  t.ok((await changed()) < count / 2, 'or before those of a policy that has changed');
  await comesAbout(server, resourceBindings, bindingOf(last), isChanged);
  await until('all have changed', async () => (await changed()) === count);
});

t.test('a reconciliation of a large policy visits some of its templates', async t => {
  const { client } = await serveCustomResources(t);
  const reads = new ObjectReads();
  const stopping = new AbortController();
  const context = createControllerContext({
    ...{ client: reads.of(client), clock: systemClock, log: silent, signal: stopping.signal },
  });
  t.teardown(() => stopping.abort());
  const templates = await watchTemplates(context, { skippedNamespaces: [] });
  for (let i = 0; i < count; i++) await client.create(configmaps, configMap(`large-${i}`));
  const of = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' };
  await until('all are mirrored', () => [...templates.unclaimed(of)].length === count);
  const large = policy('large', {}) as unknown as Policy;
  const woken: string[] = [];
  const deps = {
    ...{ context, templates, preemption: false, wakeByPolicy: (key: string) => void woken.push(key) },
    ...{ bindings: context.informers.informer(resourceBindings, { indexers: { policyId: () => [] } }) },
    clusterBindings: context.informers.informer(resources.clusterResourceBindings, {
      indexers: { policyId: () => [] },
    }),
  } as unknown as DetectorDeps;
  const passes = new PolicyPasses({ get: () => large } as unknown as Informer<Policy>, deps);
  reads.taken(configmaps);
  for (let part = 1; part <= 3; part++) {
    await passes.reconcile('default/large');
    t.equal(woken.length, 16 * part);
    t.ok(reads.taken(configmaps) <= 17, 'no other template is parsed');
  }
});

t.test('another leader goes on with a policy that has changed', async t => {
  const { client } = await serveCustomResources(t);
  const lead = async (): Promise<() => Promise<void>> => {
    const leading = new AbortController();
    const context = createControllerContext({ client, clock: systemClock, log: silent, signal: leading.signal });
    const templates = await watchTemplates(context, { skippedNamespaces: [] });
    const options = { templates, interpreter: nativeInterpreter, preemption: false, gates: featureGates() };
    await startDetector(context, options);
    return async () => {
      leading.abort();
      await context.finished();
    };
  };
  const bindings = async (holds: (binding: KubeObject) => boolean): Promise<number> =>
    (await client.list(resourceBindings)).items.filter(holds).length;

  const stop = await lead();
  await client.create(propagationPolicies, policy('large', {}));
  for (let i = 0; i < 100; i++) await client.create(configmaps, configMap(`large-${i}`));
  await until('all have bindings', async () => (await bindings(() => true)) === 100);
  const patch = { spec: { conflictResolution: 'Overwrite' } };
  await client.patch(propagationPolicies, { namespace: 'default', name: 'large' }, { type: 'merge', patch });
  await until('some bindings have changed', async () => (await bindings(isChanged)) > 0);
  await stop();
  t.ok((await bindings(isChanged)) < 100, 'the first leader stops in the middle');
  t.teardown(await lead());
  await until('all bindings have changed', async () => (await bindings(isChanged)) === 100);
});
