/** Reads the settings of an agent from its flags. */
import type { ReportedSecret } from '../../aggregation/members/register.js';
import type { ControllerTuning } from '../../client/runtime/context.js';
import type { CertRotationOptions } from '../../controllers/agent/cert-rotation.js';
import type { ClusterLeaseOptions } from '../../controllers/agent/cluster-lease.js';
import { checkClusterName } from '../../kinds/karmada/clusters/cluster-rules.js';
import type { FeatureGates } from '../../kinds/karmada/feature-gates.js';
import type { TokenRate } from '../../lib/token-bucket.js';
import { parseProbing, type Probing } from '../flags/karmada/cluster.js';
import { selectControllers } from '../flags/karmada/controller-selection.js';
import { parseDurationFlag } from '../flags/durations.js';
import { didYouMean, type FlagValues, invalidFlag, UsageError } from '../flags/flags.js';
import { parseGates } from '../flags/karmada/gates.js';
import { parseRates } from '../flags/karmada/karmada.js';
import { parseElection } from '../flags/leader.js';
import { type LogSettings, parseLogging } from '../flags/log.js';
import { type ProbeAddresses, parseProbes } from '../flags/probe.js';
import { parseRequestRate } from '../flags/request-rate.js';
import { parseWorkers } from '../flags/karmada/worker.js';
import { clusterEndpointSource, endpointInFile, type EndpointSource } from './endpoint-source.js';
import type { agentFlags } from './flags.js';

type Values = FlagValues<typeof agentFlags>;

/** The controllers of karmada-agent. */
type AgentController = 'clusterStatus' | 'execution' | 'workStatus' | 'certRotation';

/** What the control plane learns about the cluster. */
interface ReportedFacts {
  /** The namespace of accounts and secrets on both sides. */
  readonly namespace: string;
  readonly secrets: ReadonlySet<ReportedSecret>;
  readonly apiEndpoint: string;
  readonly proxyUrl: string;
  readonly provider: string;
  readonly region: string;
  readonly zones: readonly string[];
}

export interface AgentSettings {
  readonly cluster: string;
  readonly control: EndpointSource;
  readonly member: EndpointSource;
  /** The rates of requests; undefined: no limit. */
  readonly controlRate: TokenRate | undefined;
  readonly memberRate: TokenRate | undefined;
  readonly facts: ReportedFacts;
  readonly enabled: (controller: AgentController) => boolean;
  /** Undefined: the agent acts without a Lease of its own. */
  readonly election: ReturnType<typeof parseElection>;
  readonly lease: Omit<ClusterLeaseOptions, 'cluster'>;
  readonly probing: Probing;
  readonly syncTimeoutMs: number;
  /** The agent reports how many nodes of each grade the cluster has (--enable-cluster-resource-modeling). */
  readonly modelsResources: boolean;
  /** The agent keeps a reverse tunnel to the control plane. */
  readonly reverseTunnel: boolean;
  readonly certRotation: CertRotationOptions;
  readonly tuning: ControllerTuning;
  readonly gates: FeatureGates;
}

export interface AgentProcessSettings extends AgentSettings {
  /** Controllers that were asked for by name and are not supported. */
  readonly unsupported: readonly string[];
  readonly probes: ProbeAddresses;
  readonly logging: LogSettings;
}

const supported: readonly AgentController[] = ['clusterStatus', 'execution', 'workStatus', 'certRotation'];
const unsupported: readonly string[] = ['serviceExport', 'endpointsliceCollect'];

/** The controllers whose workers a flag sets. */
const controllersOf = {
  'concurrent-cluster-syncs': ['cluster-status-controller'],
  'concurrent-work-syncs': ['execution-controller', 'work-status-controller'],
} as const;
const reportable: readonly ReportedSecret[] = ['KubeCredentials', 'KubeImpersonator'];

/** Shorter intervals would read the Secret of the agent all the time. */
const minCheckMs = 100;
/** Shorter Leases would be renewed several times in a second. */
const minLeaseMs = 1_000;

/** Throws UsageError. */
export function parseAgentProcess(values: Values): AgentProcessSettings {
  const name = values['cluster-name'];
  if (name === '') throw new UsageError('--cluster-name is required');
  const faults = checkClusterName(name);
  if (faults.length > 0) throw invalidFlag('cluster-name', name, faults.join(','));
  if (values['karmada-kubeconfig'] === '') throw new UsageError('--karmada-kubeconfig is required');
  return {
    cluster: name,
    control: endpointInFile(values['karmada-kubeconfig'], values['karmada-context']),
    member: clusterEndpointSource(
      values['cluster-kubeconfig'] || values.kubeconfig,
      values['cluster-context'],
      process.env,
    ),
    controlRate: parseRequestRate('kube-api', values),
    memberRate: parseRequestRate('cluster-api', values),
    facts: parseFacts(values),
    reverseTunnel: values['reverse-tunnel'],
    enabled: selectControllers(values.controllers, [...supported, ...unsupported], new Set(['certRotation'])),
    unsupported: values.controllers.filter(entry => unsupported.includes(entry)),
    election: parseElection(values),
    probes: parseProbes(values),
    gates: parseGates(values['feature-gates']),
    logging: parseLogging(values),
    ...parseTimes(values),
  };
}

function parseTimes(
  values: Values,
): Pick<AgentSettings, 'lease' | 'probing' | 'syncTimeoutMs' | 'modelsResources' | 'certRotation' | 'tuning'> {
  return {
    lease: {
      durationMs: parseDurationFlag('cluster-lease-duration', values['cluster-lease-duration'], minLeaseMs),
      renewFraction: parseShare(values, 'cluster-lease-renew-interval-fraction'),
    },
    probing: parseProbing(values),
    syncTimeoutMs: parseDurationFlag('cluster-cache-sync-timeout', values['cluster-cache-sync-timeout'], 1),
    modelsResources: values['enable-cluster-resource-modeling'],
    certRotation: {
      namespace: values['karmada-kubeconfig-namespace'],
      intervalMs: parseDurationFlag(
        'cert-rotation-checking-interval',
        values['cert-rotation-checking-interval'],
        minCheckMs,
      ),
      remainingShare: parseShare(values, 'cert-rotation-remaining-time-threshold'),
    },
    tuning: { workers: parseWorkers(values, controllersOf), rateLimits: parseRates(values) },
  };
}

function parseFacts(values: Values): ReportedFacts {
  return {
    namespace: values['cluster-namespace'],
    secrets: parseSecrets(values['report-secrets']),
    apiEndpoint: values['cluster-api-endpoint'],
    proxyUrl: values['proxy-server-address'],
    provider: values['cluster-provider'],
    region: values['cluster-region'],
    zones: values['cluster-zones'],
  };
}

function parseSecrets(list: readonly string[]): ReadonlySet<ReportedSecret> {
  const known = [...reportable, 'None'];
  const found = new Set<ReportedSecret>();
  for (const entry of list) {
    const secret = reportable.find(each => each === entry);
    if (secret) found.add(secret);
    else if (entry !== 'None')
      throw invalidFlag('report-secrets', entry, `want ${known.join(', ')}${didYouMean(entry, known)}`);
  }
  if (found.size > 0 && list.includes('None')) throw invalidFlag('report-secrets', list.join(), 'None stands alone');
  return found;
}

/** Reads a number between 0 and 1. */
function parseShare(values: Values, flag: keyof Values): number {
  const text = String(values[flag]);
  const share = Number(text);
  if (text === '' || !(share > 0 && share < 1)) throw invalidFlag(flag, text, 'must be greater than 0 and less than 1');
  return share;
}
