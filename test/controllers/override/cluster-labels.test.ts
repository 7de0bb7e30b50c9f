/** Works are rendered again when the labels or fields of a cluster change that override rules refer to. */
import t from 'tap';
import { bindingName, workName } from '../../../api/karmada/names.js';
import type { Binding, Cluster, Work } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { scheduler } from '../../../cli/parts/scheduler.js';
import { createControllerContext } from '../../../client/runtime/context.js';
import { bindingIndexers, wakeOnOverrides } from '../../../controllers/binding/wake-on-overrides.js';
import { workIndexers } from '../../../controllers/binding/works-of-binding.js';
import { MirroredOverrides } from '../../../controllers/override/mirrored-overrides.js';
import { watchTemplates } from '../../../controllers/policy/templates.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { core, object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { configMap, configmaps } from '../../registry/serve.js';
import { until } from '../../storage/until.js';
import { comesAbout } from '../control-plane.js';

/** Controllers that need members are not started. */
const started = (name: string): boolean => !['clusterStatus', 'execution', 'workStatus'].includes(name);
const clusters = ['member1', 'member2'];
const namespace = 'default';
const selecting = (name: string) => [{ apiVersion: 'v1', kind: 'ConfigMap', name }];

const overridePolicy = (name: string, selected: string, targetCluster: object) =>
  object('policy.karmada.io/v1alpha1', 'OverridePolicy', name, {
    metadata: { namespace },
    spec: {
      resourceSelectors: selecting(selected),
      overrideRules: [{ targetCluster, overriders: { labelsOverrider: [{ operator: 'add', value: { tier: name } }] } }],
    },
  });

t.test('overrides follow the labels and fields of clusters, for the bindings concerned', async t => {
  const parts = [kubernetesControllers(() => true), karmadaControllers(started), scheduler()];
  const server = await runningServer(t, { parts });
  const { client } = server;
  const status = {
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Test', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
    apiEnablements: [{ groupVersion: 'v1', resources: [{ kind: 'ConfigMap', name: 'configmaps' }] }],
  };
  const merge = (patch: object) => ({ type: 'merge', patch: { ...patch } }) as const;
  for (const name of clusters) {
    const spec = { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1' };
    await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
    await comesAbout(server, core('namespaces'), { name: `karmada-es-${name}` });
    await client.patch(resources.clusters, { name }, merge({ status }), { subresource: 'status' });
  }
  const templates = ['by-label', 'by-provider', 'other'];
  await client.create(
    resources.propagationPolicies,
    object('policy.karmada.io/v1alpha1', 'PropagationPolicy', 'all', {
      metadata: { namespace },
      spec: {
        resourceSelectors: templates.flatMap(selecting),
        placement: { clusterAffinity: { clusterNames: clusters } },
      },
    }),
  );
  for (const name of templates) await client.create(configmaps, configMap(name));
  const policies = [
    overridePolicy('gold', 'by-label', { labelSelector: { matchLabels: { tier: 'gold' } } }),
    overridePolicy('acme', 'by-provider', {
      fieldSelector: { matchExpressions: [{ key: 'provider', operator: 'In', values: ['acme'] }] },
    }),
    overridePolicy('named', 'other', { clusterNames: ['member2'] }),
  ];
  for (const policy of policies) await client.create(resources.overridePolicies, policy);
  const tier = async (cluster: string, name: string, expected: string | undefined): Promise<void> => {
    const key = { namespace: `karmada-es-${cluster}`, name: workName('ConfigMap', name, namespace) };
    await comesAbout(server, resources.works, key, work => {
      const [manifest] = (work as Work).spec.workload?.manifests ?? [];
      return manifest?.metadata.labels?.['tier'] === expected;
    });
  };
  for (const cluster of clusters)
    for (const name of templates)
      await tier(cluster, name, cluster === 'member2' && name === 'other' ? 'named' : undefined);

  const stopping = new AbortController();
  const context = createControllerContext({ client, clock: systemClock, log: silent, signal: stopping.signal });
  t.teardown(() => stopping.abort());
  const { informers } = context;
  const mirrors = {
    bindings: informers.informer<Binding>(resources.resourceBindings, { indexers: bindingIndexers }),
    works: informers.informer<Work>(resources.works, { indexers: workIndexers }),
    clusters: informers.informer<Cluster>(resources.clusters),
  };
  const overrides = new MirroredOverrides(informers);
  const all = [...Object.values(mirrors), overrides.overrides, overrides.clusterOverrides];
  await Promise.all(all.map(({ synced }) => synced));
  const woken: string[] = [];
  const queue = { addLow: (key: string) => void woken.push(key) };
  const watched = await watchTemplates(context, { skippedNamespaces: [] });
  wakeOnOverrides(queue, { ...mirrors, policies: overrides, templates: watched });

  await client.patch(resources.clusters, { name: 'member1' }, merge({ metadata: { labels: { tier: 'gold' } } }));
  await tier('member1', 'by-label', 'gold');
  await tier('member2', 'by-label', undefined);
  await until('its binding is woken', () => woken.length > 0);
  await client.patch(resources.clusters, { name: 'member1' }, merge({ metadata: { labels: { other: 'label' } } }));
  await client.patch(resources.clusters, { name: 'member1' }, merge({ metadata: { labels: { tier: null } } }));
  await tier('member1', 'by-label', undefined);
  await until('it is woken again', () => woken.length > 1);
  await client.patch(resources.clusters, { name: 'member2' }, merge({ spec: { provider: 'acme' } }));
  await tier('member2', 'by-provider', 'acme');
  await until('the other one is woken', () => woken.length > 2);
  const key = (name: string): string => `${namespace}/${bindingName('ConfigMap', name)}`;
  t.same(woken, [key('by-label'), key('by-label'), key('by-provider')], 'only the bindings concerned');
});
