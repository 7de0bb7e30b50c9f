/** The mirrors of Works hold the managed objects of a member, and end with the last Work that needs them. */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { configMaps, deployments, services } from '../../../api/kubernetes/resources.js';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import { find } from '../../../client/find.js';
import type { MemberWatch } from '../../../controllers/members/member-watch.js';
import { startExecutionController } from '../../../controllers/work/execution.js';
import { releaseUnusedMirrors } from '../../../controllers/work/unused-mirrors.js';
import { startWorkStatusController } from '../../../controllers/work/work-status.js';
import { findCondition, isApplied } from '../../../kinds/karmada/conditions.js';
import { object } from '../../aggregation/fleet.js';
import { faultyFront, type FaultyFront } from '../faults/faulty-front.js';
import { until } from '../../storage/until.js';
import {
  createWork,
  deployment,
  type Fixture,
  replicasIn,
  reportReplicas,
  workFixture,
  workNamespace,
  workThat,
} from './work-fixture.js';

interface Scene extends Fixture {
  /** Returns the resources that are mirrored, with the keys of their objects. */
  readonly mirrored: () => Readonly<Record<string, readonly string[]>>;
}

async function scene(t: Test): Promise<Scene> {
  const watches: MemberWatch[] = [];
  const fixture = await workFixture(t, {
    start(context, options) {
      watches.push(options.members);
      startExecutionController(context, options);
      startWorkStatusController(context, options);
      releaseUnusedMirrors(context, options.members, 50);
    },
  });
  const mirrored = (): Record<string, readonly string[]> =>
    Object.fromEntries(
      watches
        .flatMap(watch => [...watch.mirrorsOf('member1')])
        .map(({ resource, informer }) => [resource.resource, [...informer.cached.keys()]]),
    );
  return { ...fixture, mirrored };
}

const configMap = (name: string): KubeObject =>
  object('v1', 'ConfigMap', name, { metadata: { namespace: 'default' }, data: { a: 'b' } });

/** Returns the manifest with the order to take over an object that exists. */
const overwriting = (manifest: KubeObject): KubeObject => ({
  ...manifest,
  metadata: { ...manifest.metadata, annotations: { [annotations.conflictResolution]: 'overwrite' } },
});

t.test('only managed objects are mirrored, and others are found nevertheless', async t => {
  const { control, member, mirrored } = await scene(t);
  await member.client.create(configMaps, configMap('foreign'));
  await createWork(control, 'own', [configMap('own')]);
  await workThat(control, 'own', isApplied);
  await until('the object is mirrored', () => mirrored()['configmaps']?.length === 1);
  t.same(mirrored(), { configmaps: ['default/own'] });

  await createWork(control, 'foreign', [configMap('foreign')]);
  const failed = await workThat(
    control,
    'foreign',
    work => findCondition(work.status?.conditions, 'Applied')?.status === 'False',
  );
  t.match(findCondition(failed.status?.conditions, 'Applied')?.message, /already exists in the cluster member1/);
  await control.client.delete(resources.works, { namespace: workNamespace, name: 'foreign' });
  await until('the Work is gone', async () => {
    const { items } = await control.client.list(resources.works, { namespace: workNamespace });
    return items.length === 1;
  });
  const kept = await member.client.get(configMaps, { namespace: 'default', name: 'foreign' });
  t.notOk(kept.metadata.labels);

  await createWork(control, 'taken', [overwriting({ ...configMap('foreign'), data: { a: 'c' } })]);
  await workThat(control, 'taken', isApplied);
  t.match(await member.client.get(configMaps, { namespace: 'default', name: 'foreign' }), {
    metadata: { uid: kept.metadata.uid, labels: { 'karmada.io/managed': 'true' } },
    data: { a: 'c' },
  });
  await until('it is mirrored', () => mirrored()['configmaps']?.length === 2);
});

