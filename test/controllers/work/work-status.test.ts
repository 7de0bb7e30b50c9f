/** The status of a Work follows its objects in the member. */
import path from 'node:path';
import t from 'tap';
import type { Cluster, Work } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { configMaps, customResourceDefinitions, secrets } from '../../../api/kubernetes/resources.js';
import { componentContext } from '../../../client/runtime/component.js';
import type { ControllerContext, ControllerOptions } from '../../../client/runtime/interface.js';
import { createMemberWatch } from '../../../controllers/members/member-watch.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { startExecutionController } from '../../../controllers/work/execution.js';
import { startWorkStatusController } from '../../../controllers/work/work-status.js';
import { isApplied } from '../../../kinds/karmada/conditions.js';
import { pruneManifest } from '../../../kinds/karmada/work/prune-manifest.js';
import { systemClock } from '../../../lib/clock.js';
import { cloneJson } from '../../../lib/json/clone.js';
import { silent } from '../../../server/logger.js';
import type { Part } from '../../../server/parts.js';
import { core, object } from '../../aggregation/fleet.js';
import { runningServer, temporaryFolder, type TestServer } from '../../apiserver/running.js';
import { customKind } from '../../custom-kinds.js';
import { until } from '../../storage/until.js';
import { comesAbout } from '../control-plane.js';
import {
  createWork,
  deployment,
  deployments,
  type FixtureOptions,
  Gate,
  managed,
  newToken,
  replicasIn,
  reportReplicas,
  setReady,
  workControllers,
  workNamespace,
  workFixture,
  workThat,
} from './work-fixture.js';
import { recordingQueue } from '../recording-queue.js';

const shows =
  (replicas: number) =>
  (work: Work): boolean =>
    replicasIn(work) === replicas;

/** Marks a Work as applied, in place of the execution controller. */
async function setApplied({ client }: TestServer, name: string): Promise<void> {
  const applied = { type: 'Applied', status: 'True', reason: 'Test', message: '' };
  const patch = { status: { conditions: [{ ...applied, lastTransitionTime: '2026-01-01T00:00:00Z' }] } };
  const key = { namespace: workNamespace, name };
  await client.patch(resources.works, key, { type: 'merge', patch }, { subresource: 'status' });
}

