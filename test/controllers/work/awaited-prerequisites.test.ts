/** For how long a manifest waits for its namespace and for the definition of its kind. */
import t, { type Test } from 'tap';
import { notFound, pathNotFound } from '../../../apimachinery/errors/status.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { namespacedName } from '../../../apimachinery/meta/gvk.js';
import { workName } from '../../../api/karmada/names.js';
import type { Work } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';
import { find } from '../../../client/find.js';
import { NotSynced } from '../../../client/runtime/controller.js';
import { Prerequisites } from '../../../controllers/work/prerequisites.js';
import { object } from '../../aggregation/fleet.js';
import { customKind } from '../../custom-kinds.js';
import { steppedClock } from '../../lib/clock.js';
import { until } from '../../storage/until.js';
import { createWork, managed, workNamespace } from './work-fixture.js';
import { workParts } from './work-parts.js';

const team = object('v1', 'Namespace', 'team');
const settings = object('v1', 'ConfigMap', 'settings', { metadata: { namespace: 'team' } });
const definition = customKind('Foo') as KubeObject;
const foo = object('example.com/v1', 'Foo', 'foo', { metadata: { namespace: 'team' } });
const nameOf = ({ kind, metadata: { name = '' } }: KubeObject): string => workName(kind, name, '');

/** The prerequisites as the execution controller has them, without that controller. */
async function scene(t: Test) {
  const { control, member, context, members, cluster } = await workParts(t);
  const { client } = context;
  const clock = steppedClock();
  const works = context.informers.informer<Work>(resources.works);
  const postponed = new Set<string>();
  const prerequisites = new Prerequisites({
    ...{ client, members, works, clock },
    isReportPostponed: key => postponed.has(key),
  });
  works.onChange(({ key }) => prerequisites.settled(key));
  members.onChange((_mirror, { new: seen }) => seen && prerequisites.changed(seen));
  await works.synced;
  const keyOfWork = (name: string): string => namespacedName(workNamespace, name);
  /** Resolves when the mirror shows the Work as it is. */
  const shown = (name: string): Promise<void> =>
    until(`the mirror shows ${name}`, async () => {
      const live = await find(control.client, resources.works, { namespace: workNamespace, name });
      return works.get(keyOfWork(name))?.metadata.resourceVersion === live?.metadata.resourceVersion;
    });
  return {
    ...{ control, member, clock, prerequisites, postponed, keyOfWork, shown, cluster },
    /** Creates the Work of a manifest. */
    put: async (manifest: KubeObject, spec: Partial<Work['spec']> = {}): Promise<Work> => {
      const work = await createWork(control, nameOf(manifest), [manifest], spec);
      await shown(nameOf(manifest));
      return work;
    },
    /** Writes the condition Applied of the Work of a manifest; its time is so many milliseconds before now. */
    setApplied: async (manifest: KubeObject, status: 'True' | 'False', beforeMs = 0): Promise<void> => {
      const lastTransitionTime = new Date(clock.now() - beforeMs).toISOString();
      const applied = { type: 'Applied', status, reason: 'Test', message: '', lastTransitionTime };
      const patch = { status: { conditions: [applied] } };
      const key = { namespace: workNamespace, name: nameOf(manifest) };
      await control.client.patch(resources.works, key, { type: 'merge', patch }, { subresource: 'status' });
      await shown(nameOf(manifest));
    },
  };
}

/** A Work that was created so many milliseconds before a time. */
const workFrom = (now: number, beforeMs = 0): Work =>
  object('work.karmada.io/v1alpha1', 'Work', 'settings', {
    metadata: { namespace: workNamespace, creationTimestamp: new Date(now - beforeMs).toISOString() },
    spec: {},
  }) as Work;

/** Returns the error with which something waits; undefined if it does not wait. */
async function waitOf(check: () => void | Promise<void>): Promise<NotSynced | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof NotSynced) return error;
    throw error;
  }
}

t.test('a namespace is awaited only while its Work is on its way', async t => {
  const { control, prerequisites, put, setApplied, postponed, keyOfWork, shown, clock } = await scene(t);
  const wait = (): Promise<NotSynced | undefined> =>
    waitOf(() => prerequisites.requireNamespace(settings, workFrom(clock.now())));
  t.notOk(await wait(), 'there is no Work of it');
  const work = await put(team);
  const waiting = await wait();
  t.equal(waiting?.message, `waiting for the Work ${keyOfWork(nameOf(team))}`);
  t.equal((await wait())?.synced, waiting?.synced, 'all wait for the same');
  t.notOk(await waitOf(() => prerequisites.requireNamespace(team, work)), 'a namespace needs none');
  postponed.add(keyOfWork(nameOf(team)));
  t.notOk(await wait(), 'it was applied, and the report comes later');
  postponed.clear();
  await setApplied(team, 'False');
  await waiting?.synced;
  t.notOk(await wait(), 'it has failed');
  await setApplied(team, 'True');
  t.notOk(await wait(), 'it was applied');

  const key = { namespace: workNamespace, name: nameOf(team) };
  const unreported = { status: { conditions: null } };
  await control.client.patch(resources.works, key, { type: 'merge', patch: unreported }, { subresource: 'status' });
  await shown(nameOf(team));
  const again = await wait();
  t.ok(again);
  await control.client.patch(resources.works, key, { type: 'merge', patch: { spec: { suspendDispatching: true } } });
  await again?.synced;
  t.notOk(await wait(), 'it is suspended');
  await control.client.patch(resources.works, key, { type: 'merge', patch: { spec: { suspendDispatching: null } } });
  await shown(nameOf(team));
  t.ok(await wait());
  await control.client.delete(resources.works, key);
  await shown(nameOf(team));
  t.notOk(await wait(), 'it is being deleted');
});

