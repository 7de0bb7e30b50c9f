/** Where the object of a manifest is looked for in a member. as pkg/util/helper GetObjectFromCache */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';
import { NotSynced } from '../../../client/runtime/controller.js';
import { findInMember, findInMirror, type LocateDeps } from '../../../controllers/work/locate.js';
import { workSeries } from '../../../controllers/work/work-series.js';
import { core, object } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { customKind } from '../../custom-kinds.js';
import { until } from '../../storage/until.js';
import type { FixtureOptions } from './work-fixture.js';
import { createManaged, workParts } from './work-parts.js';

const data = (name: string): KubeObject => object('v1', 'ConfigMap', name, { metadata: { namespace: 'default' } });
const foo = object('example.com/v1', 'Foo', 'app', { metadata: { namespace: 'default' } });
const nameOf = (found: { readonly observed: KubeObject | undefined } | undefined): string | undefined =>
  found?.observed?.metadata.name;

async function scene(t: Test, options: FixtureOptions = {}) {
  const { control, member, context, members, cluster } = await workParts(t, options);
  const answers: string[] = [];
  const deps: LocateDeps = {
    ...{ client: context.client, members, series: workSeries(context.meter).member },
    onAnswer: name => void answers.push(name),
  };
  const inMirror = (manifest: KubeObject): ReturnType<typeof findInMirror> => findInMirror(manifest, cluster, deps);
  return {
    ...{ control, member, answers, inMirror },
    inMember: (manifest: KubeObject): ReturnType<typeof findInMember> => findInMember(manifest, cluster, deps),
    /** Looks in the mirror until its first list is there, or has failed. */
    attempted: async (manifest: KubeObject): ReturnType<typeof findInMirror> => {
      const error = await inMirror(manifest).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!(error instanceof NotSynced)) throw new Error('the mirror was there before');
      await error.synced;
      return inMirror(manifest);
    },
  };
}

/** Creates the definition of Foo and waits until the server serves it. */
async function defineFoo({ client }: TestServer): Promise<void> {
  await client.create(customResourceDefinitions, customKind('Foo'));
  const kind = { group: 'example.com', version: 'v1', kind: 'Foo' };
  await until('Foo is served', async () => (await client.mapper.forKind(kind)) !== undefined);
}

t.test('the mirror answers once it has its first list', async t => {
  const { member, inMirror, attempted, answers } = await scene(t);
  await createManaged(member, data('settings'), 'app');
  await member.client.create(core('configmaps'), data('unmanaged'));
  await t.rejects(inMirror(data('settings')), { message: 'cluster(member1) has not shown its configmaps yet' });
  const found = await attempted(data('settings'));
  t.equal(nameOf(found), 'settings');
  t.match(found, { cluster: 'member1', resource: { kind: 'ConfigMap' } });
  t.ok(found?.mirror);
  t.equal(nameOf(await inMirror(data('unmanaged'))), undefined, 'the mirror has only what Karmada manages');
  t.equal(nameOf(await inMirror(data('absent'))), undefined);
  t.same(answers, [], 'the member was not asked');
});

t.test('the member is asked if its list takes too long', async t => {
  const { member, inMirror, answers } = await scene(t, { syncTimeoutMs: 0 });
  await createManaged(member, data('settings'), 'app');
  t.equal(nameOf(await inMirror(data('settings'))), 'settings');
  t.same(answers, ['member1']);
});

t.test('the member is asked if its account may not list the kind', async t => {
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'create', 'update', 'delete'] }];
  const { member, attempted, inMirror, inMember, answers } = await scene(t, { rules });
  await createManaged(member, data('settings'), 'app');
  t.equal(nameOf(await attempted(data('settings'))), 'settings');
  t.equal(nameOf(await inMirror(data('absent'))), undefined);
  t.equal(nameOf(await inMember(data('settings'))), 'settings');
  t.same(answers, ['member1', 'member1', 'member1']);
});

t.test('what is to be deleted is looked for in the member, too', async t => {
  const { member, attempted, inMember, answers } = await scene(t);
  await createManaged(member, data('settings'), 'app');
  await member.client.create(core('configmaps'), data('unmanaged'));
  await attempted(data('settings'));
  t.equal(nameOf(await inMember(data('settings'))), 'settings');
  t.same(answers, [], 'the mirror shows it');
  t.equal(nameOf(await inMember(data('unmanaged'))), 'unmanaged');
  t.equal(await inMember(data('absent')), undefined);
  t.same(answers, ['member1', 'member1']);
});

t.test('a kind that only one of the servers has', async t => {
  const { control, member, inMirror, attempted, inMember } = await scene(t);
  await defineFoo(member);
  await createManaged(member, foo, 'app');
  t.equal(await inMirror(foo), undefined, 'the control plane does not have it');
  const inMemberOnly = async (): Promise<boolean> => nameOf(await inMember(foo)) === 'app';
  await until('the object in the member is found', inMemberOnly);
  const bar = { ...foo, kind: 'Bar' };
  t.equal(await inMirror(bar), undefined, 'neither has it');
  t.equal(await inMember(bar), undefined);
  await control.client.create(customResourceDefinitions, customKind('Bar'));
  const kind = { group: 'example.com', version: 'v1', kind: 'Bar' };
  await until('Bar is served', async () => (await control.client.mapper.forKind(kind)) !== undefined);
  const found = await attempted(bar);
  t.ok(found);
  t.equal(nameOf(found), undefined, 'the member does not have it');
  t.equal(await inMember(bar), undefined);
});
