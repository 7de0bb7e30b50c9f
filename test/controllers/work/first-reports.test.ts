/** Under load, the first conditions of a Work are written together with its first status. */
import t, { type Test } from 'tap';
import type { Work } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { find, ignoreNotFound } from '../../../client/find.js';
import { startExecutionController } from '../../../controllers/work/execution.js';
import { FirstReports } from '../../../controllers/work/first-reports.js';
import { startWorkStatusController } from '../../../controllers/work/work-status.js';
import { findCondition, isApplied } from '../../../kinds/karmada/conditions.js';
import { core, object } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { comesAbout } from '../control-plane.js';
import { faultyFront, type FaultyFront } from '../faults/faulty-front.js';
import {
  createWork,
  deployment,
  deployments,
  Gate,
  managed,
  replicasIn,
  type Fixture,
  type FixtureOptions,
  setReady,
  workNamespace,
  workFixture,
  workThat,
} from './work-fixture.js';

const workKey = { namespace: workNamespace, name: 'app' };
const inMember = { namespace: 'default', name: 'app' };
const hour = 3_600_000;

/** Returns the start of both controllers of Works as if reports could be postponed for that long. */
const postponing = (postponeMs: () => number): Required<Pick<FixtureOptions, 'start'>> => ({
  start(context, execution) {
    startExecutionController(context, { ...execution, postponeMs });
    startWorkStatusController(context, execution);
  },
});

/** Starts both controllers of Works as if reports could always be postponed for that long, and applies a Work. */
async function postponed(t: Test, milliseconds: number, options: FixtureOptions = {}): Promise<Fixture> {
  const fixture = await workFixture(t, { ...options, ...postponing(() => milliseconds) });
  await createWork(fixture.control, 'app', [deployment('app')]);
  await comesAbout(fixture.member, deployments, inMember);
  return fixture;
}

/** Reports a status in place of the member's controller. */
async function report({ client }: TestServer, replicas: number, ready = replicas): Promise<void> {
  const current = await client.get(deployments, inMember);
  const counts = { replicas, updatedReplicas: replicas, readyReplicas: ready, availableReplicas: ready };
  const status = { observedGeneration: 1, ...counts };
  await client.update(deployments, { ...current, status }, { subresource: 'status' });
}

/** Collects the changes of Works from now on. */
async function changesOf(t: Test, { client }: TestServer): Promise<readonly Work[]> {
  const seen: Work[] = [];
  const watching = new AbortController();
  const { metadata } = await client.list(resources.works, { namespace: workNamespace });
  const query = { namespace: workNamespace, resourceVersion: metadata.resourceVersion ?? '' };
  const watched = (async () => {
    for await (const { type, object } of client.watch(resources.works, query, watching.signal))
      if (type === 'MODIFIED') seen.push(object as Work);
  })();
  t.teardown(async () => {
    watching.abort();
    await watched;
  });
  return seen;
}

const conditionsOf = ({ status }: Work): unknown =>
  status?.conditions?.map(({ type, status, reason }) => [type, status, reason]);

const applied = [
  ['Dispatching', 'True', 'Dispatching'],
  ['Applied', 'True', 'AppliedSuccessful'],
];

t.test('the first conditions are written together with the first status of a healthy object', async t => {
  const { control, member } = await postponed(t, hour);
  const changes = await changesOf(t, control);
  await report(member, 1, 0);
  await report(member, 1);
  await until('the Work has changed', () => changes.length > 0);
  const [first] = changes;
  t.same(first && conditionsOf(first), applied);
  t.match(first?.status?.manifestStatuses, [{ status: { availableReplicas: 1 }, health: 'Healthy' }]);
  await report(member, 2);
  const { status } = await workThat(control, 'app', work => replicasIn(work) === 2);
  t.same(status?.conditions, first?.status?.conditions);
  t.equal(changes.length, 2, 'each is one write');
});