t.test('an object is taken over although the member would refuse to create it', async t => {
  const { control, member } = await scene(t);
  const service = object('v1', 'Service', 'web', {
    metadata: { namespace: 'default' },
    spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30_080 }], selector: { app: 'old' } },
  });
  const existing = await member.client.create(services, service);
  const created = overwriting({ ...service, spec: { ...(service['spec'] as object), selector: { app: 'new' } } });
  await createWork(control, 'web', [created]);
  await workThat(control, 'web', isApplied);
  t.match(await member.client.get(services, { namespace: 'default', name: 'web' }), {
    metadata: { uid: existing.metadata.uid },
    spec: { selector: { app: 'new' } },
  });
});

t.test('a Work is applied although the member does not answer the first list of its kind', async t => {
  const fronts: FaultyFront[] = [];
  const { control, member } = await workFixture(t, {
    syncTimeoutMs: 200,
    async front(server) {
      const front = await faultyFront(t, server);
      const isList = ({ url = '' }): boolean => url.startsWith('/apis/apps/v1/deployments?');
      front.set({ kind: 'answer', code: 500, delayMs: 600_000, matches: isList });
      fronts.push(front);
      return front;
    },
  });
  await createWork(control, 'app', [deployment('app')]);
  await workThat(control, 'app', isApplied);
  t.match(await member.client.get(deployments, { namespace: 'default', name: 'app' }), { spec: { replicas: 1 } });
  t.equal(fronts[0]?.mostDelayed, 1, 'the list is still awaited');
});

t.test('a manifest that waits for the first list of its kind does not stop the others of its Work', async t => {
  const { control, member } = await workFixture(t, {
    async front(server) {
      const front = await faultyFront(t, server);
      const isList = ({ url = '' }): boolean => url.startsWith('/apis/apps/v1/deployments?');
      front.set({ kind: 'answer', code: 500, delayMs: 600_000, matches: isList });
      return front;
    },
  });
  const unknown = object('example.com/v1', 'Unknown', 'unknown', { metadata: { namespace: 'default' } });
  await createWork(control, 'app', [deployment('app'), configMap('settings'), unknown]);
  const work = await workThat(
    control,
    'app',
    ({ status }) => findCondition(status?.conditions, 'Applied') !== undefined,
  );
  t.match(findCondition(work.status?.conditions, 'Applied'), {
    status: 'False',
    message: /no matches for kind "Unknown" in version "example.com\/v1"$/,
  });
  const key = { namespace: 'default', name: 'settings' };
  await until('another manifest is applied', async () => (await find(member.client, configMaps, key)) !== undefined);
});

t.test('a mirror ends with the last Work of its kind, and begins again with the next one', async t => {
  const { control, member, mirrored } = await scene(t);
  await createWork(control, 'first', [deployment('first'), configMap('first')]);
  await createWork(control, 'second', [deployment('second')]);
  for (const name of ['first', 'second']) await workThat(control, name, isApplied);
  t.same(Object.keys(mirrored()).sort(), ['configmaps', 'deployments']);
  await control.client.delete(resources.works, { namespace: workNamespace, name: 'first' });
  await until('the unused mirror has ended', () => !('configmaps' in mirrored()));
  await reportReplicas(member, 'second', 2);
  await workThat(control, 'second', work => replicasIn(work) === 2);
  t.same(Object.keys(mirrored()), ['deployments'], 'the other one is still there');

  await control.client.delete(resources.works, { namespace: workNamespace, name: 'second' });
  await until('no mirror is left', () => Object.keys(mirrored()).length === 0);
  await createWork(control, 'third', [deployment('third')]);
  await workThat(control, 'third', isApplied);
  await reportReplicas(member, 'third', 3);
  await workThat(control, 'third', work => replicasIn(work) === 3);
  t.same(
    (await member.client.list(deployments)).items.map(({ metadata }) => metadata.name),
    ['third'],
  );
});
