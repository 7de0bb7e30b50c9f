/** Reads the settings of an agent from its flags. */
import type { ReportedSecret } from '../../aggregation/members/register.js';
import type { ControllerTuning } from '../../client/runtime/context.js';
import type { CertRotationOptions } from '../../controllers/agent/cert-rotation.js';
import type { ClusterLeaseOptions } from '../../controllers/agent/cluster-lease.js';
import type { Thresholds } from '../../controllers/cluster/ready.js';
import { checkClusterName } from '../../kinds/karmada/clusters/cluster-rules.js';
import type { FeatureGates } from '../../kinds/karmada/feature-gates.js';
import type { TokenRate } from '../../lib/token-bucket.js';
import { type LogFormat, logFormats, type LogLevel, logLevels } from '../../server/logger.js';
import { selectControllers } from '../controller-selection.js';
import { parseDurationFlag } from '../durations.js';
import { type ListenAddress, parseChoice, parseGates, parseListen } from '../estimator/flags.js';
import { didYouMean, type FlagValues, UsageError } from '../flags.js';
import { parseRates } from '../karmada-flags.js';
import { parseElection } from '../leader-flags.js';
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
  readonly probing: { readonly frequencyMs: number; readonly thresholds: Thresholds };
  readonly syncTimeoutMs: number;
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
  /** Absent: not served. */
  readonly metrics: ListenAddress | undefined;
  readonly health: ListenAddress | undefined;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

const supported: readonly AgentController[] = ['clusterStatus', 'execution', 'workStatus', 'certRotation'];
const unsupported: readonly string[] = ['serviceExport', 'endpointsliceCollect'];
const reportable: readonly ReportedSecret[] = ['KubeCredentials', 'KubeImpersonator'];

/** Shorter intervals would cause most of a member's load. */
const minFrequencyMs = 100;
/** Shorter Leases would be renewed several times in a second. */
const minLeaseMs = 1_000;

const invalid = (flag: string, value: string | number, why: string): UsageError =>
  new UsageError(`invalid value "${value}" for --${flag}: ${why}`);

/** Throws UsageError. */
export function parseAgentProcess(values: Values): AgentProcessSettings {
  const name = values['cluster-name'];
  if (name === '') throw new UsageError('--cluster-name is required');
  const faults = checkClusterName(name);
  if (faults.length > 0) throw invalid('cluster-name', name, faults.join(','));
  if (values['karmada-kubeconfig'] === '') throw new UsageError('--karmada-kubeconfig is required');
  return {
    cluster: name,
    control: endpointInFile(values['karmada-kubeconfig'], values['karmada-context']),
    member: clusterEndpointSource(
      values['cluster-kubeconfig'] || values.kubeconfig,
      values['cluster-context'],
      process.env,
    ),
    controlRate: parseRate(values, 'kube-api'),
    memberRate: parseRate(values, 'cluster-api'),
    facts: parseFacts(values),
    reverseTunnel: values['reverse-tunnel'],
    enabled: selectControllers(values.controllers, [...supported, ...unsupported], new Set(['certRotation'])),
    unsupported: values.controllers.filter(entry => unsupported.includes(entry)),
    election: parseElection(values),
    metrics: parseListen('metrics-bind-address', values['metrics-bind-address']),
    health: parseListen('health-probe-bind-address', values['health-probe-bind-address']),
    gates: parseGates(values['feature-gates']),
    logLevel: parseChoice('log-level', values['log-level'], logLevels),
    logFormat: parseChoice('log-format', values['log-format'], logFormats),
    ...parseTimes(values),
  };
}

function parseTimes(
  values: Values,
): Pick<AgentSettings, 'lease' | 'probing' | 'syncTimeoutMs' | 'modelsResources' | 'certRotation' | 'tuning'> {
  const durationOf = (flag: keyof Values, least = 0): number => {
    const ms = parseDurationFlag(flag, String(values[flag]));
    if (ms < least) throw new UsageError(`--${flag} must be at least ${least}ms`);
    return ms;
  };
  const workers = parseWorkers(values);
  return {
    lease: {
      durationMs: durationOf('cluster-lease-duration', minLeaseMs),
      renewFraction: parseShare(values, 'cluster-lease-renew-interval-fraction'),
    },
    probing: {
      frequencyMs: durationOf('cluster-status-update-frequency', minFrequencyMs),
      thresholds: {
        successMs: durationOf('cluster-success-threshold'),
        failureMs: durationOf('cluster-failure-threshold'),
      },
    },
    syncTimeoutMs: durationOf('cluster-cache-sync-timeout', 1),
    modelsResources: values['enable-cluster-resource-modeling'],
    certRotation: {
      namespace: values['karmada-kubeconfig-namespace'],
      intervalMs: durationOf('cert-rotation-checking-interval', minFrequencyMs),
      remainingShare: parseShare(values, 'cert-rotation-remaining-time-threshold'),
    },
    tuning: { workers, rateLimits: parseRates(values) },
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
      throw invalid('report-secrets', entry, `want ${known.join(', ')}${didYouMean(entry, known)}`);
  }
  if (found.size > 0 && list.includes('None')) throw invalid('report-secrets', list.join(), 'None stands alone');
  return found;
}

function parseRate(values: Values, prefix: 'kube-api' | 'cluster-api'): TokenRate | undefined {
  const [text, burst] = [values[`${prefix}-qps`], values[`${prefix}-burst`]];
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw invalid(`${prefix}-qps`, text, 'want a number');
  if (burst < 1) throw invalid(`${prefix}-burst`, burst, 'must be positive');
  return Number(text) > 0 ? { perSecond: Number(text), burst } : undefined;
}

/** Reads a number between 0 and 1. */
function parseShare(values: Values, flag: keyof Values): number {
  const text = String(values[flag]);
  const share = Number(text);
  if (text === '' || !(share > 0 && share < 1)) throw invalid(flag, text, 'must be greater than 0 and less than 1');
  return share;
}

function parseWorkers(values: Values): Record<string, number> {
  const workers: Record<string, number> = {};
  const set = (flag: 'concurrent-cluster-syncs' | 'concurrent-work-syncs', controllers: readonly string[]): void => {
    const count = values[flag];
    if (count < 0) throw invalid(flag, count, 'must not be negative');
    if (count > 0) for (const controller of controllers) workers[controller] = count;
  };
  set('concurrent-cluster-syncs', ['cluster-status-controller']);
  set('concurrent-work-syncs', ['execution-controller', 'work-status-controller']);
  return workers;
}
