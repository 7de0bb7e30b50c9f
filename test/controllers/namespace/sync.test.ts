/** Every user namespace gets a Work for every cluster. */
import t from 'tap';
import type { Work } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { workName } from '../../../api/karmada/names.js';
import { find } from '../../../client/find.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { core, object } from '../../aggregation/fleet.js';
import { namespaces } from '../../../api/kubernetes/resources.js';
import type { ApplyOverrides } from '../../../controllers/override/interface.js';
import type { ControllerContext } from '../../../client/runtime/interface.js';
import type { Logger } from '../../../lib/logging/interface.js';
import { componentContext } from '../../../client/runtime/component.js';
import { startNamespaceSync } from '../../../controllers/namespace/sync.js';
import { silent } from '../../../server/logger.js';
import type { Part } from '../../../server/parts.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

/** The controller with a function in place of overrides. */
const namespacePart = (log: Logger, overriding: (context: ControllerContext) => ApplyOverrides): Part => ({
  name: 'namespaces',
  start(host) {
    const context = componentContext({ ...host, log }, 'karmada-controller-manager');
    startNamespaceSync(context, { skippedNamespaces: [], applyOverrides: overriding(context) });
    return Promise.resolve({ stop: () => context.finished() });
  },
});

t.test('namespaces are propagated to each cluster', async t => {
  const parts = [karmadaControllers(name => name === 'namespace')];
  const control = await runningServer(t, { parts });
  const { client } = control;

  const addNamespace = (name: string, labels: Record<string, string> = {}): Promise<unknown> =>
    client.create(core('namespaces'), object('v1', 'Namespace', name, { metadata: { labels } }));
  const addCluster = async (name: string): Promise<void> => {
    const spec = { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1' };
    await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
    await addNamespace(`karmada-es-${name}`);
  };
  const workFor = async (cluster: string, namespace: string): Promise<Work | undefined> => {
    const key = { namespace: `karmada-es-${cluster}`, name: workName('Namespace', namespace, '') };
    return (await find(client, resources.works, key)) as Work | undefined;
  };
  const appears = (cluster: string, namespace: string): Promise<void> =>
    until(`${namespace} in ${cluster}`, async () => (await workFor(cluster, namespace)) !== undefined);

  await addNamespace('before');
  await addCluster('first');
  await appears('first', 'before');
  await addCluster('second');
  await appears('second', 'before');
  await addNamespace('skipped', { 'namespace.karmada.io/skip-auto-propagation': 'true' });
  await addNamespace('after');
  for (const cluster of ['first', 'second']) {
    await appears(cluster, 'after');
    t.notOk(await workFor(cluster, 'skipped'));
    t.notOk(await workFor(cluster, 'default'));
  }
  await client.create(
    resources.clusterOverridePolicies,
    object('policy.karmada.io/v1alpha1', 'ClusterOverridePolicy', 'labels', {
      spec: {
        resourceSelectors: [{ apiVersion: 'v1', kind: 'Namespace', name: 'after' }],
        overrideRules: [
          {
            targetCluster: { clusterNames: ['second'] },
            overriders: { labelsOverrider: [{ operator: 'add', value: { tier: 'test' } }] },
          },
        ],
      },
    }),
  );
  const tierIn = async (cluster: string): Promise<string | undefined> =>
    (await workFor(cluster, 'after'))?.spec.workload?.manifests?.[0]?.metadata.labels?.['tier'];
  await until('the override is in its cluster', async () => (await tierIn('second')) === 'test');
  t.equal(await tierIn('first'), undefined);

  const targetCluster = { labelSelector: { matchLabels: { tier: 'gold' } } };
  await client.create(
    resources.clusterOverridePolicies,
    object('policy.karmada.io/v1alpha1', 'ClusterOverridePolicy', 'gold', {
      spec: {
        resourceSelectors: [{ apiVersion: 'v1', kind: 'Namespace' }],
        overrideRules: [
          { targetCluster, overriders: { labelsOverrider: [{ operator: 'add', value: { tier: 'gold' } }] } },
        ],
      },
    }),
  );
  const patch = { metadata: { labels: { tier: 'gold' } } };
  await client.patch(resources.clusters, { name: 'first' }, { type: 'merge', patch });
  await until('the override follows the labels of the cluster', async () => (await tierIn('first')) === 'gold');
  t.equal(await tierIn('second'), 'test');
});

t.test('a namespace does not wait for those of clusters that join', async t => {
  const count = 100;
  /** The number of namespaces that the controller visits in one step of a pass. */
  const step = 32;
  const clusters = Array.from({ length: 10 }, (_, i) => `cluster-${i}`);
  const rendered = new Map<string, string[]>(clusters.map(name => [name, []]));
  let open = (): void => undefined;
  const opened = new Promise<void>(resolve => (open = resolve));
  let isSeen = (_name: string): boolean => false;
  const part = namespacePart(silent, ({ informers }) => {
    const mirror = informers.informer(namespaces);
    isSeen = name => mirror.get(name) !== undefined;
    return async (namespace, { metadata: { name: cluster = '' } }) => {
      rendered.get(cluster)?.push(namespace.metadata.name ?? '');
      await opened;
      return { object: namespace, clusterOverrides: [], overrides: [] };
    };
  });
  const { client } = await runningServer(t, { parts: [part] });
  const addNamespace = (name: string): Promise<unknown> => client.create(namespaces, object('v1', 'Namespace', name));
  for (let i = 0; i < count; i++) await addNamespace(`before-${i}`);
  const spec = { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1' };
  for (const name of clusters) {
    await addNamespace(`karmada-es-${name}`);
    await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
  }
  await until('passes have begun', () => [...rendered.values()].some(names => names.length > 0));
  await addNamespace('after');
  await until('the controller knows the namespace', () => isSeen('after'));
  open();
  // The namespaces of the system are rendered, too.
  const isAdded = (name: string): boolean => name === 'after' || name.startsWith('before-');
  const added = (names: readonly string[]): number => new Set(names.filter(isAdded)).size;
  await until('all namespaces are in all clusters', () =>
    [...rendered.values()].every(names => added(names) === count + 1),
  );
  for (const [cluster, names] of rendered)
    t.ok(names.indexOf('after') <= 2 * step, `${cluster} has it before most of the others`);
});

t.test('a namespace that fails delays the next pass through all namespaces', async t => {
  const lines: string[] = [];
  const line = (_: object, message: string): void => void lines.push(message);
  let failures = 0;
  let isBroken = true;
  const log = { ...silent, info: line, warn: line, error: line };
  const part = namespacePart(log, () => namespace => {
    if (isBroken && namespace.metadata.name === 'broken') {
      failures++;
      throw new Error('the overrides cannot be applied');
    }
    return Promise.resolve({ object: namespace, clusterOverrides: [], overrides: [] });
  });
  const { client } = await runningServer(t, { parts: [part] });
  const addNamespace = (name: string): Promise<unknown> =>
    client.create(core('namespaces'), object('v1', 'Namespace', name));
  for (let i = 0; i < 40; i++) await addNamespace(`other-${i}`);
  await addNamespace('broken');
  await addNamespace('karmada-es-first');
  const spec = { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1' };
  await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', 'first', { spec }));
  await until('several passes have failed', () => failures >= 4);
  isBroken = false;
  await until('a pass works', () => lines.includes('an object can be reconciled again'));
  t.same(lines, ['an object cannot be reconciled; it is tried again', 'an object can be reconciled again']);
});