t.test('a cluster that is ready again wakes its Works', async t => {
  for (const start of [startExecutionController, startWorkStatusController])
    await t.test(start.name, async t => {
      let context: ControllerContext | undefined;
      let controller: ControllerOptions | undefined;
      const part: Part = {
        name: 'controller',
        start(host) {
          context = componentContext({ ...host, log: silent }, 'karmada-controller-manager');
          const members = createMemberWatch(() => Promise.reject(new Error('no member is connected')));
          const run = (options: ControllerOptions): void => void (controller = options);
          start({ ...context, run }, { interpreter: nativeInterpreter, members, serves: () => true });
          return Promise.resolve();
        },
      };
      const control = await runningServer(t, { parts: [part] });
      await control.client.create(resources.clusters, {
        ...object('cluster.karmada.io/v1alpha1', 'Cluster', 'member1'),
        spec: { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1' },
      });
      await setReady(control, 'False');
      await control.client.create(core('namespaces'), object('v1', 'Namespace', workNamespace));
      await createWork(control, 'app', [deployment('app')]);
      const key = `${workNamespace}/app`;
      const works = context?.informers.informer<Work>(resources.works);
      const clusters = context?.informers.informer<Cluster>(resources.clusters);
      const isShown = (): boolean =>
        works?.get(key) !== undefined && Boolean(clusters?.get('member1')?.status?.conditions);
      await until('the mirrors show the Work and its cluster', isShown);
      const { queue, added: woken } = recordingQueue();
      controller?.wire(queue);
      woken.length = 0;
      await setReady(control, 'True');
      await until('the Work is woken', () => woken.length > 0);
      t.same(woken, [key]);
    });
});

t.test('the status of a Work follows a member whose token has changed', async t => {
  const { control, member } = await workFixture(t);
  await createWork(control, 'app', [deployment('app')]);
  await comesAbout(member, deployments, { namespace: 'default', name: 'app' });
  await reportReplicas(member, 'app', 1);
  await workThat(control, 'app', shows(1));
  const secret = await control.client.get(secrets, { namespace: 'karmada-cluster', name: 'member1' });
  const data = { ...(secret['data'] as object), token: Buffer.from(await newToken(member)).toString('base64') };
  await control.client.update(secrets, { ...secret, data });
  // This Work connects anew, and mirrors another kind.
  await createWork(control, 'other', [object('v1', 'ConfigMap', 'other', { metadata: { namespace: 'default' } })]);
  await comesAbout(member, configMaps, { namespace: 'default', name: 'other' });
  await reportReplicas(member, 'app', 2);
  await workThat(control, 'app', shows(2));
  t.pass('the change is shown');
});

t.test('Works of a kind that the member does not serve do not delay the status of others', async t => {
  const { control, member } = await workFixture(t, { start: startWorkStatusController });
  await control.client.create(customResourceDefinitions, customKind('Foo'));
  const foo = object('example.com/v1', 'Foo', 'app', { metadata: { namespace: 'default' } });
  // As many as the controller has workers.
  for (let i = 0; i < 16; i++) {
    await createWork(control, `foo-${i}`, [foo]);
    await setApplied(control, `foo-${i}`);
  }
  await member.client.create(deployments, managed(deployment('app'), 'app'));
  await createWork(control, 'app', [deployment('app')]);
  await setApplied(control, 'app');
  await reportReplicas(member, 'app', 3);
  await workThat(control, 'app', shows(3));
  t.pass('the status is shown');
});

t.test('a Work is applied before its object has a status', async t => {
  const { control } = await workFixture(t);
  await createWork(control, 'app', [deployment('app')]);
  const { status } = await workThat(control, 'app', isApplied);
  t.strictSame(
    status?.conditions?.map(({ type, status, reason }) => [type, status, reason]),
    [
      ['Dispatching', 'True', 'Dispatching'],
      ['Applied', 'True', 'AppliedSuccessful'],
    ],
  );
  const later = await workThat(control, 'app', work => work.status?.manifestStatuses !== undefined);
  t.match(later.status?.manifestStatuses, [{ health: 'Unhealthy' }], 'the health is reported without a status');
});

t.test('a status that is reported before the mirror shows that the Work is applied is written afterwards', async t => {
  const controlGate = new Gate('works');
  const { control, member } = await workFixture(t, { controlGate });
  t.teardown(() => controlGate.open());
  controlGate.closeAfter(1);
  await createWork(control, 'app', [deployment('app')]);
  await workThat(control, 'app', isApplied);
  await reportReplicas(member, 'app', 1);
  controlGate.open();
  const { status } = await workThat(control, 'app', shows(1));
  t.ok(status?.conditions);
});

t.test('a status that changes while the control plane is stopped is written after its start', async t => {
  const directory = await temporaryFolder(t);
  const config = {
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
    pkiDirectory: path.join(directory, 'pki'),
  } as const;
  const { control, member } = await workFixture(t, { config });
  await createWork(control, 'app', [deployment('app')]);
  await comesAbout(member, deployments, { namespace: 'default', name: 'app' });
  await reportReplicas(member, 'app', 1);
  const work = await workThat(control, 'app', shows(1));
  // Only the status controller reads the member for a suspended Work.
  await control.client.update(resources.works, { ...work, spec: { ...work.spec, suspendDispatching: true } });
  await control.stop();
  await reportReplicas(member, 'app', 2);
  const again = await runningServer(t, { ...config, parts: [workControllers()] });
  await workThat(again, 'app', shows(2));
  t.pass('the status is that of the member');
});

/** Controllers of Works at a later time, at which what was reported before the start is not recent. */
const twoMinutesLater: FixtureOptions['start'] = (context, options) => {
  const later = { ...context, clock: { ...systemClock, now: () => systemClock.now() + 120_000 } };
  startExecutionController(later, options);
  startWorkStatusController(later, options);
};

t.test('a Work that is found unchanged after a restart has no further Events', async t => {
  const directory = await temporaryFolder(t);
  const config = {
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
    pkiDirectory: path.join(directory, 'pki'),
  } as const;
  const eventsOf = async (server: TestServer, name: string): Promise<readonly string[]> => {
    const { items } = await server.client.list(core('events'));
    const about = items.filter(event => (event['involvedObject'] as { name: string }).name === name);
    return about.map(({ metadata, ...event }) => `${String(event['reason'])} ${metadata.name}`).sort();
  };
  const isRecorded = (events: readonly string[]): boolean =>
    events.filter(event => event.startsWith('SyncSucceed')).length === 2 &&
    ['WorkDispatching', 'ReflectStatusSucceed', 'InterpretHealthSucceed'].every(reason =>
      events.some(event => event.startsWith(reason)),
    );
  const { control, member } = await workFixture(t, { config });
  // As the manifests of templates, it has all defaults.
  const manifest = cloneJson(await member.client.create(deployments, deployment('app'), { dryRun: true }));
  pruneManifest(manifest);
  await createWork(control, 'app', [manifest]);
  await comesAbout(member, deployments, { namespace: 'default', name: 'app' });
  await reportReplicas(member, 'app', 1);
  await workThat(control, 'app', shows(1));
  await until('the Events are written', async () => isRecorded(await eventsOf(control, 'app')));
  const before = await eventsOf(control, 'app');
  await control.stop();
  const again = await runningServer(t, { ...config, parts: [workControllers({ start: twoMinutesLater })] });
  // A Work that is created now has its Events after those of the start.
  await createWork(again, 'later', [deployment('later')]);
  await comesAbout(member, deployments, { namespace: 'default', name: 'later' });
  await reportReplicas(member, 'later', 1);
  await until('the Events of another Work are written', async () => isRecorded(await eventsOf(again, 'later')));
  t.same(await eventsOf(again, 'app'), before);
});
