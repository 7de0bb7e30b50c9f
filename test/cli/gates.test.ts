/** Karmada's feature gates: what each one changes here, or that it changes nothing yet. as pkg/features/features.go */
import { readFileSync } from 'node:fs';
import t from 'tap';
import type { Binding, Cluster } from '../../api/karmada/types.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import { find } from '../../client/find.js';
import { karmadaControllers } from '../../cli/parts/karmada-controllers.js';
import { scheduler } from '../../cli/parts/scheduler.js';
import { upHelp } from '../../cli/up.js';
import { claimedBy } from '../../controllers/policy/claim.js';
import { type FeatureGate, featureGates, gatesWithoutEffect } from '../../kinds/karmada/feature-gates.js';
import { object } from '../aggregation/fleet.js';
import { runningServer, type TestServer } from '../apiserver/running.js';
import { configMap, configmaps, deployment, deployments, refusal } from '../registry/serve.js';
import { until } from '../storage/until.js';

/** What shows that a gate has an effect. `upstream` names the symbols that read the gate. */
type Row = { readonly upstream: string } & (
  | {
      readonly observe: (server: TestServer, isOn: boolean) => Promise<unknown>;
      readonly off: unknown;
      readonly on: unknown;
    }
  | { readonly shownIn: string }
);

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

const rows: Readonly<Record<FeatureGate, Row | 'nothing yet'>> = {
  Failover: {
    upstream: 'controllermanager.go startClusterTaintPolicyController, startClusterController (taint manager)',
    observe: runs('cluster-taint-policy-controller'),
    ...{ off: false, on: true },
  },
  GracefulEviction: {
    upstream: 'applicationfailover buildTaskOptions',
    shownIn: 'controllers/failover/failover.test.ts',
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
    shownIn: 'controllers/failover/preserved-state.test.ts',
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
    shownIn: 'controllers/policy/priority.test.ts',
  },
  WorkloadAffinity: {
    upstream: 'detector BuildResourceBinding, scheduler/framework/plugins NewInTreeRegistry',
    observe: async server => (await bound(server)).workloadAffinityGroups,
    ...{ off: undefined, on: { affinityGroup: 'app=web' } },
  },
  SchedulingOvercommitProtection: 'nothing yet',
};

t.test('every gate has an effect, or the help says that it has none yet', t => {
  const none = Object.keys(rows).filter(gate => rows[gate as FeatureGate] === 'nothing yet');
  t.same(none, gatesWithoutEffect);
  t.ok(
    upHelp()
      .replace(/\s+/g, ' ')
      .includes(`Without effect yet: ${none.join(', ')}`),
  );
  for (const [gate, row] of Object.entries(rows))
    if (row !== 'nothing yet' && 'shownIn' in row) {
      const source = readFileSync(new URL(`../../../test/${row.shownIn}`, import.meta.url), 'utf8');
      t.ok(source.includes(gate), `${gate} is shown in ${row.shownIn}`);
    }
  t.end();
});

t.test('gates that are observed, each without any other', async t => {
  const start = (gates: Readonly<Record<string, boolean>>): Promise<TestServer> =>
    runningServer(t, {
      parts: [karmadaControllers(() => true), scheduler()],
      featureGates: featureGates({ AllAlpha: false, AllBeta: false, ...gates }),
    });
  const without = await start({});
  for (const [gate, row] of Object.entries(rows)) {
    if (row === 'nothing yet' || !('observe' in row)) continue;
    t.strictSame(await row.observe(without, false), row.off, `${gate} is off`);
    const server = await start({ [gate]: true });
    t.strictSame(await row.observe(server, true), row.on, `${gate} is on`);
    await server.stop();
  }
});
