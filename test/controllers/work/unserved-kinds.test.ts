/** Works of kinds that a member does not serve, or does not let the account list. */
import t, { type Test } from 'tap';
import type { Work } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';
import { find } from '../../../client/find.js';
import { findCondition, isApplied } from '../../../kinds/karmada/conditions.js';
import { core, object } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { customKind } from '../../custom-kinds.js';
import { until } from '../../storage/until.js';
import {
  createWork,
  deployment,
  deployments,
  type Fixture,
  workNamespace,
  workFixture,
  workThat,
} from './work-fixture.js';

const foos = { group: 'example.com', version: 'v1', resource: 'foos' };
const foo = object('example.com/v1', 'Foo', 'app', { metadata: { namespace: 'default' } });
const app = { namespace: 'default', name: 'app' };

/** Creates the definition of Foo and waits until the server serves it. */
async function defineFoo({ client }: TestServer): Promise<void> {
  await client.create(customResourceDefinitions, customKind('Foo'));
  const kind = { group: 'example.com', version: 'v1', kind: 'Foo' };
  await until('Foo is served', async () => (await client.mapper.forKind(kind)) !== undefined);
}

const applied = (work: Work) => findCondition(work.status?.conditions, 'Applied');

/** Resolves when the Work `app` and an Event show that it could not be applied, for a reason that matches. */
async function fails(t: Test, { control }: Fixture, reason: RegExp): Promise<void> {
  const work = await workThat(control, 'app', work => reason.test(applied(work)?.message ?? ''));
  t.match(applied(work), { status: 'False', reason: 'AppliedFailed' });
  t.match(applied(work)?.message, /^Failed to apply all manifests \(0\/1\): /);
  await until('an Event says so', async () => {
    const { items } = await control.client.list(core('events'), { namespace: workNamespace });
    return items.some(event => event['reason'] === 'SyncFailed' && reason.test(String(event['message'])));
  });
}

/** Sets the kinds that the cluster is known to serve, in place of the cluster status controller. */
async function setEnablements({ client }: TestServer): Promise<void> {
  const enablements = [{ groupVersion: 'example.com/v1', resources: [{ name: 'foos', kind: 'Foo' }] }];
  const patch = { status: { apiEnablements: enablements } };
  await client.patch(resources.clusters, { name: 'member1' }, { type: 'merge', patch }, { subresource: 'status' });
}

t.test('a Work says that the member does not serve the kind, and is applied when it does', async t => {
  const fixture = await workFixture(t);
  await defineFoo(fixture.control);
  await createWork(fixture.control, 'app', [foo]);
  await fails(t, fixture, /the server could not find the requested resource/);
  await createWork(fixture.control, 'other', [deployment('other')]);
  await workThat(fixture.control, 'other', isApplied);
  await defineFoo(fixture.member);
  await setEnablements(fixture.control);
  await workThat(fixture.control, 'app', isApplied);
  t.ok(await find(fixture.member.client, foos, app));
});

t.test('a Work says that the member has stopped to serve the kind', async t => {
  const fixture = await workFixture(t);
  await defineFoo(fixture.control);
  await defineFoo(fixture.member);
  await createWork(fixture.control, 'app', [foo]);
  await workThat(fixture.control, 'app', isApplied);
  await fixture.member.client.delete(customResourceDefinitions, { name: 'foos.example.com' });
  await fails(t, fixture, /the server could not find the requested resource/);
});

t.test('a Work is applied although the account may not list the kind', async t => {
  const verbs = ['get', 'create', 'update', 'delete'];
  const fixture = await workFixture(t, { rules: [{ apiGroups: ['*'], resources: ['*'], verbs }] });
  await createWork(fixture.control, 'app', [deployment('app')]);
  const work = await workThat(fixture.control, 'app', isApplied);
  t.ok(await find(fixture.member.client, deployments, app));
  const [manifest] = work.spec.workload?.manifests ?? [];
  const changed = { ...manifest, spec: { ...(manifest?.['spec'] as object), replicas: 3 } };
  const patch = { spec: { workload: { manifests: [changed] } } };
  await fixture.control.client.patch(
    resources.works,
    { namespace: workNamespace, name: 'app' },
    { type: 'merge', patch },
  );
  await until('the change is in the member', async () => {
    const { spec } = await fixture.member.client.get(deployments, app);
    return (spec as { replicas?: number }).replicas === 3;
  });
});

t.test('a Work says that the account has no rights for the kind', async t => {
  const fixture = await workFixture(t, { rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }] });
  await createWork(fixture.control, 'app', [deployment('app')]);
  await fails(t, fixture, /is forbidden: User "system:serviceaccount:karmada-cluster:karmada" cannot get resource/);
});
