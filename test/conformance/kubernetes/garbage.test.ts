/** What the garbage collector deletes and keeps. as test/e2e/apimachinery/garbage_collector.go */
import t, { type Test } from 'tap';
import { kit, type Resource, type Thing, unique } from './kit.js';
import { runningMember } from './running-member.js';

const all = kit(t, await runningMember(t));

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'nginx', image: 'nginx' }] },
});

interface Fixture {
  readonly pods: Resource;
  readonly controllers: Resource;
  readonly sets: Resource;
  readonly deployments: Resource;
  /** Creates a ReplicationController, and waits for its Pods. */
  readonly control: (name: string, replicas: number) => Promise<Thing>;
  readonly deploy: () => Promise<Thing>;
}

async function fixture(): Promise<Fixture> {
  const namespace = await all.namespace();
  const controllers = all.of('v1/replicationcontrollers', namespace);
  const deployments = all.of('apps/v1/deployments', namespace);
  const sets = all.of('apps/v1/replicasets', namespace);
  const pods = all.of('v1/pods', namespace);
  return {
    ...{ controllers, deployments, sets, pods },
    async control(name, replicas) {
      const app = unique('app');
      await controllers.create({ metadata: { name }, spec: { replicas, selector: { app }, template: template(app) } });
      return controllers.becomes(name, ({ status }) => (status as { replicas?: number }).replicas === replicas);
    },
    async deploy() {
      const app = unique('app');
      const spec = { replicas: 2, selector: { matchLabels: { app } }, template: template(app) };
      const made = await deployments.create({ metadata: { name: 'd' }, spec });
      const [set] = await sets.count(1);
      await sets.becomes(set?.metadata.name ?? '', ({ status }) => (status as { replicas?: number }).replicas === 2);
      return made;
    },
  };
}

const how = (propagationPolicy: string, { metadata: { uid } }: Thing) => ({
  propagationPolicy,
  preconditions: { uid },
});

t.test('the Pods of a deleted controller are deleted', async t => {
  const { control, controllers, pods } = await fixture();
  const rc = await control('rc', 2);
  await controllers.remove('rc', how('Background', rc));
  await pods.count(0);
  t.equal((await controllers.list()).items.length, 0);
});

/** Checks that the Pods are kept, after the collector has deleted an object whose owner is absent. */
async function stay(t: Test, { pods }: Fixture, count: number): Promise<void> {
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'nobody', uid: '00000000-0000-4000-8000-000000000000' };
  const maps = all.of('v1/configmaps', pods.path.split('/')[4]);
  await maps.create({ metadata: { name: 'lost', ownerReferences: [owner] } });
  await maps.gone('lost');
  const { items } = await pods.list();
  t.equal(items.length, count);
  t.same(
    items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined || metadata.ownerReferences?.length === 2),
    [],
  );
}

t.test('the Pods of a deleted controller are orphaned', async t => {
  const here = await fixture();
  const rc = await here.control('rc', 10);
  await here.controllers.remove('rc', how('Orphan', rc));
  await here.controllers.gone('rc');
  await stay(t, here, 10);
  for (const { metadata } of (await here.pods.list()).items) t.same(metadata.ownerReferences ?? [], []);
});

t.test('the ReplicaSets of a deleted Deployment are deleted', async t => {
  const { deploy, deployments, sets, pods } = await fixture();
  await deployments.remove('d', how('Background', await deploy()));
  for (const of of [deployments, sets, pods]) t.equal((await of.count(0)).length, 0);
});

t.test('the ReplicaSets of a deleted Deployment are orphaned', async t => {
  const here = await fixture();
  await here.deployments.remove('d', how('Orphan', await here.deploy()));
  await here.deployments.gone('d');
  await stay(t, here, 2);
  const { items } = await here.sets.list();
  t.equal(items.length, 1);
  t.same(items[0]?.metadata.ownerReferences ?? [], []);
});

t.test('a controller is deleted after its Pods in the foreground', async t => {
  const { control, controllers, pods } = await fixture();
  const rc = await control('rc', 10);
  const events = await controllers.watch();
  await controllers.remove('rc', how('Foreground', rc));
  await events.until(({ type }) => type === 'DELETED');
  t.same((await pods.list()).items, []);
});

t.test('Pods with another valid owner are kept in a foreground deletion', async t => {
  const here = await fixture();
  const { control, controllers, pods } = here;
  const rc = await control('rc-to-be-deleted', 10);
  const { metadata } = await control('rc-to-stay', 0);
  const kept = (await pods.list()).items.slice(0, 5).map(pod => pod.metadata.name);
  const owner = { apiVersion: 'v1', kind: 'ReplicationController', name: metadata.name, uid: metadata.uid };
  for (const name of kept) await pods.patch(name, { metadata: { ownerReferences: [owner] } }, 'strategic');
  await controllers.remove('rc-to-be-deleted', how('Foreground', rc));
  await controllers.gone('rc-to-be-deleted');
  await stay(t, here, 5);
  for (const pod of (await pods.list()).items) {
    t.ok(kept.includes(pod.metadata.name));
    t.match(pod.metadata.ownerReferences, [{ uid: metadata.uid }]);
  }
});

t.test('a cycle of owners blocks no deletion', async t => {
  const { pods } = await fixture();
  const made: Thing[] = [];
  for (const name of ['pod1', 'pod2', 'pod3'])
    made.push(await pods.create({ metadata: { name }, spec: { containers: [{ name: 'nginx', image: 'nginx' }] } }));
  for (const [i, { metadata }] of made.entries()) {
    const { name, uid } = made.at(i - 1)?.metadata ?? metadata;
    const owner = { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true };
    await pods.patch(metadata.name, { metadata: { ownerReferences: [owner] } }, 'strategic');
  }
  const [first] = made;
  if (first) await pods.remove('pod1', how('Foreground', first));
  t.equal((await pods.count(0)).length, 0);
});
