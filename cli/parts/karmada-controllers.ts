import { createMembers } from '../../aggregation/members/members.js';
import type { Part } from '../../server/parts.js';
import { startCronFederatedHpa } from '../../controllers/autoscale/cron-federated-hpa.js';
import { startDeploymentReplicasSyncer } from '../../controllers/autoscale/deployment-replicas-syncer.js';
import { startHpaScaleTargetMarker } from '../../controllers/autoscale/hpa-scale-target-marker.js';
import { startAgentApproving } from '../../controllers/certificates/approving.js';
import { startClusterController } from '../../controllers/cluster/cluster.js';
import { startHealthMonitor } from '../../controllers/cluster/health-monitor.js';
import { startUnifiedAuth } from '../../controllers/cluster/unified-auth.js';
import type { Interpreter } from '../../controllers/interpreter/interface.js';
import { startDependenciesDistributor } from '../../controllers/dependencies/distributor.js';
import { startNamespaceSync } from '../../controllers/namespace/sync.js';
import { overriding } from '../../controllers/override/apply.js';
import type { ApplyOverrides } from '../../controllers/override/interface.js';
import { textPatcher } from '../../controllers/override/text-patcher.js';
import { startClusterTaintPolicy } from '../../controllers/cluster/cluster-taint-policy.js';
import { startDetector } from '../../controllers/policy/detector.js';
import { type Templates, watchTemplates } from '../../controllers/policy/templates.js';
import { startQuotaEnforcement } from '../../controllers/quota/enforcement.js';
import { startQuotaSync } from '../../controllers/quota/static-assignments.js';
import { startQuotaStatus } from '../../controllers/quota/status.js';
import { defaultProbing } from '../flags/karmada/cluster.js';
import type { KarmadaSettings } from '../flags/karmada/karmada.js';
import type { MemberMirrors } from './member-mirrors.js';
import { startClusterApi } from './cluster-api.js';
import type { Enabled } from './names.js';
import { startMemberControllers } from './member-controllers.js';
import { startInterpreter } from './users-interpreter.js';
import { startApplicationFailover } from '../../controllers/failover/application-failover.js';
import { startTaintManager } from '../../controllers/failover/taint-manager.js';
import { startBindingStatusControllers } from '../../controllers/binding/binding-status.js';
import { startBindingControllers } from '../../controllers/binding/binding.js';
import { startRemedyController } from '../../controllers/remedy/remedy.js';
import { startGracefulEviction } from '../../controllers/eviction/graceful-eviction.js';
import { startTokenRenewal } from '../../controllers/member-tokens/token-renewal.js';
import { requestedTokens } from '../../aggregation/members/accounts.js';
import { memberContexts } from '../../controllers/members/member-contexts.js';
import { createMemberWatch } from '../../controllers/members/member-watch.js';
import { startWorkloadRebalancer } from '../../controllers/rebalancer/workload-rebalancer.js';
import type { FeatureGates } from '../../kinds/karmada/feature-gates.js';
import type { TenantBoundaries } from '../../kinds/karmada/tenant-boundaries.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { componentContext } from '../../client/runtime/component.js';

/** The defaults of karmada-controller-manager. */
const defaults = {
  skippedNamespaces: [/^kube-.*$/],
  gracefulEvictionMs: 10 * 60_000,
  quotaSyncMs: 5 * 60_000,
  probing: defaultProbing,
} satisfies Partial<KarmadaSettings>;

/** Returns whether the control plane pushes to the cluster; others run an agent that pulls. */
const isPushed = (cluster: Cluster): boolean => cluster.spec.syncMode === 'Push';

/**
 * Returns the milliseconds that a cluster needs to be ready once another one is: it may answer a period later, and is observed up to a period after the
 * threshold. The time of a condition is a second, so that it may be almost a second early.
 */
const recoveryMsOf = ({ frequencyMs, thresholds }: KarmadaSettings['probing']): number =>
  thresholds.successMs + 2 * frequencyMs + 1000;

/** Requests a token of an account of a member, for as many seconds as the renewal wants. */
const requestToken: Parameters<typeof startTokenRenewal>[1]['request'] = (member, account, namespace, seconds) =>
  requestedTokens(seconds)(member, account, namespace);

/** Starts the controllers of Clusters: their namespaces and conditions, and with failover the evictions from those with NoExecute taints. */
function startClusterControllers(
  context: ControllerContext,
  gates: FeatureGates,
  settings: Pick<Partial<KarmadaSettings>, 'failover' | 'monitor'> & Pick<KarmadaSettings, 'probing'>,
): void {
  const { failover, monitor, probing } = settings;
  startClusterController(context);
  startHealthMonitor(context, monitor);
  if (failover?.taintManager && gates.Failover)
    startTaintManager(context, { ...failover.taintManager, gates, recoveryMs: recoveryMsOf(probing) });
}

/** Starts the enabled controllers that change, or allow others to change, replicas. */
function startAutoscaling(context: ControllerContext, enabled: Enabled): void {
  if (enabled('cronFederatedHorizontalPodAutoscaler')) startCronFederatedHpa(context);
  if (enabled('hpaScaleTargetMarker')) startHpaScaleTargetMarker(context);
  if (enabled('deploymentReplicasSyncer')) startDeploymentReplicasSyncer(context);
}

