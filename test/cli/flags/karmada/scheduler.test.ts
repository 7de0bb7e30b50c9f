/** The flags of karmada-scheduler, and what they change. */
import t, { type Test } from 'tap';
import type { Binding, BindingSpec } from '../../../../api/karmada/types.js';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { services } from '../../../../api/kubernetes/resources.js';
import { labels, resources } from '../../../../api/karmada/well-known.js';
import { parseFlags } from '../../../../cli/flags/flags.js';
import { MemberEstimators } from '../../../../cli/parts/member-estimators.js';
import { MemberMirrors } from '../../../../cli/parts/member-mirrors.js';
import { scheduler } from '../../../../cli/parts/scheduler.js';
import { parseSchedulerSettings, schedulerFlags } from '../../../../cli/flags/karmada/scheduler.js';
import { findCondition } from '../../../../kinds/karmada/conditions.js';
import { atOnce } from '../../../../lib/time-slice.js';
import { type EstimatorHandler, serveGrpc } from '../../../../scheduler/estimators/grpc/server.js';
import { readReplicasMessage, writeCount } from '../../../../scheduler/estimators/protocol/messages.js';
import { object } from '../../../aggregation/fleet.js';
import { runningServer } from '../../../apiserver/running.js';
import { until } from '../../../storage/until.js';

const settingsOf = (...args: string[]) => parseSchedulerSettings(parseFlags(schedulerFlags, args).values);
const disabledBy = (plugins: string): string[] => [...settingsOf(`--plugins=${plugins}`).disabledPlugins];

t.test('the defaults are those of karmada-scheduler', t => {
  const { disabledPlugins, ...settings } = settingsOf();
  t.same([...disabledPlugins], []);
  t.strictSame(settings, { schedulerName: 'default-scheduler', enableEmptyWorkloadPropagation: false });
  t.strictSame(settingsOf('--enable-scheduler-estimator').estimators, {
    ...{ timeoutMs: 3000, serviceNamespace: 'karmada-system', servicePrefix: 'karmada-scheduler-estimator' },
    ...{ port: 10352, certFile: '', keyFile: '', caFile: '', skipsVerification: false, skipsPullMode: false },
    inProcess: true,
  });
  t.end();
});

t.test('the flags of estimators', t => {
  const flags = [
    ...[
      '--enable-scheduler-estimator',
      '--disable-scheduler-estimator-in-pull-mode',
      '--insecure-skip-estimator-verify',
      '--in-process-scheduler-estimator=false',
    ],
    ...['--scheduler-estimator-timeout=1s', '--scheduler-estimator-port=1', '--scheduler-estimator-service-prefix=p'],
    ...['--scheduler-estimator-service-namespace=n', '--scheduler-estimator-ca-file=a'],
    ...['--scheduler-estimator-cert-file=c', '--scheduler-estimator-key-file=k'],
  ];
  t.strictSame(settingsOf(...flags).estimators, {
    ...{ timeoutMs: 1000, serviceNamespace: 'n', servicePrefix: 'p', port: 1 },
    ...{ certFile: 'c', keyFile: 'k', caFile: 'a', skipsVerification: true, skipsPullMode: true },
    inProcess: false,
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
async function schedulerWith(t: Test, args: readonly string[], before: readonly KubeObject[] = []) {
  const settings = settingsOf(...args);
  const mirrors = new MemberMirrors({ forEstimates: false });
  const estimators = settings.estimators && new MemberEstimators(settings.estimators, mirrors);
  const parts = [...(estimators ? [estimators.part] : []), scheduler(settings, estimators)];
  const { client } = await runningServer(t, { profile: 'karmada', parts });
  for (const service of before) await client.create(services, service);
  const apiEnablements = [{ groupVersion: 'v1', resources: [{ name: 'configmaps', kind: 'ConfigMap' }] }];
  for (const name of ['m1', 'm2']) {
    const taints = name === 'm2' ? [{ key: 'k', effect: 'NoSchedule' }] : [];
    const spec = { syncMode: 'Push', apiEndpoint: `https://${name}.example.com`, taints };
    await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
    const resourceSummary = { allocatable: { pods: '100' } };
    const change = { type: 'merge', patch: { status: { apiEnablements, resourceSummary } } } as const;
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
  const { create, read, schedule } = await schedulerWith(t, ['--scheduler-name=mine']);
  await create('other', {});
  t.same(await schedule('own', { schedulerName: 'mine' }), ['m1:0']);
  t.equal((await read('other')).status?.conditions, undefined);
});

t.test('a disabled plugin does not filter', async t => {
  const { schedule } = await schedulerWith(t, ['--plugins=*,-TaintToleration']);
  t.same(await schedule('any'), ['m1:0', 'm2:0']);
});

t.test('workloads are propagated to selected clusters without replicas', async t => {
  const placement = {
    clusterTolerations: [{ operator: 'Exists' as const }],
    replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' } as const,
  };
  const { schedule } = await schedulerWith(t, ['--enable-empty-workload-propagation']);
  t.same((await schedule('one', { replicas: 1, placement })).sort(), ['m1:1', 'm2:0']);
});

t.test('the estimators of members are asked by the addresses of their Services', async t => {
  const asked: string[] = [];
  const answering = (count: number) => async () => {
    const handle: EstimatorHandler = message => {
      asked.push(atOnce(readReplicasMessage(message)).cluster);
      return Promise.resolve(writeCount(count));
    };
    const handlers = {
      ...{ MaxAvailableReplicas: handle, MaxAvailableComponentSets: handle, GetUnschedulableReplicas: handle },
    };
    const server = await serveGrpc({ host: '127.0.0.1', port: 0, handlers, tls: undefined });
    t.teardown(() => server.close());
    return server.port;
  };
  const ports = { m1: await answering(1)(), m2: await answering(2)() };
  const found = Object.entries(ports).map(([name, targetPort]) =>
    object('v1', 'Service', `e-${name}`, {
      metadata: { namespace: 'default' },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: 10352, targetPort }] },
    }),
  );
  const flags = [
    ...['--enable-scheduler-estimator', '--scheduler-estimator-timeout=20s', '--scheduler-estimator-service-prefix=e'],
    ...['--scheduler-estimator-service-namespace=default', '--in-process-scheduler-estimator=false'],
  ];
  const { schedule } = await schedulerWith(t, flags, found);
  const placement = {
    clusterTolerations: [{ operator: 'Exists' as const }],
    replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' } as const,
  };
  t.same((await schedule('both', { replicas: 3, placement })).sort(), ['m1:1', 'm2:2']);
  t.same(asked.sort(), ['m1', 'm2']);
  asked.length = 0;
  t.same(await schedule('one', { replicas: 1, placement: { ...placement, clusterTolerations: [] } }), ['m1:1']);
  t.same(asked, ['m1'], 'a cluster that is refused is not asked about');
});
