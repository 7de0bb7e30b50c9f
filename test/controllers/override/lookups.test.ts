/** What a binding and an override policy cost does not depend on how many others there are. */
import t, { type Test } from 'tap';
import type { Binding, Cluster, Work } from '../../../api/karmada/types.js';
import { bindingName, workName } from '../../../api/karmada/names.js';
import { resources } from '../../../api/karmada/well-known.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { find } from '../../../client/find.js';
import { createControllerContext } from '../../../client/runtime/context.js';
import { startBindingControllers } from '../../../controllers/binding/binding.js';
import { bindingIndexers, wakeOnOverrides } from '../../../controllers/binding/wake-on-overrides.js';
import { workIndexers } from '../../../controllers/binding/works-of-binding.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { overriding } from '../../../controllers/override/apply.js';
import { MirroredOverrides } from '../../../controllers/override/mirrored-overrides.js';
import { patchText } from '../../../controllers/override/patch-text.js';
import { watchTemplates } from '../../../controllers/policy/templates.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { ObjectReads } from '../../client/object-reads.js';
import { configMap, configmaps, namespaces } from '../../registry/serve.js';
import { until } from '../../storage/until.js';

const count = 60;
const names = Array.from({ length: count }, (_, i) => `app-${i}`);
const namespace = 'default';
const space = 'karmada-es-member1';
const { resourceBindings, overridePolicies, clusterOverridePolicies, works, clusters } = resources;

const override = (kind: 'OverridePolicy' | 'ClusterOverridePolicy', name: string, selector: object | undefined) =>
  object('policy.karmada.io/v1alpha1', kind, name, {
    metadata: kind === 'OverridePolicy' ? { namespace } : {},
    spec: {
      ...(selector && { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', ...selector }] }),
      overrideRules: [{ overriders: { labelsOverrider: [{ operator: 'add', value: { [kind]: name } }] } }],
    },
  });

const binding = (name: string) =>
  object('work.karmada.io/v1alpha2', 'ResourceBinding', bindingName('ConfigMap', name), {
    metadata: { namespace },
    spec: { resource: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name }, clusters: [{ name: 'member1' }] },
  });

/** Starts a pipeline with a cluster and templates, and a context that counts what its mirrors read. */
async function counting(t: Test) {
  const { client } = await runningServer(t, { parts: [karmadaControllers(() => false)] });
  const reads = new ObjectReads();
  const stopping = new AbortController();
  const context = createControllerContext({
    ...{ client: reads.of(client), clock: systemClock, log: silent, signal: stopping.signal },
  });
  t.teardown(async () => {
    stopping.abort();
    await context.finished();
  });
  await client.create(namespaces, object('v1', 'Namespace', space));
  const spec = { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1' };
  await client.create(clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', 'member1', { spec }));
  for (const name of names) await client.create(configmaps, configMap(name, { metadata: { labels: { app: name } } }));
  return { client, context, reads, templates: await watchTemplates(context, { skippedNamespaces: [] }) };
}

t.test('a binding reads only the override policies that may select its template', async t => {
  const { client, context, reads, templates } = await counting(t);
  for (const name of names.slice(1)) {
    await client.create(overridePolicies, override('OverridePolicy', name, { name }));
    await client.create(clusterOverridePolicies, override('ClusterOverridePolicy', name, { name }));
  }
  await client.create(overridePolicies, override('OverridePolicy', 'own', { name: 'app-0' }));
  await client.create(clusterOverridePolicies, override('ClusterOverridePolicy', 'all', undefined));
  const applyOverrides = overriding({ boundaries: 'off', patchText });
  startBindingControllers(context, { templates, interpreter: nativeInterpreter, applyOverrides, injectsState: false });
  const { overrides, clusterOverrides } = new MirroredOverrides(context.informers);
  await Promise.all([overrides.synced, clusterOverrides.synced]);
  for (const resource of [overridePolicies, clusterOverridePolicies]) reads.taken(resource);
  await client.create(resourceBindings, binding('app-0'));
  const key = { namespace: space, name: workName('ConfigMap', 'app-0', namespace) };
  await until('a Work', async () => (await find(client, works, key)) !== undefined);
  const [manifest] = ((await find(client, works, key)) as Work).spec.workload?.manifests ?? [];
  t.match(manifest?.metadata.labels, { OverridePolicy: 'own', ClusterOverridePolicy: 'all' });
  t.ok(reads.taken(overridePolicies) < 10, 'few policies of the namespace are read');
  t.ok(reads.taken(clusterOverridePolicies) < 10, 'few policies of the cluster are read');
});

t.test('a change of an override policy reads only the bindings that it may select', async t => {
  const { client, context, reads, templates } = await counting(t);
  for (const name of names) await client.create(resourceBindings, binding(name));
  const { informers } = context;
  const mirrors = {
    bindings: informers.informer<Binding>(resourceBindings, { indexers: bindingIndexers }),
    works: informers.informer<Work>(works, { indexers: workIndexers }),
    clusters: informers.informer<Cluster>(clusters),
  };
  const policies = new MirroredOverrides(informers);
  const all = [...Object.values(mirrors), policies.overrides, policies.clusterOverrides];
  await Promise.all(all.map(({ synced }) => synced));
  const woken: string[] = [];
  wakeOnOverrides({ addLow: key => void woken.push(key) }, { ...mirrors, policies, templates });
  const wakes = async (of: readonly string[], act: () => Promise<unknown>, what: string): Promise<number> => {
    reads.taken(resourceBindings);
    await act();
    await until(`${what} wakes`, () => woken.length >= of.length);
    t.same(woken.splice(0).sort(), of.map(name => `${namespace}/${bindingName('ConfigMap', name)}`).sort(), what);
    return reads.taken(resourceBindings);
  };
  const few = 5;
  const policy = (name: string, selector?: object) => () =>
    client.create(overridePolicies, override('OverridePolicy', name, selector));
  const wide = (name: string, selector?: object) => () =>
    client.create(clusterOverridePolicies, override('ClusterOverridePolicy', name, selector));
  t.ok((await wakes(['app-3'], policy('one', { name: 'app-3' }), 'a name')) < few);
  t.ok((await wakes(['app-4'], wide('anywhere', { name: 'app-4' }), 'a name in any namespace')) < few);
  t.ok((await wakes(['app-5'], wide('there', { namespace, name: 'app-5' }), 'a name and a namespace')) < few);
  await wakes(['app-6'], policy('labelled', { labelSelector: { matchLabels: { app: 'app-6' } } }), 'labels');
  await wakes(names, policy('everything'), 'no selector');
  await wakes(names, wide('kind', {}), 'a kind');
  const patch = { spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'app-7' }] } };
  const change = () => client.patch(overridePolicies, { namespace, name: 'one' }, { type: 'merge', patch });
  t.ok((await wakes(['app-3', 'app-7'], change, 'another name: the old and the new one')) < few);
});
