/** The flags of karmada-scheduler, and what they change. */
import t, { type Test } from 'tap';
import type { Binding, BindingSpec } from '../../api/karmada/types.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import { parseFlags } from '../../cli/flags.js';
import { scheduler } from '../../cli/parts/scheduler.js';
import { parseSchedulerSettings, schedulerFlags } from '../../cli/scheduler-flags.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import { object } from '../aggregation/fleet.js';
import { runningServer } from '../apiserver/running.js';
import { until } from '../storage/until.js';

const settingsOf = (...args: string[]) => parseSchedulerSettings(parseFlags(schedulerFlags, args).values);
const disabledBy = (plugins: string): string[] => [...settingsOf(`--plugins=${plugins}`).disabledPlugins];

t.test('the defaults are those of karmada-scheduler', t => {
  const { disabledPlugins, ...settings } = settingsOf();
  t.same([...disabledPlugins], []);
  t.strictSame(settings, { schedulerName: 'default-scheduler', enableEmptyWorkloadPropagation: false });
  t.strictSame(settingsOf('--enable-scheduler-estimator').estimators, {
    ...{ timeoutMs: 3000, serviceNamespace: 'karmada-system', servicePrefix: 'karmada-scheduler-estimator' },
    ...{ port: 10352, certFile: '', keyFile: '', caFile: '', skipsVerification: false, skipsPullMode: false },
  });
  t.end();
});

t.test('the flags of estimators', t => {
  const flags = [
    ...[
      '--enable-scheduler-estimator',
      '--disable-scheduler-estimator-in-pull-mode',
      '--insecure-skip-estimator-verify',
    ],
    ...['--scheduler-estimator-timeout=1s', '--scheduler-estimator-port=1', '--scheduler-estimator-service-prefix=p'],
    ...['--scheduler-estimator-service-namespace=n', '--scheduler-estimator-ca-file=a'],
    ...['--scheduler-estimator-cert-file=c', '--scheduler-estimator-key-file=k'],
  ];
  t.strictSame(settingsOf(...flags).estimators, {
    ...{ timeoutMs: 1000, serviceNamespace: 'n', servicePrefix: 'p', port: 1 },
    ...{ certFile: 'c', keyFile: 'k', caFile: 'a', skipsVerification: true, skipsPullMode: true },
  });
  t.end();
});

t.test('values that cannot work are refused', t => {
  const rows: readonly (readonly [flag: string, message: RegExp])[] = [
    ['--scheduler-name=', /should not be empty/],
    ['--scheduler-estimator-port=65536', /must be a valid port/],
    ['--scheduler-estimator-port=-1', /must be a valid port/],
    ['--scheduler-estimator-timeout=-1s', /must not be negative/],
  ];
  for (const [flag, message] of rows) t.throws(() => settingsOf(flag), { message }, flag);
  t.end();
});

t.test('plugins are enabled and disabled as in Karmada', t => {
  t.same(disabledBy('*'), []);
  t.same(disabledBy('*,-TaintToleration,-ClusterLocality'), ['TaintToleration', 'ClusterLocality']);
  t.same(disabledBy('-TaintToleration,*'), ['TaintToleration']);
  t.same(disabledBy('*,-TaintToleration,TaintToleration'), []);
  t.same(disabledBy('*,-NoSuchPlugin,NoSuchPlugin'), []);
  const others = disabledBy('ClusterAffinity,APIEnablement');
  t.notOk(others.includes('ClusterAffinity') || others.includes('APIEnablement'));
  t.equal(others.length, 6);
  t.end();
});

/** Runs a scheduler with flags beside a tainted cluster and another one. Returns what schedules a binding, and resolves with the names of its targets. */
async function schedulerWith(t: Test, ...args: string[]) {
  const { client } = await runningServer(t, { profile: 'karmada', parts: [scheduler(settingsOf(...args))] });
  const apiEnablements = [{ groupVersion: 'v1', resources: [{ name: 'configmaps', kind: 'ConfigMap' }] }];
  for (const name of ['m1', 'm2']) {
    const taints = name === 'm2' ? [{ key: 'k', effect: 'NoSchedule' }] : [];
    const spec = { syncMode: 'Push', apiEndpoint: `https://${name}.example.com`, taints };
    await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
    const change = { type: 'merge', patch: { status: { apiEnablements } } } as const;
    await client.patch(resources.clusters, { name }, change, { subresource: 'status' });
  }
  const create = async (name: string, spec: Partial<BindingSpec>): Promise<void> => {
    const resource = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name };
    await client.create(
      resources.resourceBindings,
      object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
        metadata: { namespace: 'default', labels: { [labels.propagationPolicyId]: name } },
        spec: { resource, placement: {}, ...spec },
      }),
    );
  };
  const read = async (name: string): Promise<Binding> =>
    (await client.get(resources.resourceBindings, { namespace: 'default', name })) as Binding;
  const schedule = async (name: string, spec: Partial<BindingSpec> = {}): Promise<string[]> => {
    await create(name, spec);
    await until(
      `${name} is scheduled`,
      async () => findCondition((await read(name)).status?.conditions, 'Scheduled') !== undefined,
    );
    return ((await read(name)).spec.clusters ?? []).map(target => `${target.name}:${target.replicas ?? 0}`);
  };
  return { create, read, schedule };
}

t.test('a scheduler with a name leaves the bindings of others alone', async t => {
  const { create, read, schedule } = await schedulerWith(t, '--scheduler-name=mine');
  await create('other', {});
  t.same(await schedule('own', { schedulerName: 'mine' }), ['m1:0']);
  t.equal((await read('other')).status?.conditions, undefined);
});

t.test('a disabled plugin does not filter', async t => {
  const { schedule } = await schedulerWith(t, '--plugins=*,-TaintToleration');
  t.same(await schedule('any'), ['m1:0', 'm2:0']);
});

t.test('workloads are propagated to selected clusters without replicas', async t => {
  const placement = {
    clusterTolerations: [{ operator: 'Exists' as const }],
    replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' } as const,
  };
  const { schedule } = await schedulerWith(t, '--enable-empty-workload-propagation');
  t.same((await schedule('one', { replicas: 1, placement })).sort(), ['m1:1', 'm2:0']);
});
