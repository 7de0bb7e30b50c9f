/** The controllers of bindings begin with bindings and Works that exist. */
import t, { type Test } from 'tap';
import { executionNamespace } from '../../../api/karmada/names.js';
import type { Binding } from '../../../api/karmada/types.js';
import { annotations, labels, resources } from '../../../api/karmada/well-known.js';
import { events } from '../../../api/kubernetes/resources.js';
import type { Client } from '../../../client/interface.js';
import { createControllerContext } from '../../../client/runtime/context.js';
import type { ControllerContext } from '../../../client/runtime/interface.js';
import { startBindingControllers } from '../../../controllers/binding/binding.js';
import { startBindingStatusControllers } from '../../../controllers/binding/binding-status.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { type Templates, watchTemplates } from '../../../controllers/policy/templates.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { ObjectReads } from '../../client/object-reads.js';
import { configMap, configmaps, namespaces } from '../../registry/serve.js';
import { until } from '../../storage/until.js';
import { detecting, policy } from '../policy/detecting.js';
import { scene } from './binding-scene.js';

const { resourceBindings, works } = resources;
const execution = executionNamespace('m1');

/** Starts controllers beside those that run, as after a restart. */
async function restarted(t: Test, client: Client): Promise<{ context: ControllerContext; templates: Templates }> {
  const stopping = new AbortController();
  const context = createControllerContext({ client, clock: systemClock, log: silent, signal: stopping.signal });
  t.teardown(async () => {
    stopping.abort();
    await context.finished();
  });
  return { context, templates: await watchTemplates(context, { skippedNamespaces: [] }) };
}

t.test('bindings whose Works are unchanged get no further Events', async t => {
  const { client, change, has } = await scene(t);
  const synced = async (name: string): Promise<number> => {
    const { items } = await client.list(events);
    const about = items.filter(event => event['reason'] === 'SyncWorkSucceed');
    return about.filter(({ involvedObject }) => {
      const { kind, name: of } = involvedObject as { kind: string; name: string };
      return kind === 'ConfigMap' && of === name;
    }).length;
  };
  const condition = { type: 'FullyApplied', status: 'True', reason: 'FullyAppliedSuccess', message: 'all are applied' };
  const status = { conditions: [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }] };
  for (const { metadata } of (await client.list(resourceBindings)).items) {
    const key = { namespace: 'default', name: metadata.name ?? '' };
    await client.patch(resourceBindings, key, { type: 'merge', patch: { status } }, { subresource: 'status' });
  }
  await until(
    'the Events of the first reconciliations',
    async () => (await synced('a')) > 0 && (await synced('b')) > 0,
  );
  const [beforeA, beforeB] = [await synced('a'), await synced('b')];
  const { context, templates } = await restarted(t, client);
  const reconciled = new Set<string>();
  const run: ControllerContext['run'] = controller =>
    context.run({
      ...controller,
      reconcile: async (key, signal) => {
        const result = await controller.reconcile(key, signal);
        reconciled.add(key);
        return result;
      },
    });
  startBindingControllers(
    { ...context, run },
    {
      ...{ templates, interpreter: nativeInterpreter, injectsState: false, awaitTargetsMs: () => 0 },
      applyOverrides: object => Promise.resolve({ object, clusterOverrides: [], overrides: [] }),
    },
  );
  await until('both bindings are reconciled', () => reconciled.size === 2);
  await change('b', { conflictResolution: 'Overwrite' });
  await has('b', 'overwrite');
  await until('a change has an Event', async () => (await synced('b')) > beforeB);
  t.equal(await synced('a'), beforeA);
});

/** A binding with an applied Work, and its status. */
async function applied(t: Test, status: Binding['status']) {
  const { client, bindingOf } = await detecting(t);
  await client.create(resources.propagationPolicies, policy('p'));
  await client.create(configmaps, configMap('a'));
  const binding = async (): Promise<Binding | undefined> => bindingOf('ConfigMap', { namespace: 'default', name: 'a' });
  await until('there is a binding', async () => (await binding())?.metadata.labels !== undefined);
  const created = (await binding()) as Binding;
  const { namespace = '', name = '', labels: marks = {} } = created.metadata;
  const placed = await client.update(resourceBindings, {
    ...created,
    spec: { ...created.spec, clusters: [{ name: 'm1' }] },
  });
  await client.update(resourceBindings, { ...placed, status }, { subresource: 'status' });
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: execution } });
  const work = await client.create(works, {
    ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work' },
    metadata: {
      ...{ namespace: execution, name: 'a' },
      labels: { [labels.resourceBindingId]: marks[labels.resourceBindingId] ?? '' },
      annotations: { [annotations.resourceBindingNamespace]: namespace, [annotations.resourceBindingName]: name },
    },
    spec: { workload: { manifests: [configMap('a')] } },
  });
  const lastTransitionTime = new Date().toISOString();
  const conditions = [
    { type: 'Applied', status: 'True', reason: 'AppliedSuccessful', message: 'ok', lastTransitionTime },
  ];
  await client.update(works, { ...work, status: { conditions } }, { subresource: 'status' });
  return { client, binding };
}

const isComplete = (binding: Binding | undefined): boolean =>
  binding?.status?.aggregatedStatus?.[0]?.applied === true &&
  binding.status.conditions?.some(({ type, status }) => type === 'FullyApplied' && status === 'True') === true;

t.test('the status of a scheduled binding is brought up to date, and its Works are read once', async t => {
  const { client, binding } = await applied(t, { lastScheduledTime: '2026-01-01T00:00:00Z' });
  const reads = new ObjectReads();
  const { context, templates } = await restarted(t, reads.of(client));
  startBindingStatusControllers(context, { templates, interpreter: nativeInterpreter });
  await until('its status is complete', async () => isComplete(await binding()));
  t.equal(reads.taken(works), 1);
});

t.test('the status of a binding without a time of scheduling is brought up to date, if it has Works', async t => {
  const { client, binding } = await applied(t, {});
  const { context, templates } = await restarted(t, client);
  startBindingStatusControllers(context, { templates, interpreter: nativeInterpreter });
  await until('its status is complete', async () => isComplete(await binding()));
});
