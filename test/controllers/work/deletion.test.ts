/** The objects of a deleted Work leave the member, whatever the mirror of the member shows. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { annotations, labels, resources } from '../../../api/karmada/well-known.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';
import { find } from '../../../client/find.js';
import { isApplied } from '../../../kinds/karmada/conditions.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { silent } from '../../../server/logger.js';
import { core, object, rbac } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { customKind } from '../../custom-kinds.js';
import { until } from '../../storage/until.js';
import {
  createWork,
  deployment,
  deployments,
  Gate,
  managed,
  type Fixture,
  workNamespace,
  workFixture,
  workThat,
} from './work-fixture.js';

const app = { namespace: 'default', name: 'app' };
const foos = { group: 'example.com', version: 'v1', resource: 'foos' };
const foo = object('example.com/v1', 'Foo', 'app', { metadata: { namespace: 'default' } });

const inMember = ({ client }: TestServer): Promise<KubeObject | undefined> => find(client, deployments, app);

async function deleteWork({ control }: Fixture): Promise<void> {
  const key = { namespace: workNamespace, name: 'app' };
  await control.client.delete(resources.works, key);
  await until('the Work is gone', async () => (await find(control.client, resources.works, key)) === undefined);
}

/** Creates the definition of Foo and waits until the server serves it. */
async function defineFoo({ client }: TestServer): Promise<void> {
  await client.create(customResourceDefinitions, customKind('Foo'));
  await until(
    'Foo is served',
    async () => (await client.mapper.forKind({ group: 'example.com', version: 'v1', kind: 'Foo' })) !== undefined,
  );
}

t.test('an object that the mirror does not show yet', async t => {
  const cases = [
    { name: 'is deleted', preserveResourcesOnDeletion: false },
    { name: 'is released if resources are preserved', preserveResourcesOnDeletion: true },
  ];
  for (const { name, preserveResourcesOnDeletion } of cases)
    await t.test(name, async t => {
      const memberGate = new Gate('deployments');
      const fixture = await workFixture(t, { memberGate });
      t.teardown(() => memberGate.open());
      memberGate.closeAfter(0);
      await createWork(fixture.control, 'app', [deployment('app')], { preserveResourcesOnDeletion });
      await workThat(fixture.control, 'app', isApplied);
      t.ok(await inMember(fixture.member));
      await deleteWork(fixture);
      const left = await inMember(fixture.member);
      if (preserveResourcesOnDeletion) t.notOk(left?.metadata.labels?.[labels.managed]);
      else t.notOk(left);
      t.equal(left !== undefined, preserveResourcesOnDeletion);
    });
});

t.test('an object of a kind that the account may not list is deleted', async t => {
  const verbs = ['get', 'create', 'update', 'delete'];
  const fixture = await workFixture(t, { rules: [{ apiGroups: ['*'], resources: ['*'], verbs }] });
  await fixture.member.client.create(deployments, managed(deployment('app'), 'app'));
  await createWork(fixture.control, 'app', [deployment('app')]);
  await deleteWork(fixture);
  t.notOk(await inMember(fixture.member));
});

t.test('an object that Karmada does not manage stays', async t => {
  const fixture = await workFixture(t);
  await fixture.member.client.create(deployments, deployment('app'));
  await createWork(fixture.control, 'app', [deployment('app')]);
  await deleteWork(fixture);
  t.ok(await inMember(fixture.member));
});

t.test('an object that the mirror shows as it was before it became managed is deleted', async t => {
  const memberGate = new Gate('deployments');
  const fixture = await workFixture(t, { memberGate });
  t.teardown(() => memberGate.open());
  memberGate.closeAfter(0);
  await fixture.member.client.create(deployments, deployment('app'));
  const manifest = deployment('app');
  const overwriting = { [annotations.conflictResolution]: 'overwrite' };
  await createWork(fixture.control, 'app', [
    { ...manifest, metadata: { ...manifest.metadata, annotations: overwriting } },
  ]);
  await workThat(fixture.control, 'app', isApplied);
  await deleteWork(fixture);
  t.notOk(await inMember(fixture.member));
});

t.test('a Work stays while the member refuses to show its object', async t => {
  let failures = 0;
  const log = {
    ...silent,
    debug: ({ err }: { err?: unknown }) => {
      if (err instanceof StatusError && err.code === 403) failures++;
    },
  };
  const fixture = await workFixture(t, { log, rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }] });
  const { control, member } = fixture;
  await member.client.create(deployments, managed(deployment('app'), 'app'));
  await createWork(control, 'app', [deployment('app')]);
  await control.client.delete(resources.works, { namespace: workNamespace, name: 'app' });
  await until('the deletion fails', () => failures > 0);
  const work = await workThat(control, 'app');
  t.ok(work.metadata.deletionTimestamp);
  t.ok(work.metadata.finalizers?.length);
  t.ok(await inMember(member));
  const role = await member.client.get(rbac('clusterroles'), { name: 'karmada' });
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  await member.client.update(rbac('clusterroles'), { ...role, rules });
  await until('the object is gone', async () => (await inMember(member)) === undefined);
});

t.test('a Work of a kind that the member does not serve is deleted', async t => {
  const fixture = await workFixture(t);
  await defineFoo(fixture.control);
  await createWork(fixture.control, 'app', [foo]);
  await deleteWork(fixture);
  t.pass('the Work is gone');
});

t.test('an object of a kind that only the member serves is deleted', async t => {
  const fixture = await workFixture(t);
  const { client } = fixture.member;
  await defineFoo(fixture.member);
  await client.create(foos, managed(foo, 'app'));
  await createWork(fixture.control, 'app', [foo]);
  await deleteWork(fixture);
  t.notOk(await find(client, foos, app));
});

t.test('a Work of a kind that no server serves is deleted', async t => {
  const fixture = await workFixture(t);
  await createWork(fixture.control, 'app', [foo]);
  await deleteWork(fixture);
  t.pass('the Work is gone');
});

t.test('a Work whose object is in a namespace that the member does not have is deleted', async t => {
  const fixture = await workFixture(t);
  await createWork(fixture.control, 'app', [object('v1', 'ConfigMap', 'app', { metadata: { namespace: 'none' } })]);
  await deleteWork(fixture);
  t.notOk(await find(fixture.member.client, core('configmaps'), { namespace: 'none', name: 'app' }));
});
