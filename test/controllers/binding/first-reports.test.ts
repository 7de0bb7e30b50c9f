/** Under load, a binding is first written when all of its clusters have reported. */
import t, { type Test } from 'tap';
import { executionNamespace } from '../../../api/karmada/names.js';
import type { Binding, Work } from '../../../api/karmada/types.js';
import { annotations, labels, resources } from '../../../api/karmada/well-known.js';
import { startBindingStatusControllers } from '../../../controllers/binding/binding-status.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { isApplied } from '../../../kinds/karmada/conditions.js';
import { until } from '../../storage/until.js';
import { detecting, policy } from '../policy/detecting.js';
import { configMap, configmaps, namespaces } from '../../registry/serve.js';

const hour = 3_600_000;
const idleMs = 1000;
const clusters = ['m1', 'm2'];

/** Schedules a binding to both clusters while reports are awaited for that long. `report` resolves when the binding was reconciled with the report. */
async function scheduled(t: Test, waitMs: number) {
  const { client, context, templates, bindingOf } = await detecting(t);
  let reconciliations = 0;
  const firstReportMs = (): number => {
    reconciliations++;
    return waitMs;
  };
  startBindingStatusControllers(context, { templates, interpreter: nativeInterpreter, firstReportMs });
  await client.create(resources.propagationPolicies, policy('p'));
  await client.create(configmaps, configMap('a'));
  const binding = async (): Promise<Binding | undefined> => bindingOf('ConfigMap', { namespace: 'default', name: 'a' });
  await until('there is a binding', async () => (await binding())?.metadata.labels !== undefined);
  const created = (await binding()) as Binding;
  const { resourceBindings, works } = resources;
  const spec = { ...created.spec, clusters: clusters.map(name => ({ name })) };
  const placed = await client.update(resourceBindings, { ...created, spec });
  const status = { lastScheduledTime: new Date().toISOString() };
  await client.update(resourceBindings, { ...placed, status }, { subresource: 'status' });
  const { namespace = '', name = '', labels: marks = {} } = created.metadata;
  const id = marks[labels.resourceBindingId] ?? '';
  for (const cluster of clusters) {
    const inCluster = executionNamespace(cluster);
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: inCluster } });
    await client.create(works, {
      ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work' },
      metadata: {
        ...{ namespace: inCluster, name: 'a', labels: { [labels.resourceBindingId]: id } },
        annotations: { [annotations.resourceBindingNamespace]: namespace, [annotations.resourceBindingName]: name },
      },
      spec: { workload: { manifests: [configMap('a')] } },
    });
  }
  const report = async (cluster: string): Promise<void> => {
    const work = await client.get(works, { namespace: executionNamespace(cluster), name: 'a' });
    const message = { reason: 'AppliedSuccessful', message: 'Manifest has been successfully applied' };
    const condition = { type: 'Applied', status: 'True', lastTransitionTime: new Date().toISOString(), ...message };
    const mirror = context.informers.informer<Work>(works);
    const mirrored = new Promise<number>(resolve => {
      mirror.onChange(({ new: seen }) => {
        if (seen && seen.metadata.namespace === work.metadata.namespace && isApplied(seen)) resolve(reconciliations);
      });
    });
    await client.update(works, { ...work, status: { conditions: [condition] } }, { subresource: 'status' });
    const before = await mirrored;
    await until('the binding is reconciled', () => reconciliations > before);
  };
  /** Collects how many clusters have applied their Work by each status of the binding. */
  const counts: number[] = [];
  context.informers.informer<Binding>(resourceBindings).onChange(change => {
    const items = change.new?.status?.aggregatedStatus;
    if (items) counts.push(items.filter(({ applied }) => applied).length);
  });
  return { report, counts };
}

t.test('under load, the first status of a binding has the reports of all clusters', async t => {
  const { report, counts } = await scheduled(t, hour);
  await report('m1');
  await report('m2');
  await until('both reports are there', () => counts.includes(2));
  t.same(counts, [2]);
});

t.test('while the process is idle, the report of one cluster does not wait for the other', async t => {
  const { report, counts } = await scheduled(t, idleMs);
  await report('m1');
  await until('the report is there', () => counts.includes(1));
  await report('m2');
  await until('both reports are there', () => counts.includes(2));
  t.equal(counts.at(-1), 2);
});
