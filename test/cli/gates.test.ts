/** Karmada's feature gates: what each one changes here, or that it changes nothing yet. as pkg/features/features.go */
import t, { type Test } from 'tap';
import type { Binding, Cluster } from '../../api/karmada/types.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import { find } from '../../client/find.js';
import { karmadaControllers } from '../../cli/parts/karmada-controllers.js';
import { scheduler } from '../../cli/parts/scheduler.js';
import { upHelp } from '../../cli/up/up-settings.js';
import { claimedBy } from '../../controllers/policy/claim.js';
import { type FeatureGate, featureGates, gatesWithoutEffect } from '../../kinds/karmada/feature-gates.js';
import { orderOfTemplates } from '../controllers/policy/order-of-templates.js';
import { object } from '../aggregation/fleet.js';
import { placedInOneCluster } from '../scheduler/overcommit.js';
import { runningServer, type TestServer } from '../apiserver/running.js';
import { configMap, configmaps, deployment, deployments, refusal } from '../registry/serve.js';
import { until } from '../storage/until.js';

/** What shows that a gate has an effect. `upstream` names the symbols that read the gate. */
interface Row {
  readonly upstream: string;
  /** Returns what differs with the gate. `server` has it as `isOn` says, and no other one. */
  readonly observe: (server: TestServer, isOn: boolean, t: Test) => Promise<unknown>;
  readonly off: unknown;
  readonly on: unknown;
}

const classes = { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' };
const placement = { workloadAffinity: { affinity: { groupByLabelKey: 'app' } } };
const karmada = (kind: string, name: string, spec: object) =>
  object('policy.karmada.io/v1alpha1', kind, name, { metadata: { namespace: 'default' }, spec });

/** Reports whether the controller runs. */
const runs =
  (controller: string) =>
  async ({ metrics }: TestServer): Promise<boolean> => {
    const lines = (name: string): string => `controller_runtime_max_concurrent_reconciles{controller="${name}"}`;
    // This controller is the last one that starts.
    await until('the controllers run', async () => (await metrics.metrics()).includes(lines('resource-detector')));
    return (await metrics.metrics()).includes(lines(controller));
  };

/** Returns the binding of a Deployment whose template and policy have everything that gates decide about. */
async function bound({ client }: TestServer): Promise<Binding['spec']> {
  const key = { namespace: 'default', name: 'web-deployment' };
  if (!(await find(client, resources.resourceBindings, key))) {
    await client.create(classes, object('scheduling.k8s.io/v1', 'PriorityClass', 'high', { value: 7 }));
    const schedulePriority = { priorityClassSource: 'KubePriorityClass', priorityClassName: 'high' };
    const resourceSelectors = [{ apiVersion: 'apps/v1', kind: 'Deployment' }];
    const spec = { resourceSelectors, placement, schedulePriority };
    await client.create(resources.propagationPolicies, karmada('PropagationPolicy', 'web', spec));
    const web = deployment('web') as ReturnType<typeof deployment> & { spec: { template: { spec: object } } };
    web.metadata.labels = { app: 'web' };
    Object.assign(web.spec.template.spec, { nodeSelector: { disk: 'ssd' }, priorityClassName: 'high' });
    await client.create(deployments, web);
    await until('the binding', async () => (await find(client, resources.resourceBindings, key)) !== undefined);
  }
  return ((await client.get(resources.resourceBindings, key)) as Binding).spec;
}

/** Returns the policy that has a template after a policy that may preempt it was created. */
async function claimer({ client }: TestServer, mayPreempt: boolean): Promise<string | undefined> {
  const of = async (name: string) => claimedBy(await client.get(configmaps, { namespace: 'default', name }))?.name;
  const select = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name });
  await client.create(configmaps, configMap('a'));
  await client.create(configmaps, configMap('b'));
  const low = { resourceSelectors: [select('a')], placement: {}, priority: 1 };
  await client.create(resources.propagationPolicies, karmada('PropagationPolicy', 'low', low));
  await until('the template is claimed', async () => (await of('a')) === 'low');
  const high = { resourceSelectors: [select('b'), select('a')], placement: {}, priority: 2, preemption: 'Always' };
  await client.create(resources.propagationPolicies, karmada('PropagationPolicy', 'high', high));
  if (mayPreempt) await until('the template is preempted', async () => (await of('a')) === 'high');
  // The policy is reconciled, and would preempt the other one in the same reconciliation.
  await until('the other template is claimed', async () => (await of('b')) === 'high');
  return of('a');
}

