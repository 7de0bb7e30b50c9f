/** What is written for the result of an attempt, over a real pipeline that serves Karmada's kinds. */
import t, { type Test } from 'tap';
import type { Binding, BindingSpec, BindingStatus } from '../../../api/karmada/types.js';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import type { GroupVersionResource } from '../../../apimachinery/interface.js';
import { forbidden, namespaceTerminating, type StatusError } from '../../../apimachinery/errors/status.js';
import type { Client } from '../../../client/interface.js';
import { createControllerContext } from '../../../client/runtime/context.js';
import type { EventRecorder } from '../../../client/runtime/interface.js';
import type { Attempt } from '../../../scheduler/loop/attempt.js';
import { commit } from '../../../scheduler/loop/commit.js';
import { silent } from '../../../server/logger.js';
import { serveCustomResources } from '../../kinds/karmada/custom-world.js';
import { steppedClock } from '../../lib/clock.js';
import { refusal } from '../../registry/serve.js';
import { binding } from '../objects.js';

const { resourceBindings, clusterResourceBindings, federatedResourceQuotas } = resources;
const key = { namespace: 'default', name: 'web-deployment' };
const begin = Date.UTC(2026, 0, 1);

/** Serves Karmada's kinds, and refuses all targets with an error if one is given; events are recorded as `KIND TYPE REASON: MESSAGE`. */
async function fixture(t: Test, gates: Readonly<Record<string, boolean>> = {}, refusedWith?: StatusError) {
  const { client } = await serveCustomResources(t, gates);
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  const events: string[] = [];
  const recorder: EventRecorder = {
    event: ({ kind }, type, reason, message) => void events.push(`${kind} ${type} ${reason}: ${message}`),
  };
  const writer: Client = refusedWith ? { ...client, patch: () => Promise.reject(refusedWith) } : client;
  const context = createControllerContext({
    client: writer,
    clock: steppedClock(begin),
    log: silent,
    signal: stopping.signal,
  });
  const read = async (): Promise<Binding> => (await client.get(resourceBindings, key)) as Binding;
  return {
    client,
    events,
    read,
    commit: (given: Binding, result: Attempt, resource: GroupVersionResource = resourceBindings) =>
      commit(given, resource, result, { context, recorder }),
    /** Creates the binding with a status, and the placement that was applied last. */
    make: async (spec: Partial<BindingSpec>, status?: BindingStatus, applied?: object): Promise<Binding> => {
      const note = applied && { annotations: { [annotations.appliedPlacement]: JSON.stringify(applied) } };
      await client.create(resourceBindings, binding(spec, undefined, { ...key, ...note }));
      const patch = { status: status ?? {} };
      return (await client.patch(
        resourceBindings,
        key,
        { type: 'merge', patch },
        { subresource: 'status' },
      )) as Binding;
    },
  };
}

const placed = (clusters: readonly { name: string; replicas?: number }[], more: Partial<Attempt> = {}): Attempt => ({
  ...{ decision: { type: 'placed', clusters }, clusters, affinityName: undefined, failures: [] },
  ...more,
});
const placement = { clusterTolerations: [{ operator: 'Exists' as const }] };
const success = 'Binding has been scheduled successfully.';

t.test('targets are written with the placement that they were made from', async t => {
  const { commit, make, read, events } = await fixture(t);
  const given = await make({ replicas: 3, placement });
  const clusters = [
    { name: 'm1', replicas: 2 },
    { name: 'm2', replicas: 1 },
  ];
  t.same(await commit(given, placed(clusters, { affinityName: 'a', failures: ['no room in b'] })), { again: 'no' });
  const { metadata, spec, status } = await read();
  t.strictSame(spec.clusters, clusters);
  t.equal(metadata.annotations?.[annotations.appliedPlacement], JSON.stringify(placement));
  t.match(status, {
    schedulerObservedGeneration: metadata.generation,
    schedulerObservingAffinityName: 'a',
    lastScheduledTime: '2026-01-01T00:00:00Z',
    conditions: [{ type: 'Scheduled', status: 'True', reason: 'Success', message: success }],
  });
  const result = `ScheduleBindingSucceed: ${success} Result: {m1:2, m2:1}`;
  t.strictSame(events, [
    'ResourceBinding Warning ScheduleBindingFailed: no room in b',
    'Deployment Warning ScheduleBindingFailed: no room in b',
    `ResourceBinding Normal ${result}`,
    `Deployment Normal ${result}`,
  ]);
});

t.test('the Event of a ClusterResourceBinding has no colon, as in Karmada', async t => {
  const { client, commit, events } = await fixture(t);
  const given = await client.create(clusterResourceBindings, {
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ClusterResourceBinding',
    metadata: { name: 'admin-clusterrole' },
    spec: {
      resource: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'admin' },
      placement,
    },
  });
  t.same(await commit(given as Binding, placed([{ name: 'm1' }]), clusterResourceBindings), { again: 'no' });
  t.strictSame(
    events,
    ['ClusterResourceBinding', 'ClusterRole'].map(
      kind => `${kind} Normal ScheduleBindingSucceed: ${success} Result {m1:0}`,
    ),
  );
});

t.test('an unchanged result is written only once', async t => {
  const { commit, make, read, events } = await fixture(t);
  const clusters = [{ name: 'm1', replicas: 2 }, { name: 'm2' }];
  await make({ replicas: 2, placement, clusters }, {}, placement);
  const given = await read();
  t.same(
    await commit(
      given,
      placed([
        { name: 'm1', replicas: 2 },
        { name: 'm2', replicas: 0 },
      ]),
    ),
    { again: 'no' },
  );
  const first = await read();
  t.equal(first.metadata.generation, given.metadata.generation, 'zero replicas are as none');
  t.equal(events.length, 2, 'the first result is told');
  t.same(await commit(first, placed(clusters)), { again: 'no' });
  t.equal((await read()).metadata.resourceVersion, first.metadata.resourceVersion, 'and not written again');
  t.equal(events.length, 2);
});

