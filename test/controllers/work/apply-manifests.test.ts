/** The manifests of one Work in its member, applied without a queue. as pkg/controllers/execution Controller.syncToClusters */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import { workName } from '../../../api/karmada/names.js';
import type { Work } from '../../../api/karmada/types.js';
import { configMaps } from '../../../api/kubernetes/resources.js';
import { NotSynced } from '../../../client/runtime/controller.js';
import type { Informer } from '../../../client/runtime/interface.js';
import { keyOf } from '../../../client/key.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { MemberProbes } from '../../../controllers/members/member-probes.js';
import { applyManifests, type ManifestDeps, reportFailure } from '../../../controllers/work/apply-manifests.js';
import { EarlyWorks } from '../../../controllers/work/early-works.js';
import { mirrorOf } from '../../../controllers/work/locate.js';
import { MemberWrites } from '../../../controllers/work/own-writes.js';
import { Prerequisites } from '../../../controllers/work/prerequisites.js';
import { workSeries } from '../../../controllers/work/work-series.js';
import { object } from '../../aggregation/fleet.js';
import { type Fault, faultyFront } from '../faults/faulty-front.js';
import { until } from '../../storage/until.js';
import { createWork, workNamespace } from './work-fixture.js';
import { workParts } from './work-parts.js';

const configMap = (name: string, data: object = {}, namespace = 'default'): KubeObject =>
  object('v1', 'ConfigMap', name, { metadata: { namespace }, data });

/** Returns the fault in which the next creation gets this code while `isRefusing` returns true. */
const refusing = (code: number, isRefusing: () => boolean): Fault => ({
  ...{ kind: 'answers', left: [code] },
  matches: ({ method }) => isRefusing() && method === 'POST',
});

