import t, { type Test } from 'tap';
import { findCondition } from '../../../../kinds/karmada/conditions.js';
import { parseFlags } from '../../../../cli/flags/flags.js';
import { karmadaFlags, parseKarmadaSettings } from '../../../../cli/flags/karmada/karmada.js';
import { karmadaControllers } from '../../../../cli/parts/karmada-controllers.js';
import type { Binding, Cluster } from '../../../../api/karmada/types.js';
import { resources } from '../../../../api/karmada/well-known.js';
import { featureGates as gates } from '../../../../kinds/karmada/feature-gates.js';
import type { QuotaStatus } from '../../../../controllers/quota/quota-status.js';
import { joinMember, memberServer } from '../../../aggregation/fleet.js';
import { runningServer } from '../../../apiserver/running.js';
import { configMap, configmaps, namespaces } from '../../../registry/serve.js';
import { until } from '../../../storage/until.js';
import { comesAbout } from '../../../controllers/control-plane.js';

const settingsOf = (...args: string[]) => parseKarmadaSettings(parseFlags(karmadaFlags, args).values);
const controlPlane = (t: Test, ...args: string[]) =>
  runningServer(t, { parts: [karmadaControllers(() => true, undefined, settingsOf(...args))] });

t.test('the defaults are those of karmada-controller-manager', t => {
  const { skippedApis, skippedNamespaces, ...settings } = settingsOf();
  t.strictSame(settings, {
    probing: { frequencyMs: 10_000, thresholds: { successMs: 30_000, failureMs: 30_000 } },
    monitor: { periodMs: 5_000, graceMs: 40_000, startupGraceMs: 60_000 },
    ...{ memberRate: undefined, memoryLimit: 512 << 20, syncTimeoutMs: 120_000 },
    ...{ modelsResources: true, gracefulEvictionMs: 600_000, quotaSyncMs: 300_000 },
    failover: { taintManager: undefined, descheduler: { intervalMs: 120_000, thresholdMs: 300_000 } },
    tuning: { workers: {}, rateLimits: { baseMs: 5, maxMs: 1_000_000, perSecond: 10, burst: 100 } },
  });
  t.strictSame(settingsOf('--cluster-api-qps=2.5').memberRate, { perSecond: 2.5, burst: 60 });
  t.equal(settingsOf('--cluster-memory-limit=1Gi').memoryLimit, 1 << 30);
  t.notOk(skippedApis.includes({ group: 'apps', version: 'v1', kind: 'Deployment' }));
  const skipped = ['kube-system', 'my-kube-system', 'default'].filter(name =>
    skippedNamespaces.some(p => p.test(name)),
  );
  t.strictSame(skipped, ['kube-system']);
  t.end();
});

t.test('values that cannot work are refused', t => {
  const rows: readonly (readonly [flags: string | readonly string[], message: RegExp])[] = [
    ['--cluster-status-update-frequency=0s', /at least 100ms/],
    ['--cluster-monitor-period=0s', /at least 100ms/],
    ['--cluster-monitor-grace-period=0s', /at least 1ms/],
    ['--cluster-startup-grace-period=0s', /at least 1ms/],
    ['--cluster-api-qps=-1', /want a number/],
    ['--cluster-api-burst=0', /must be positive/],
    ['--cluster-memory-limit=63Mi', /must be at least 64Mi/],
    ['--cluster-memory-limit=much', /invalid value "much" for --cluster-memory-limit: quantities must match/],
    ['--cluster-cache-sync-timeout=0s', /at least 1ms/],
    ['--skipped-propagating-apis=a/b/c/d', /invalid parameter: a\/b\/c\/d/],
    ['--skipped-propagating-namespaces=(', /error parsing regexp/],
    ['--concurrent-work-syncs=-1', /must not be negative/],
    ['--rate-limiter-base-delay=soon', /want a duration like 1m30s/],
    ['--federated-resource-quota-sync-period=often', /want a duration like 1m30s/],
    ['--resource-eviction-rate=-1', /--resource-eviction-rate: want a number that is not negative/],
    [
      ['--enable-no-execute-taint-eviction', '--no-execute-taint-eviction-purge-mode=Never'],
      /want Directly or Gracefully/,
    ],
    ['--descheduling-interval=0s', /at least 1ms/],
    ['--cluster-api-context=admin', /--cluster-api-context needs --cluster-api-kubeconfig/],
    ['--cluster-api-kubeconfig=/nowhere', /invalid value "\/nowhere" for --cluster-api-kubeconfig: ENOENT/],
  ];
  for (const [flags, message] of rows)
    t.throws(() => settingsOf(...[flags].flat()), { message }, [flags].flat().join(' '));
  t.end();
});

t.test('limits of rates that are not positive are the defaults', t => {
  const zero = ['base-delay=0s', 'max-delay=-1m', 'qps=0', 'bucket-size=-5'].map(flag => `--rate-limiter-${flag}`);
  t.strictSame(settingsOf(...zero).tuning.rateLimits, settingsOf().tuning.rateLimits);
  t.end();
});