/** Returns the number of grades that a Cluster has without models of its own. */
async function grades({ client }: TestServer): Promise<number> {
  const spec = { syncMode: 'Push', apiEndpoint: 'https://m.example.com' };
  const cluster = await client.create(
    resources.clusters,
    object('cluster.karmada.io/v1alpha1', 'Cluster', 'm', { spec }),
  );
  return (cluster as Cluster).spec.resourceModels?.length ?? 0;
}

/** Returns the refusal of a binding with two components of one name. */
async function components({ client }: TestServer): Promise<boolean> {
  const component = { name: 'c', replicas: 1 };
  const refused = await refusal(
    client.create(
      resources.resourceBindings,
      object('work.karmada.io/v1alpha2', 'ResourceBinding', 'parts', {
        metadata: { namespace: 'default', labels: { [labels.propagationPolicyId]: 'p' } },
        spec: { resource: { apiVersion: 'v1', kind: 'X', name: 'x' }, components: [component, component] },
      }),
    ),
  );
  return refused.includes('component names must be unique');
}

const statePreservation = { rules: [{ aliasLabelName: 'job', jsonPath: '{.job}' }] };

/** Creates a binding whose application has failed in its only cluster, and returns a function that reads the tasks of its eviction. */
async function failing({ client }: TestServer, name: string, purgeMode: string) {
  const application = { decisionConditions: { tolerationSeconds: 0 }, purgeMode, statePreservation };
  const key = { namespace: 'default', name };
  await client.create(
    resources.resourceBindings,
    object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
      metadata: { namespace: 'default', labels: { [labels.propagationPolicyId]: 'p' } },
      spec: {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name },
        clusters: [{ name: 'm1' }],
        ...{ propagateDeps: true, failover: { application } },
      },
    }),
  );
  const aggregatedStatus = [{ clusterName: 'm1', health: 'Unhealthy', status: { job: 'j1' } }];
  const patch = { status: { aggregatedStatus } };
  await client.patch(resources.resourceBindings, key, { type: 'merge', patch }, { subresource: 'status' });
  return async () => ((await client.get(resources.resourceBindings, key)) as Binding).spec.gracefulEvictionTasks ?? [];
}

/** Reports whether an application is evicted whose policy asks for a graceful eviction. */
async function evictsGracefully(server: TestServer, isOn: boolean): Promise<boolean> {
  const tasks = await failing(server, 'graceful', 'Gracefully');
  const refusals =
    /^controller_runtime_reconcile_errors_total\{controller="resource-binding-application-failover-controller"\} [1-9]/m;
  if (isOn) await until('the eviction', async () => (await tasks()).length > 0);
  else await until('the refusal', async () => refusals.test(await server.metrics.metrics()));
  return (await tasks()).length > 0;
}

/** Returns the state that the eviction of an application preserves. */
async function preserved(server: TestServer): Promise<unknown> {
  const tasks = await failing(server, 'stateful', 'Never');
  await until('the eviction', async () => (await tasks()).length > 0);
  return (await tasks())[0]?.preservedLabelState;
}

