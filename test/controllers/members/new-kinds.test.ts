/** The status of an object follows as soon as it is applied when a member begins to serve its kind. */
import t from 'tap';
import { createMembers } from '../../../aggregation/members/members.js';
import type { Work } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';
import type { ControllerContext } from '../../../client/runtime/interface.js';
import { memberContexts } from '../../../controllers/members/member-contexts.js';
import { createMemberWatch } from '../../../controllers/members/member-watch.js';
import { retryMirrorsOfNewKinds } from '../../../controllers/members/new-kinds.js';
import { type ExecutionOptions, startExecutionController } from '../../../controllers/work/execution.js';
import { startWorkStatusController } from '../../../controllers/work/work-status.js';
import { findCondition, isApplied } from '../../../kinds/karmada/conditions.js';
import { type Clock, systemClock } from '../../../lib/clock.js';
import { object } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { customKind } from '../../custom-kinds.js';
import { until } from '../../storage/until.js';
import { createWork, workFixture, workThat } from '../work/work-fixture.js';

const foos = { group: 'example.com', version: 'v1', resource: 'foos' };
const kind = { group: 'example.com', version: 'v1', kind: 'Foo' };
const foo = object('example.com/v1', 'Foo', 'app', { metadata: { namespace: 'default' } });
const definition = { name: 'foos.example.com' };

/** The backoff of a mirror never ends by itself. */
const endlessBackoff: Clock = {
  ...systemClock,
  sleep: (_, signal) =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve();
      signal?.addEventListener('abort', () => resolve(), { once: true });
    }),
};

function start(context: ControllerContext, options: ExecutionOptions): void {
  const connections = createMembers(context.client, 'karmada-controller-manager', { retriesByQueue: true });
  const members = createMemberWatch(memberContexts(connections, { clock: endlessBackoff, log: context.log }));
  context.signal.addEventListener('abort', () => void connections.close());
  startExecutionController(context, { ...options, members });
  startWorkStatusController(context, { ...options, members });
  retryMirrorsOfNewKinds(context, members);
}

async function define({ client }: TestServer): Promise<void> {
  await client.create(customResourceDefinitions, customKind('Foo'));
  await until('Foo is served', async () => (await client.mapper.forKind(kind)) !== undefined);
}

/** Sets the kinds that the cluster is known to serve, in place of the cluster status controller. */
async function setServed({ client }: TestServer, isServed: boolean): Promise<void> {
  const apiEnablements = [
    { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
    ...(isServed ? [{ groupVersion: 'example.com/v1', resources: [{ name: 'foos', kind: 'Foo' }] }] : []),
  ];
  const patch = { status: { apiEnablements } };
  await client.patch(resources.clusters, { name: 'member1' }, { type: 'merge', patch }, { subresource: 'status' });
}

async function report({ client }: TestServer, phase: string): Promise<void> {
  const patch = { status: { phase } };
  await client.patch(foos, { namespace: 'default', name: 'app' }, { type: 'merge', patch });
}

const shows = (phase: string) => (work: Work) => {
  const status = work.status?.manifestStatuses?.[0]?.status as { phase?: string } | undefined;
  return status?.phase === phase;
};

t.test('a kind that a member did not serve, and one that it serves again', async t => {
  const { control, member } = await workFixture(t, { start });
  await define(control);
  await setServed(control, false);
  await createWork(control, 'app', [foo]);
  const isRefused = (work: Work) =>
    /could not find the requested resource/.test(findCondition(work.status?.conditions, 'Applied')?.message ?? '');
  await workThat(control, 'app', isRefused);

  await define(member);
  await setServed(control, true);
  await workThat(control, 'app', isApplied);
  await report(member, 'new');
  await workThat(control, 'app', shows('new'));

  // The mirror has had a list, and becomes empty when the kind is gone.
  await member.client.delete(customResourceDefinitions, definition);
  await workThat(control, 'app', isRefused);
  await setServed(control, false);
  await define(member);
  await setServed(control, true);
  await workThat(control, 'app', isApplied);
  await report(member, 'again');
  await workThat(control, 'app', shows('again'));
});
