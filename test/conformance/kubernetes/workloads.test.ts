/** ReplicationControllers and PodDisruptionBudgets. as test/e2e/apps rc.go, disruption.go */
import t from 'tap';
import { kit, type Resource, type Thing, version } from './kit.js';
import { runningMember } from './running-member.js';

const all = kit(t, await runningMember(t));

interface Status {
  readonly replicas: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
}

const statusOf = ({ status }: Thing): Status => status as Status;
const failure = (thing: Thing) => statusOf(thing).conditions?.find(({ type }) => type === 'ReplicaFailure');
const isSeen = (thing: Thing): boolean => (statusOf(thing).observedGeneration ?? 0) >= (thing.metadata.generation ?? 0);

const controller = (name: string, replicas: number) => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { name },
    template: { metadata: { labels: { name } }, spec: { containers: [{ name, image: 'agnhost' }] } },
  },
});

async function fixture(): Promise<{ controllers: Resource; pods: Resource; quotas: Resource }> {
  const namespace = await all.namespace();
  const of = (resource: string): Resource => all.of(`v1/${resource}`, namespace);
  return { controllers: of('replicationcontrollers'), pods: of('pods'), quotas: of('resourcequotas') };
}

t.test('a controller reports why it cannot create Pods', async t => {
  const { controllers, quotas } = await fixture();
  await quotas.create({ metadata: { name: 'two' }, spec: { hard: { pods: '2' } } });
  await quotas.becomes('two', ({ status }) => (status as { hard?: { pods?: string } }).hard?.pods === '2');
  await controllers.create(controller('many', 3));
  const failed = await controllers.becomes('many', thing => isSeen(thing) && failure(thing));
  t.match(failure(failed), { reason: 'FailedCreate', status: 'True', message: /exceeded quota: two/ });
  await controllers.update('many', ({ spec }) => ((spec as { replicas: number }).replicas = 2));
  const well = await controllers.becomes('many', thing => isSeen(thing) && !failure(thing));
  t.equal(statusOf(well).replicas, 2);
});

t.test('a controller is scaled', async t => {
  const { controllers } = await fixture();
  await controllers.create(controller('scaled', 1));
  await controllers.becomes('scaled', thing => statusOf(thing).replicas === 1);
  const scale = await controllers.get('scaled/scale');
  t.match(scale, { kind: 'Scale', spec: { replicas: 1 }, status: { replicas: 1, selector: 'name=scaled' } });
  const metadata = { ...scale.metadata, resourceVersion: '' };
  t.match(await controllers.replace({ ...scale, metadata, spec: { replicas: 2 } }, 'scale'), { spec: { replicas: 2 } });
  await controllers.becomes('scaled', thing => statusOf(thing).replicas === 2);
});

t.test('a controller releases Pods that it no longer selects', async t => {
  const { controllers, pods } = await fixture();
  await controllers.create(controller('pod-release', 1));
  const [pod] = await pods.count(1);
  const name = pod?.metadata.name ?? '';
  t.match(pod?.metadata.ownerReferences, [{ kind: 'ReplicationController', name: 'pod-release', controller: true }]);
  await pods.update(name, ({ metadata }) => (metadata.labels = { name: 'not-matching-name' }));
  await pods.becomes(name, ({ metadata }) => !metadata.ownerReferences?.length);
  const items = await pods.count(2);
  t.equal(
    items.filter(({ metadata }) => metadata.labels?.['name'] === 'pod-release').length,
    1,
    'a new Pod is created',
  );
});

t.test('a controller adopts Pods that it selects', async t => {
  const { controllers, pods } = await fixture();
  const { metadata, spec } = controller('pod-adoption', 1);
  await pods.create({ metadata: { name: 'orphan', labels: { name: metadata.name } }, spec: spec.template.spec });
  const made = await controllers.create(controller('pod-adoption', 1));
  const adopted = await pods.becomes('orphan', ({ metadata }) => metadata.ownerReferences?.length);
  t.match(adopted.metadata.ownerReferences, [{ uid: made.metadata.uid, controller: true }]);
  await controllers.becomes('pod-adoption', thing => statusOf(thing).replicas === 1);
  t.equal((await pods.list()).items.length, 1);
});

const budgets = 'policy/v1/poddisruptionbudgets';
const budget = (name: string, minAvailable: number | string) => ({
  metadata: { name, labels: { foo_pdb: 'bar_pdb' } },
  spec: { selector: { matchLabels: { foo: 'bar' } }, minAvailable },
});
/** Returns whether the controller has handled the current generation. */
const processed = (thing: Thing): boolean => statusOf(thing).observedGeneration === thing.metadata.generation;

t.test('a PodDisruptionBudget is created, updated, patched and deleted', async t => {
  const here = all.of(budgets, await all.namespace());
  await here.create(budget('foo', '1%'));
  await here.becomes('foo', processed);
  const updated = await here.update('foo', ({ spec }) => ((spec as { minAvailable: string }).minAvailable = '2%'));
  t.match(updated, { spec: { minAvailable: '2%' } });
  const patched = await here.patch('foo', { spec: { minAvailable: '3%' } });
  t.match(patched, { spec: { minAvailable: '3%' } });
  t.ok(version(patched) > version(updated));
  await here.becomes('foo', processed);
  await here.remove('foo');
  await here.gone('foo');
});

t.test('PodDisruptionBudgets are listed in all namespaces, and deleted as a collection', async t => {
  const [a, b] = [await all.namespace(), await all.namespace()].map(name => all.of(budgets, name));
  await a?.create(budget('foo', 2));
  await a?.create(budget('foo2', '1%'));
  await b?.create(budget('foo3', 2));
  const chosen = 'labelSelector=foo_pdb=bar_pdb';
  const names = async (of: Resource | undefined): Promise<unknown> =>
    (await of?.list(chosen))?.items.map(({ metadata }) => metadata.name);
  t.same(await names(all.of(budgets)), ['foo', 'foo2', 'foo3']);
  t.same(await names(a), ['foo', 'foo2']);
  await a?.removeAll();
  await a?.count(0);
  t.same(await names(all.of(budgets)), ['foo3']);
});