t.test('a requested reschedule is recorded even if nothing changes', async t => {
  const { commit, make, read } = await fixture(t);
  const clusters = [{ name: 'm1', replicas: 2 }];
  const status = { lastScheduledTime: '2025-12-01T00:00:00Z', schedulerObservedGeneration: 1 };
  await make({ replicas: 2, placement, clusters, rescheduleTriggeredAt: '2025-12-02T00:00:00Z' }, status, placement);
  await commit(await read(), placed(clusters));
  t.equal((await read()).status?.lastScheduledTime, '2026-01-01T00:00:00Z');
});

t.test('a refusal says whether targets stay and when to try again', async t => {
  const rows = [
    { type: 'FitError', reason: 'NoClusterFit', again: 'no', clusters: [], left: undefined },
    {
      type: 'UnschedulableError',
      reason: 'Unschedulable',
      again: 'unschedulable',
      clusters: undefined,
      left: [{ name: 'm1' }],
    },
    { type: 'Error', reason: 'SchedulerError', again: 'backoff', clusters: undefined, left: [{ name: 'm1' }] },
  ] as const;
  for (const { type, reason, again, clusters, left } of rows) {
    const { commit, make, read, events } = await fixture(t);
    const given = await make({ placement, clusters: [{ name: 'm1' }] }, { schedulerObservedGeneration: 1 });
    const decision = { type, message: `because of ${type}` };
    t.same(await commit(given, { decision, clusters, affinityName: undefined, failures: [] }), { again }, type);
    const { spec, status } = await read();
    t.strictSame(spec.clusters, left, type);
    t.match(status?.conditions, [{ type: 'Scheduled', status: 'False', reason, message: decision.message }], type);
    t.equal(status?.lastScheduledTime, undefined, 'nothing was scheduled');
    t.strictSame(events, [
      `ResourceBinding Warning ScheduleBindingFailed: ${decision.message}`,
      `Deployment Warning ScheduleBindingFailed: ${decision.message}`,
    ]);
  }
});

t.test('failures of terms are told in place of the decision, unless the binding fits nowhere', async t => {
  for (const [type, told] of [
    ['Error', 1],
    ['FitError', 2],
  ] as const) {
    const { commit, make, events } = await fixture(t);
    const given = await make({ placement });
    await commit(given, {
      decision: { type, message: 'm' },
      clusters: undefined,
      affinityName: undefined,
      failures: ['f'],
    });
    t.equal(events.filter(event => event.startsWith('ResourceBinding')).length, told, type);
  }
});

t.test('a generation that somebody else made is not observed', async t => {
  const { client, commit, make, read } = await fixture(t);
  const given = await make({ replicas: 1, placement });
  await client.patch(resourceBindings, key, { type: 'merge', patch: { spec: { replicas: 2 } } });
  await commit(given, placed([{ name: 'm1', replicas: 1 }]));
  const { metadata, status } = await read();
  t.equal(status?.schedulerObservedGeneration, given.metadata.generation);
  t.equal(metadata.generation, (given.metadata.generation ?? 0) + 2);
});

t.test('a binding that is gone fails the attempt', async t => {
  const { client, commit, make, events } = await fixture(t);
  const given = await make({ placement });
  await client.delete(resourceBindings, key);
  t.match(await refusal(commit(given, placed([{ name: 'm1' }]))), /^404 NotFound/);
  t.strictSame(events, []);
});

t.test('targets that exceed a quota are reported and tried again', async t => {
  const { client, commit, make, read, events } = await fixture(t, { FederatedQuotaEnforcement: true });
  const metadata = { namespace: 'default', name: 'q' };
  const quota = { apiVersion: 'policy.karmada.io/v1alpha1', kind: 'FederatedResourceQuota', metadata };
  const overall = { overall: { cpu: '1' } };
  const made = await client.create(federatedResourceQuotas, { ...quota, spec: overall });
  await client.update(
    federatedResourceQuotas,
    { ...made, status: { ...overall, overallUsed: {} } },
    { subresource: 'status' },
  );
  const given = await make({ replicas: 3, placement, replicaRequirements: { resourceRequest: { cpu: '1' } } });
  t.same(await commit(given, placed([{ name: 'm1', replicas: 3 }])), { again: 'backoff', refusal: 'QuotaExceeded' });
  const { spec, status } = await read();
  t.equal(spec.clusters, undefined);
  t.match(status?.conditions, [{ status: 'False', reason: 'QuotaExceeded' }]);
  t.match(events, [/^ResourceBinding Warning ScheduleBindingFailed: /, /^Deployment Warning ScheduleBindingFailed: /]);
});

t.test(
  'targets that the server refuses for another reason are reported, and tried again unless the namespace goes',
  async t => {
    for (const [error, again] of [
      [forbidden(resourceBindings, key.name, 'a webhook denied the request'), 'backoff'],
      [namespaceTerminating(resourceBindings, key.name, key.namespace), 'no'],
    ] as const) {
      const { commit, make, read } = await fixture(t, {}, error);
      const given = await make({ placement, clusters: [{ name: 'm1' }] });
      t.same(await commit(given, placed([{ name: 'm2' }])), { again, refusal: 'SchedulerError' });
      const { spec, status } = await read();
      t.same(spec.clusters, [{ name: 'm1' }]);
      t.match(status?.conditions, [{ status: 'False', reason: 'SchedulerError', message: error.message }]);
    }
  },
);