t.test('a kind without a status is reported when the mirror shows the object', async t => {
  const { control } = await postponed(t, hour);
  await createWork(control, 'data', [object('v1', 'ConfigMap', 'data', { metadata: { namespace: 'default' } })]);
  const work = await workThat(control, 'data', isApplied);
  t.match(work.status?.manifestStatuses, [{ health: 'Healthy' }]);
});

t.test('the conditions are written without a healthy object when the time is over', async t => {
  const { control } = await postponed(t, 300);
  const work = await workThat(control, 'app', isApplied);
  t.ok(findCondition(work.status?.conditions, 'Dispatching'));
  t.match(work.status?.manifestStatuses, [{ health: 'Unhealthy' }], 'the known health is written with them');
});

t.test('the conditions are written at once while the process is idle', async t => {
  const { control } = await postponed(t, 0);
  const work = await workThat(control, 'app', isApplied);
  t.same(conditionsOf(work), applied);
});

t.test('the conditions are written if the cluster is not ready any more', async t => {
  const { control, member } = await postponed(t, hour);
  await setReady(control, 'False');
  await report(member, 1, 0);
  const work = await workThat(control, 'app', isApplied);
  t.notOk(work.status?.manifestStatuses, 'the status of the object is not used');
});

t.test('the conditions of a Work that has changed are written before those of the change', async t => {
  const { control } = await postponed(t, hour);
  const work = await workThat(control, 'app');
  await control.client.update(resources.works, { ...work, spec: { ...work.spec, suspendDispatching: true } });
  const suspended = await workThat(
    control,
    'app',
    ({ status }) => findCondition(status?.conditions, 'Dispatching')?.status === 'False',
  );
  t.ok(isApplied(suspended));
});

/** Returns whether the object in the member is the one that the Work describes, and not the one with the uid. */
const isRestored = async ({ client }: TestServer, uid?: string): Promise<boolean> => {
  const found = await find(client, deployments, inMember);
  return found !== undefined && found.metadata.uid !== uid && (found['spec'] as { paused?: boolean }).paused !== true;
};

t.test('an object that is deleted in the member while the report is postponed is restored', async t => {
  const { member } = await postponed(t, hour);
  const { uid = '' } = (await member.client.get(deployments, inMember)).metadata;
  await member.client.delete(deployments, inMember);
  await until('the object is restored', () => isRestored(member, uid));
  t.pass('it exists again');
});

t.test('an object that is changed in the member while the report is postponed is restored', async t => {
  const { control, member } = await postponed(t, hour);
  const patch = { spec: { paused: true } };
  await member.client.patch(deployments, inMember, { type: 'merge', patch });
  await until('the object is restored', () => isRestored(member));
  t.same(conditionsOf(await workThat(control, 'app', isApplied)), applied);
});

t.test('an object that is deleted while its Work is being applied is restored', async t => {
  const fronts: FaultyFront[] = [];
  const front = async (server: TestServer): Promise<FaultyFront> => {
    const made = await faultyFront(t, server);
    fronts.push(made);
    return made;
  };
  const { control, member } = await workFixture(t, { front, ...postponing(() => hour) });
  fronts[0]?.set({ kind: 'slow', delayMs: 1000 });
  await createWork(control, 'app', [deployment('app'), deployment('other')]);
  const { uid = '' } = (await comesAbout(member, deployments, inMember)).metadata;
  await member.client.delete(deployments, inMember);
  await until('the object is restored', () => isRestored(member, uid));
  t.pass('it exists again');
});

t.test('an object that vanishes while the member has no connection is restored', async t => {
  const memberGate = new Gate('deployments');
  const { control, member } = await postponed(t, hour, { memberGate });
  t.teardown(() => memberGate.open());
  memberGate.closeAfter(0);
  const { uid = '' } = (await member.client.get(deployments, inMember)).metadata;
  await member.client.delete(deployments, inMember);
  const secret = { namespace: 'karmada-cluster', name: 'member1' };
  const { caBundle = '' } = (await control.client.get(core('secrets'), secret))['data'] as { caBundle?: string };
  const authority = Buffer.from(caBundle, 'base64');
  // Other authorities are a reason to connect anew, another token is not.
  const data = { caBundle: Buffer.concat([authority, Buffer.from('\n'), authority]).toString('base64') };
  await control.client.patch(core('secrets'), secret, { type: 'merge', patch: { data } });
  // This Work connects anew.
  await createWork(control, 'other', [deployment('other')]);
  await until('the object is restored', () => isRestored(member, uid));
  t.pass('it exists again');
});