/** Starts the enabled controllers of FederatedResourceQuotas. `periodMs` is the interval of the enforcement's syncs. */
function startQuotaControllers(
  context: ControllerContext,
  enabled: Enabled,
  gates: FeatureGates,
  periodMs: number,
): void {
  const enforced = gates.FederatedQuotaEnforcement;
  if (enabled('federatedResourceQuotaSync')) startQuotaSync(context);
  if (enabled('federatedResourceQuotaStatus')) startQuotaStatus(context, { enforced });
  if (enabled('federatedResourceQuotaEnforcement') && enforced)
    startQuotaEnforcement(context, { syncPeriodMs: periodMs });
}

interface BindingDeps {
  readonly templates: Templates;
  readonly interpreter: Interpreter;
  readonly applyOverrides: ApplyOverrides;
}

/** Starts the enabled controllers that take a binding to its Works, and their status back to the template. */
function startTemplateControllers(
  context: ControllerContext,
  enabled: Enabled,
  gates: FeatureGates,
  { templates, interpreter, applyOverrides }: BindingDeps,
): void {
  const injectsState = gates.StatefulFailoverInjection;
  if (enabled('binding')) startBindingControllers(context, { templates, interpreter, applyOverrides, injectsState });
  if (enabled('bindingStatus')) startBindingStatusControllers(context, { templates, interpreter });
  if (enabled('dependenciesDistributor') && gates.PropagateDeps)
    startDependenciesDistributor(context, { templates, interpreter });
}

/** All controllers of karmada-controller-manager. `mirrors`: what they share their mirrors of members with. */
export const karmadaControllers = (
  enabled: Enabled,
  boundaries: TenantBoundaries = 'enforce',
  settings: Partial<KarmadaSettings> = {},
  mirrors?: MemberMirrors,
): Part => ({
  name: 'karmada-controller-manager',
  async start(part) {
    const { modelsResources, skippedApis, tuning, clusterApi, memberRate: rate, memoryLimit } = settings;
    const { skippedNamespaces, gracefulEvictionMs, quotaSyncMs, probing } = { ...defaults, ...settings };
    const gates = part.featureGates;
    const tuned = { ...tuning, defersFirstLists: gates.ControllerPriorityQueue };
    const context = componentContext(part, 'karmada-controller-manager', tuned);
    const { interpreter, close: closeInterpreter } = await startInterpreter(context, part.callWebhook);
    // What the server waits for comes first: the first pass of the controllers of Works over all Works would delay it.
    const watchesTemplates = ['binding', 'bindingStatus', 'detector', 'dependenciesDistributor'].some(enabled);
    const templates = watchesTemplates ? await watchTemplates(context, { skippedApis, skippedNamespaces }) : undefined;
    const preemption = gates.PropagationPolicyPreemption;
    if (templates && enabled('detector')) await startDetector(context, { templates, interpreter, preemption, gates });
    const { client, meter } = context;
    const connections = createMembers(client, 'karmada-controller-manager', {
      ...{ meter, retriesByQueue: true, rate, tunnels: mirrors?.tunnels, memoryLimit },
    });
    const connect = memberContexts(connections, context, mirrors?.heldPart);
    const withdraw = mirrors?.offer(connect);
    context.informers.informer(resources.clusters).onChange(({ old, new: cluster }) => {
      // Mirrors of a cluster that has left are dropped.
      if (old && !cluster) void connections.forget(old.metadata.name ?? '');
    });
    const members = createMemberWatch(connect, settings.syncTimeoutMs);
    const serves = isPushed;
    const applyOverrides = overriding({ boundaries, patchText: textPatcher(part.offload) });
    if (enabled('cluster')) startClusterControllers(context, gates, { ...settings, probing });
    startMemberControllers(context, enabled, { members, serves, interpreter, probing, modelsResources, gates });
    if (enabled('memberTokenRenewal')) startTokenRenewal(context, { connect, serves, request: requestToken });
    if (enabled('unifiedAuth')) startUnifiedAuth(context);
    if (enabled('namespace')) startNamespaceSync(context, { applyOverrides, skippedNamespaces });
    startQuotaControllers(context, enabled, gates, quotaSyncMs);
    startAutoscaling(context, enabled);
    if (enabled('gracefulEviction')) startGracefulEviction(context, { timeout: gracefulEvictionMs });
    if (enabled('applicationFailover')) startApplicationFailover(context, { interpreter, gates });
    if (enabled('clustertaintpolicy') && gates.Failover) startClusterTaintPolicy(context);
    if (enabled('remedy')) startRemedyController(context);
    if (enabled('agentcsrapproving')) startAgentApproving(context);
    if (enabled('workloadRebalancer')) startWorkloadRebalancer(context);
    if (templates) startTemplateControllers(context, enabled, gates, { templates, interpreter, applyOverrides });
    const closeClusterApi = clusterApi && startClusterApi(context, clusterApi);
    return {
      async stop() {
        withdraw?.();
        await connections.close();
        await closeClusterApi?.();
        await closeInterpreter();
        await context.finished();
      },
    };
  },
});
