/** Objects are applied after their namespace and the definition of their kind. */
import t, { type Test } from 'tap';
import type { Work } from '../../../api/karmada/types.js';
import { workName } from '../../../api/karmada/names.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { findCondition, isApplied } from '../../../kinds/karmada/conditions.js';
import { core, object } from '../../aggregation/fleet.js';
import { customKind } from '../../custom-kinds.js';
import { until } from '../../storage/until.js';
import { createWork, type Fixture, setReady, workFixture, workNamespace, workThat } from './work-fixture.js';

const count = 50;
const definition = customKind('Foo') as unknown as KubeObject;
const namespace = object('v1', 'Namespace', 'team');
const foos = { group: 'example.com', version: 'v1', resource: 'foos' };
const foo = (i: number): KubeObject => object('example.com/v1', 'Foo', `foo-${i}`, { metadata: { namespace: 'team' } });
const nameOf = ({ kind, metadata: { name = '', namespace = '' } }: KubeObject): string =>
  workName(kind, name, namespace);
const isSeen = (work: Work): boolean => findCondition(work.status?.conditions, 'Dispatching') !== undefined;
const failed = (work: Work): boolean => findCondition(work.status?.conditions, 'Applied')?.status === 'False';

async function start(t: Test): Promise<Fixture> {
  const fixture = await workFixture(t);
  const { client } = fixture.control;
  await client.create(customResourceDefinitions, definition);
  const kind = { group: 'example.com', version: 'v1', kind: 'Foo' };
  await until('Foo is served', async () => (await client.mapper.forKind(kind)) !== undefined);
  return fixture;
}

const create = ({ control }: Fixture, manifest: KubeObject, spec: Partial<Work['spec']> = {}): Promise<Work> =>
  createWork(control, nameOf(manifest), [manifest], spec);

/** Returns the Events about Works that have failed. */
async function failures({ control: { client } }: Fixture): Promise<readonly KubeObject[]> {
  const { items } = await client.list(core('events'), { namespace: workNamespace });
  return items.filter(event => event['reason'] === 'SyncFailed');
}

t.test('a namespace, a definition and its objects are propagated at once', async t => {
  const fixture = await start(t);
  const all = Array.from({ length: count }, (_, i) => foo(i));
  const order = [...all.slice(0, count / 2), definition, namespace, ...all.slice(count / 2)];
  // While the cluster is not ready, nothing is applied. Then the controller knows all Works.
  await setReady(fixture.control, 'False');
  await Promise.all(order.map(manifest => create(fixture, manifest)));
  for (const manifest of order) await workThat(fixture.control, nameOf(manifest), isSeen);
  await setReady(fixture.control, 'True');
  for (const manifest of order) await workThat(fixture.control, nameOf(manifest), isApplied);
  t.equal((await fixture.member.client.list(foos)).items.length, count);
  t.same(await failures(fixture), []);
  const metrics = (await fixture.control.metrics.metrics()).split('\n');
  const refused = metrics.filter(line => line.startsWith('create_resource_to_cluster') && line.includes('"error"'));
  t.same(refused, [], 'no request of the member has failed');
});

t.test('a definition that cannot be applied is not awaited', async t => {
  const fixture = await start(t);
  const broken = { ...definition, spec: { ...(definition['spec'] as object), group: 'example.org' } };
  await create(fixture, namespace);
  await create(fixture, broken);
  await workThat(fixture.control, nameOf(broken), failed);
  await create(fixture, foo(1));
  const work = await workThat(fixture.control, nameOf(foo(1)), failed);
  t.match(findCondition(work.status?.conditions, 'Applied')?.message, /could not find the requested resource/);
  await fixture.member.client.create(customResourceDefinitions, definition);
  await workThat(fixture.control, nameOf(foo(1)), isApplied);
});

t.test('a definition whose Work is suspended is not awaited', async t => {
  const fixture = await start(t);
  await create(fixture, namespace);
  await create(fixture, definition, { suspendDispatching: true });
  await fixture.member.client.create(customResourceDefinitions, definition);
  await create(fixture, foo(1));
  await workThat(fixture.control, nameOf(foo(1)), isApplied);
});

t.test('a namespace whose Work is suspended is missed at once', async t => {
  const fixture = await start(t);
  await create(fixture, namespace, { suspendDispatching: true });
  const configMap = object('v1', 'ConfigMap', 'settings', { metadata: { namespace: 'team' } });
  await create(fixture, configMap);
  const work = await workThat(fixture.control, nameOf(configMap), failed);
  t.match(findCondition(work.status?.conditions, 'Applied')?.message, /namespaces "team" not found/);
});