t.test('a Work that changes while its report is postponed is dispatched once', async t => {
  let applications = 0;
  const postponeOnce = (): number => (applications++ === 0 ? hour : 0);
  const { control } = await workFixture(t, postponing(postponeOnce));
  const work = await createWork(control, 'app', [deployment('app')]);
  await until('the report is postponed', () => applications === 1);
  const manifests = [...(work.spec.workload?.manifests ?? []), managed(deployment('other'), 'app')];
  await control.client.update(resources.works, { ...work, spec: { workload: { manifests } } });
  const count = async (reason: string): Promise<number> => {
    const { items } = await control.client.list(core('events'), { namespace: workNamespace });
    const counts = items.filter(event => event['reason'] === reason).map(event => Number(event['count'] ?? 1));
    return counts.reduce((sum, each) => sum + each, 0);
  };
  await until('the change is applied', async () => (await count('SyncSucceed')) >= 2);
  await until('the first dispatch is recorded', async () => (await count('WorkDispatching')) >= 1);
  t.equal(await count('WorkDispatching'), 1);
});

t.test('a Work whose report is postponed can be deleted', async t => {
  const { control, member } = await postponed(t, hour);
  await control.client.delete(resources.works, workKey);
  const gone = async (server: TestServer): Promise<boolean> =>
    (await ignoreNotFound(
      server === member ? server.client.get(deployments, inMember) : server.client.get(resources.works, workKey),
    )) === undefined;
  await until('the object is deleted', () => gone(member));
  await until('the Work is deleted', () => gone(control));
  t.pass('both are gone');
});

t.test('a status that changes before the mirror shows the first report is written afterwards', async t => {
  const controlGate = new Gate('works');
  const { control, member } = await postponed(t, hour, { controlGate });
  t.teardown(() => controlGate.open());
  controlGate.closeAfter(0);
  await report(member, 1);
  await workThat(control, 'app', isApplied);
  await report(member, 2);
  controlGate.open();
  await workThat(control, 'app', work => replicasIn(work) === 2);
  t.pass('the Work shows the second status');
});

t.test('a report is that of the Work that was applied', t => {
  const reports = new FirstReports({ now: () => 1000, sleep: () => Promise.resolve() }, () => 500);
  const work = (uid: string, conditions?: object[]): Work =>
    object('work.karmada.io/v1alpha1', 'Work', 'app', {
      metadata: { namespace: 'n', uid, generation: 3 },
      ...(conditions && { status: { conditions } }),
    }) as Work;
  t.notOk(reports.postpone(work('a', [{ type: 'Applied', status: 'False' }]), []), 'a later report is not postponed');
  const woken: string[] = [];
  const wakes = (): string[] => {
    reports.wake('n/app', { addAfter: key => void woken.push(key) });
    return woken.splice(0);
  };
  t.ok(reports.postpone(work('a'), []));
  t.same(wakes(), [], 'it is about to be reconciled');
  t.match(reports.of('n/app', work('a')), { uid: 'a', generation: 3, conditions: [], until: 1500 });
  t.same(wakes(), ['n/app'], 'a change of its object wakes it');
  t.same(wakes(), [], 'once until it is reconciled');
  t.notOk(reports.of('n/app', work('b')), 'the Work was created again');
  t.same(wakes(), [], 'nothing is kept of the deleted Work');
  t.ok(reports.postpone(work('b'), []));
  t.notOk(reports.of('n/app', undefined));
  t.notOk(reports.of('n/app', work('b')), 'nothing is kept of the deleted Work');
  t.end();
});