const rows: Readonly<Record<FeatureGate, Row | 'nothing yet'>> = {
  Failover: {
    upstream: 'controllermanager.go startClusterTaintPolicyController, startClusterController (taint manager)',
    observe: runs('cluster-taint-policy-controller'),
    ...{ off: false, on: true },
  },
  GracefulEviction: {
    upstream: 'applicationfailover buildTaskOptions',
    observe: evictsGracefully,
    ...{ off: false, on: true },
  },
  PropagateDeps: {
    upstream: 'controllermanager.go setupControllers',
    observe: runs('dependencies-distributor'),
    ...{ off: false, on: true },
  },
  CustomizedClusterResourceModeling: {
    upstream: 'registry/cluster Strategy.PrepareForCreate, status setCurrentClusterStatus, GeneralEstimator',
    observe: grades,
    ...{ off: 0, on: 9 },
  },
  PropagationPolicyPreemption: {
    upstream: 'detector HandlePropagationPolicyCreationOrUpdate, OnPropagationPolicyUpdate',
    observe: claimer,
    ...{ off: 'low', on: 'high' },
  },
  MultiClusterService: 'nothing yet',
  ResourceQuotaEstimate: {
    upstream: 'detector applyReplicaInterpretation, helper GenerateReplicaRequirements',
    observe: async server => (await bound(server)).replicaRequirements,
    off: { nodeClaim: { nodeSelector: { disk: 'ssd' } } },
    on: { nodeClaim: { nodeSelector: { disk: 'ssd' } }, namespace: 'default', priorityClassName: 'high' },
  },
  StatefulFailoverInjection: {
    upstream: 'applicationfailover buildTaskOptions, binding ensureWork',
    observe: preserved,
    ...{ off: undefined, on: { job: 'j1' } },
  },
  PriorityBasedScheduling: {
    upstream: 'detector BuildResourceBinding, scheduler NewScheduler',
    observe: async server => (await bound(server)).schedulePriority,
    ...{ off: undefined, on: { priority: 7 } },
  },
  FederatedQuotaEnforcement: {
    upstream:
      'controllermanager.go startFederatedResourceQuotaEnforcementController, resourcebinding ValidatingAdmission',
    observe: runs('federated-resource-quota-enforcement-controller'),
    ...{ off: false, on: true },
  },
  LoggingAlphaOptions: 'nothing yet',
  LoggingBetaOptions: 'nothing yet',
  ContextualLogging: 'nothing yet',
  MultiplePodTemplatesScheduling: {
    upstream: 'detector applyReplicaInterpretation, scheduler/core, resourcebinding ValidatingAdmission',
    observe: components,
    ...{ off: false, on: true },
  },
  ControllerPriorityQueue: {
    upstream: 'controllermanager.go Run, util NewAsyncWorker',
    observe: async (_server, isOn, t) => (await orderOfTemplates(t, isOn)).slice(0, 3).sort(),
    ...{ off: ['c0', 'c1', 'c2'], on: ['c0', 'c7', 'fresh'] },
  },
  WorkloadAffinity: {
    upstream: 'detector BuildResourceBinding, scheduler/framework/plugins NewInTreeRegistry',
    observe: async server => (await bound(server)).workloadAffinityGroups,
    ...{ off: undefined, on: { affinityGroup: 'app=web' } },
  },
  SchedulingOvercommitProtection: {
    upstream: 'scheduler patchScheduleResultForResourceBinding, estimator/client GeneralEstimator',
    observe: (_server, isOn, t) => placedInOneCluster(t, isOn),
    ...{ off: 5, on: 2 },
  },
};

t.test('every gate has an effect, or the help says that it has none yet', t => {
  const none = Object.keys(rows).filter(gate => rows[gate as FeatureGate] === 'nothing yet');
  t.same(none, gatesWithoutEffect);
  t.ok(
    upHelp()
      .replace(/\s+/g, ' ')
      .includes(`Without effect yet: ${none.join(', ')}`),
  );
  t.end();
});

t.test('gates that are observed, each without any other', async t => {
  const start = (gates: Readonly<Record<string, boolean>>): Promise<TestServer> =>
    runningServer(t, {
      // The status of bindings is that of the test.
      parts: [karmadaControllers(name => name !== 'bindingStatus'), scheduler()],
      featureGates: featureGates({ AllAlpha: false, AllBeta: false, ...gates }),
    });
  const without = await start({});
  for (const [gate, row] of Object.entries(rows)) {
    if (row === 'nothing yet') continue;
    t.strictSame(await row.observe(without, false, t), row.off, `${gate} is off`);
    const server = await start({ [gate]: true });
    t.strictSame(await row.observe(server, true, t), row.on, `${gate} is on`);
    await server.stop();
  }
});