t.test('a definition is awaited until the member serves the kind', async t => {
  const { control, member, prerequisites, put, setApplied, clock, cluster } = await scene(t);
  const wait = (manifest = foo): Promise<NotSynced | undefined> =>
    waitOf(() => prerequisites.requireKind(manifest, workFrom(clock.now()), cluster));
  t.notOk(await wait(settings), 'a kind of Kubernetes');
  t.notOk(await wait(), 'a kind that the control plane does not serve');
  await control.client.create(customResourceDefinitions, definition);
  const kind = { group: 'example.com', version: 'v1', kind: 'Foo' };
  await until('Foo is served', async () => (await control.client.mapper.forKind(kind)) !== undefined);
  t.notOk(await wait(), 'there is no Work with the definition');
  await put(definition);
  const waiting = await wait();
  t.ok(waiting, 'the Work is on its way');
  await setApplied(definition, 'True');
  await waiting?.synced;
  const established = await wait();
  t.ok(established, 'the definition is not in the member yet');
  await member.client.create(customResourceDefinitions, managed(definition, nameOf(definition)));
  await established?.synced;
  t.notOk(await wait(), 'the member serves the kind');
  await setApplied(definition, 'False');
  t.notOk(await wait(), 'the kind is known');
});

t.test('a definition that was applied long ago is not awaited', async t => {
  const { control, prerequisites, put, setApplied, clock, cluster } = await scene(t);
  await control.client.create(customResourceDefinitions, definition);
  const kind = { group: 'example.com', version: 'v1', kind: 'Foo' };
  await until('Foo is served', async () => (await control.client.mapper.forKind(kind)) !== undefined);
  await put(definition);
  const wait = (): Promise<NotSynced | undefined> =>
    waitOf(() => prerequisites.requireKind(foo, workFrom(clock.now()), cluster));
  await setApplied(definition, 'True', 20_000);
  t.ok(await wait());
  clock.advance(11_000);
  t.notOk(await wait());
});

t.test('a failure is hidden while what is missing may still come', async t => {
  const { prerequisites, put, setApplied, clock } = await scene(t);
  const noNamespace = notFound({ group: '', resource: 'namespaces' }, 'team');
  const retryMs = (error: unknown, ageMs: number, manifest = settings): number | undefined =>
    prerequisites.retryMs(error, manifest, workFrom(clock.now(), ageMs));
  const table: { name: string; error: unknown; ageMs: number; manifest?: KubeObject; expect: number | undefined }[] = [
    {
      name: 'another namespace',
      error: notFound({ group: '', resource: 'namespaces' }, 'x'),
      ageMs: 0,
      expect: undefined,
    },
    {
      name: 'another kind',
      error: notFound({ group: '', resource: 'configmaps' }, 'team'),
      ageMs: 0,
      expect: undefined,
    },
    { name: 'no answer of a server', error: new Error('404'), ageMs: 0, expect: undefined },
    { name: 'a new Work', error: noNamespace, ageMs: 4999, expect: 0 },
    { name: 'an older Work', error: noNamespace, ageMs: 5000, expect: undefined },
    { name: 'a cluster-scoped object', error: noNamespace, ageMs: 0, manifest: team, expect: undefined },
    { name: 'the kind, of a new Work', error: pathNotFound(), ageMs: 999, expect: 200 },
    { name: 'the kind, of an older Work', error: pathNotFound(), ageMs: 1000, expect: undefined },
  ];
  for (const { name, error, ageMs, manifest, expect } of table) t.equal(retryMs(error, ageMs, manifest), expect, name);
  await put(team);
  t.equal(retryMs(noNamespace, 3_600_000), 0, 'the Work of the namespace is on its way');
  await setApplied(team, 'True');
  t.equal(retryMs(noNamespace, 3_600_000), 0, 'it was applied just now');
  await setApplied(team, 'False');
  t.equal(retryMs(noNamespace, 0), undefined, 'it has failed');
});