/** Returns the Work as it is once its manifests were applied. */
const applied = (work: Work): Work => ({
  ...work,
  status: {
    conditions: [
      { type: 'Applied', status: 'True', reason: 'Test', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  },
});

/** `fault`: how the server in front of the member fails. A change of that would cut the connections. */
async function scene(t: Test, fault?: Fault) {
  const { control, member, context, members, cluster } = await workParts(t, {
    async front(server) {
      const front = await faultyFront(t, server);
      front.set(fault);
      return front;
    },
  });
  const { client, clock } = context;
  const works = context.informers.informer<Work>(resources.works);
  await works.synced;
  /** The recorded Events, as `type reason about: message`. */
  const events: string[] = [];
  const compared: string[] = [];
  const compare = (work: string): void => void compared.push(work);
  const answered = (): void => undefined;
  const deps: ManifestDeps = {
    context,
    recorder: {
      event: (about, type, reason, message) =>
        void events.push(`${type} ${reason} ${about.kind} ${keyOf(about)}: ${message}`),
    },
    interpreter: nativeInterpreter,
    ownWrites: new MemberWrites(),
    earlyWorks: new EarlyWorks(compare),
    probes: new MemberProbes(members.connect, answered),
    locating: { client, members, series: workSeries(context.meter).member, onAnswer: answered },
    prerequisites: new Prerequisites({ client, members, works, clock, isReportPostponed: () => false }),
    compare,
  };
  const apply = (work: Work, more: Partial<ManifestDeps> = {}): ReturnType<typeof applyManifests> =>
    applyManifests(work, cluster, { ...deps, ...more });
  return {
    ...{ control, member, deps, apply, events, compared },
    /** Applies a Work again until the mirrors of its kinds have their first lists. */
    applyListed: async (work: Work): ReturnType<typeof applyManifests> => {
      for (;;) {
        const result = await apply(work);
        const unlisted = result.waits.filter(wait => wait instanceof NotSynced);
        if (unlisted.length === 0) return result;
        for (const { synced } of unlisted) await synced;
      }
    },
    mirrorOfConfigMaps: async (): Promise<Informer> => {
      const mirror = await mirrorOf(configMap('any'), cluster, deps.locating);
      if (!mirror) throw new Error('not reached');
      return mirror.informer;
    },
    dataOf: async (name: string) =>
      (await member.client.get(configMaps, { namespace: 'default', name }))['data'] as
        Record<string, string> | undefined,
  };
}

const succeeded = (name: string): string =>
  `Normal SyncSucceed ConfigMap default/${name}: Successfully applied resource(default/${name}) to cluster member1`;

t.test('a Work waits for the mirror of its kind, and then its manifests are created', async t => {
  const { control, apply, applyListed, events, dataOf } = await scene(t);
  const work = await createWork(control, 'w', [configMap('a', { k: '1' }), configMap('b', { k: '2' })]);
  const first = await apply(work);
  t.match(first, { appliedCount: 0, failed: [], isMemberDown: false });
  t.same(
    first.waits.map(({ message }) => message),
    Array(2).fill('cluster(member1) has not shown its configmaps yet'),
  );
  t.same(events, []);
  t.match(await applyListed(work), { appliedCount: 2, failed: [], waits: [], isMemberDown: false, isUnchanged: false });
  t.strictSame([await dataOf('a'), await dataOf('b')], [{ k: '1' }, { k: '2' }]);
  t.same(events, ['a', 'b'].map(succeeded));
});

t.test('a Work that was applied records Events only for objects that it changes', async t => {
  const { control, member, apply, applyListed, events, dataOf, mirrorOfConfigMaps } = await scene(t);
  const work = applied(await createWork(control, 'w', [configMap('a', { k: '1' }), configMap('b', { k: '2' })]));
  t.match(await applyListed(work), { isUnchanged: false });
  t.same(events.splice(0), ['a', 'b'].map(succeeded));
  const informer = await mirrorOfConfigMaps();
  const shows = (name: string, k: string): Promise<void> =>
    until(`the mirror shows ${name}`, () => {
      const data = informer.get(`default/${name}`)?.['data'] as Record<string, string> | undefined;
      return data?.['k'] === k;
    });
  for (const [name, k] of [
    ['a', '1'],
    ['b', '2'],
  ] as const)
    await shows(name, k);
  t.match(await apply(work), { appliedCount: 2, isUnchanged: true });
  t.same(events, []);
  await member.client.patch(
    configMaps,
    { namespace: 'default', name: 'a' },
    { type: 'merge', patch: { data: { k: 'x' } } },
  );
  await shows('a', 'x');
  t.match(await apply(work), { appliedCount: 2, isUnchanged: false });
  t.strictSame(await dataOf('a'), { k: '1' });
  t.same(events, [succeeded('a')]);
});

t.test('a manifest that fails or waits does not stop the others', async t => {
  const { control, apply, applyListed, events, dataOf } = await scene(t);
  const namespace = object('v1', 'Namespace', 'team');
  await createWork(control, workName('Namespace', 'team', ''), [namespace]);
  const foo = object('example.com/v1', 'Foo', 'foo', { metadata: { namespace: 'default' } });
  const invalid = configMap('In_valid');
  const work = await createWork(control, 'w', [foo, invalid, configMap('c', {}, 'team'), configMap('d', { k: '1' })]);
  await applyListed(await createWork(control, 'first', [configMap('first')]));
  events.length = 0;
  const result = await apply(work);
  t.match(result, { appliedCount: 1, isMemberDown: false, isUnchanged: false });
  t.same(
    result.waits.map(({ message }) => message),
    [`waiting for the Work ${workNamespace}/${workName('Namespace', 'team', '')}`],
  );
  t.same(
    result.failed.map(({ manifest }) => manifest.metadata.name),
    ['foo', 'In_valid'],
  );
  t.match(
    result.failed.map(({ error }) => (error as Error).message),
    ['no matches for kind "Foo" in version "example.com/v1"', /Invalid value: "In_valid"/],
  );
  t.strictSame(await dataOf('d'), { k: '1' });
  t.same(events, [succeeded('d')], 'failures are told by the caller');
});

t.test('a namespace that is missing and has no Work is awaited for a moment', async t => {
  const { control, apply, applyListed } = await scene(t);
  await applyListed(await createWork(control, 'first', [configMap('first')]));
  const work = await createWork(control, 'w', [configMap('a', {}, 'team')]);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const { waits, failed } = await apply({ ...work, metadata: { ...work.metadata, creationTimestamp: later } });
  t.match(waits, [{ message: /namespaces "team" not found/ }]);
  t.same(failed, []);
  const old = await apply({ ...work, metadata: { ...work.metadata, creationTimestamp: '2026-01-01T00:00:00Z' } });
  t.same(old.waits, []);
  t.match(old.failed, [{ error: { message: /namespaces "team" not found/ } }]);
});

t.test('nothing more is tried when the member is down', async t => {
  let isDown = false;
  const { control, apply, applyListed, events } = await scene(t, { kind: 'answer', code: 503, matches: () => isDown });
  await applyListed(await createWork(control, 'first', [configMap('first')]));
  events.length = 0;
  const work = await createWork(
    control,
    'w',
    ['a', 'b', 'c'].map(name => configMap(name)),
  );
  isDown = true;
  const result = await apply(work);
  t.match(result, { appliedCount: 0, isMemberDown: true, isUnchanged: false });
  t.same(
    result.failed.map(({ manifest }) => manifest.metadata.name),
    ['a'],
  );
  t.same(events, []);
});

t.test('a refusal of one object is no outage of its member', async t => {
  let isRefusing = false;
  const { control, apply, applyListed } = await scene(
    t,
    refusing(503, () => isRefusing),
  );
  await applyListed(await createWork(control, 'first', [configMap('first')]));
  const work = await createWork(
    control,
    'w',
    ['a', 'b'].map(name => configMap(name)),
  );
  isRefusing = true;
  const result = await apply(work);
  t.match(result, { appliedCount: 1, isMemberDown: false });
  t.same(
    result.failed.map(({ manifest }) => manifest.metadata.name),
    ['a'],
  );
});

t.test('a write that fails leaves nothing that hides changes in the member', async t => {
  let isRefusing = false;
  const { control, apply, applyListed, deps, mirrorOfConfigMaps } = await scene(
    t,
    refusing(500, () => isRefusing),
  );
  await applyListed(await createWork(control, 'first', [configMap('first')]));
  isRefusing = true;
  const work = await createWork(control, 'w', [configMap('a')]);
  t.match(await apply(work), { appliedCount: 0, failed: { length: 1 } });
  const seen = { ...configMap('a'), metadata: { namespace: 'default', name: 'a', resourceVersion: '99' } };
  const mirror = await mirrorOfConfigMaps();
  t.ok(mirror.hasSynced);
  t.equal(deps.ownWrites.take(seen, mirror), false, 'an event of the object is that of another writer');
});

t.test('a Work whose controller stops is given up', async t => {
  const { control, apply, deps } = await scene(t);
  const foo = object('example.com/v1', 'Foo', 'foo', { metadata: { namespace: 'default' } });
  const work = await createWork(control, 'w', [foo]);
  const context = { ...deps.context, signal: AbortSignal.abort() };
  await t.rejects(apply(work, { context }), { message: 'no matches for kind "Foo" in version "example.com/v1"' });
});

t.test('a Work without manifests is applied', async t => {
  const { control, apply } = await scene(t);
  const work = await createWork(control, 'w', []);
  t.match(await apply(work), { appliedCount: 0, failed: [], waits: [], isMemberDown: false, isUnchanged: false });
  t.match(await apply(applied(work)), { isUnchanged: true });
});

t.test('an Event about a failure is about the template', async t => {
  const told: KubeObject[] = [];
  const recorder = { event: (about: KubeObject, ...text: string[]) => void told.push({ ...about, text }) };
  const deps = { recorder } as unknown as ManifestDeps;
  const marked = configMap('a');
  marked.metadata.annotations = { [annotations.templateUid]: 'u-1', other: 'x' };
  reportFailure(marked, 'member1', new Error('not today'), deps);
  reportFailure(object('v1', 'Namespace', 'team'), 'member1', new Error('not today'), deps);
  t.strictSame(told, [
    {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default', uid: 'u-1' } },
      text: [
        ...['Warning', 'SyncFailed'],
        'Failed to create or update resource(default/a) in member cluster(member1): not today',
      ],
    },
    {
      ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
      text: [
        'Warning',
        'SyncFailed',
        'Failed to create or update resource(team) in member cluster(member1): not today',
      ],
    },
  ]);
});