t.test('numbers of workers', async t => {
  const { metrics } = await controlPlane(t, '--concurrent-work-syncs=3', '--concurrent-cluster-syncs', '7');
  const workersOf = async (controller: string): Promise<string | undefined> =>
    new RegExp(`^controller_runtime_max_concurrent_reconciles\\{controller="${controller}"\\} (\\d+)$`, 'm').exec(
      await metrics.metrics(),
    )?.[1];
  await until('the controllers run', async () => (await workersOf('resource-detector')) !== undefined);
  t.equal(await workersOf('execution-controller'), '3');
  t.equal(await workersOf('work-status-controller'), '3');
  t.equal(await workersOf('cluster-status-controller'), '7');
  t.equal(await workersOf('resource-detector'), '8');
  for (const controllers of Object.keys(settingsOf(...everyConcurrency).tuning.workers ?? {}))
    t.equal((await workersOf(controllers)) === undefined, false, `${controllers} exists`);
});

const everyConcurrency = Object.keys(karmadaFlags)
  .filter(name => name.startsWith('concurrent-'))
  .map(name => `--${name}=1`);

t.test('APIs and namespaces that are not propagated', async t => {
  const { client } = await controlPlane(
    t,
    '--skipped-propagating-apis=v1/Secret',
    '--skipped-propagating-namespaces=private-.*',
  );
  const selected = ['ConfigMap', 'Secret'].map(kind => ({ apiVersion: 'v1', kind }));
  for (const namespace of ['private-a', 'public'])
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const secrets = { group: '', version: 'v1', resource: 'secrets' };
  for (const namespace of ['private-a', 'public']) {
    await client.create(resources.propagationPolicies, {
      ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy', metadata: { namespace, name: 'all' } },
      spec: { resourceSelectors: selected, placement: { clusterAffinity: { clusterNames: ['m1'] } } },
    });
    await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'x' } });
    await client.create(configmaps, configMap('x', { metadata: { namespace, name: 'x' } }));
  }
  const names = async () =>
    (await client.list(resources.resourceBindings)).items.map(
      ({ metadata: { namespace, name } }) => `${namespace}/${name}`,
    );
  await until('the ConfigMap has a binding', async () => (await names()).includes('public/x-configmap'));
  // Templates are claimed in the order of their arrival.
  t.strictSame(await names(), ['public/x-configmap']);
});

t.test('without --enable-cluster-resource-modeling, nodes and pods are not mirrored', async t => {
  const [control, member] = await Promise.all([
    controlPlane(t, '--enable-cluster-resource-modeling=false', '--cluster-status-update-frequency=100ms'),
    memberServer(t),
  ]);
  await joinMember(control, 'member1', member);
  const cluster = (await comesAbout(control, resources.clusters, { name: 'member1' }, object =>
    Boolean(findCondition((object as Cluster).status?.conditions, 'CompleteAPIEnablements')),
  )) as Cluster;
  t.ok(cluster.status?.kubernetesVersion);
  t.notOk(cluster.status?.nodeSummary);
  t.notOk(cluster.status?.resourceSummary);
});

t.test('an evicted workload is removed after --graceful-eviction-timeout', async t => {
  const control = await controlPlane(t, '--graceful-eviction-timeout=1s');
  const binding = {
    ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
    metadata: { namespace: 'default', name: 'x-configmap' },
    spec: {
      resource: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'x' },
      clusters: [{ name: 'm2' }],
      gracefulEvictionTasks: [
        { fromCluster: 'm1', producer: 'test', reason: 'test', creationTimestamp: new Date().toISOString() },
      ],
    },
  };
  await control.client.create(resources.resourceBindings, binding);
  const key = { namespace: 'default', name: 'x-configmap' };
  await comesAbout(control, resources.resourceBindings, key, object => {
    const { gracefulEvictionTasks } = (object as Binding).spec;
    return gracefulEvictionTasks === undefined;
  });
});

t.test('the usage of quotas is computed again after every period', async t => {
  const quotas = resources.federatedResourceQuotas;
  const key = (name: string) => ({ namespace: 'default', name });
  const enforcing = async (...args: string[]) => {
    const featureGates = gates({ FederatedQuotaEnforcement: true });
    const parts = [karmadaControllers(() => true, undefined, settingsOf(...args))];
    const { client } = await runningServer(t, { parts, featureGates });
    const statusOf = async (name: string) => (await client.get(quotas, key(name)))['status'] as QuotaStatus | undefined;
    const add = async (name: string): Promise<void> => {
      await client.create(quotas, {
        ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'FederatedResourceQuota', metadata: key(name) },
        spec: { overall: { cpu: '10' } },
      });
      await until(`the status of ${name}`, async () => (await statusOf(name))?.overall !== undefined);
    };
    await add('q');
    const wrong = { type: 'merge', patch: { status: { overallUsed: { cpu: '7' } } } } as const;
    await client.patch(quotas, key('q'), wrong, { subresource: 'status' });
    return { add, used: async () => (await statusOf('q'))?.overallUsed };
  };
  const often = await enforcing('--federated-resource-quota-sync-period=100ms');
  await until('the usage is right again', async () => (await often.used()) === undefined);
  const seldom = await enforcing();
  await seldom.add('other'); // the controller works
  t.strictSame(await seldom.used(), { cpu: '7' });
});
