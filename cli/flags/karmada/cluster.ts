import { defaultMemoryLimit, maxPageBytes } from '../../../aggregation/remote/limits.js';
import { parseQuantity, quantityError, quantityValue } from '../../../apimachinery/quantity/quantity.js';
import { parseDurationFlag } from '../durations.js';
import type { HealthMonitorOptions } from '../../../controllers/cluster/health-monitor.js';
import type { TokenRate } from '../../../lib/token-bucket.js';
import type { Thresholds } from '../../../controllers/cluster/ready.js';
import { type FlagTable, type FlagValues, invalidFlag } from '../flags.js';
import { parseRequestRate } from '../request-rate.js';

const mebibyte = 1024 * 1024;

/** The flag of the programs that make accounts for a member. */
export const clusterNamespaceFlag = {
  type: 'string',
  value: 'NAME',
  default: 'karmada-cluster',
  help: 'Namespace of accounts and secrets, in the cluster and in the control plane',
} as const;

/** Flags of karmada-controller-manager, with its names and defaults. */
export const clusterFlags = {
  'cluster-status-update-frequency': {
    type: 'string',
    value: 'DURATION',
    default: '10s',
    help: 'Interval between health checks of each member',
  },
  'cluster-success-threshold': {
    type: 'string',
    value: 'DURATION',
    default: '30s',
    help: 'How long a member must be healthy before it is ready again',
  },
  'cluster-failure-threshold': {
    type: 'string',
    value: 'DURATION',
    default: '30s',
    help: 'How long a member must be unhealthy before it is not ready',
  },
  'cluster-monitor-period': {
    type: 'string',
    value: 'DURATION',
    default: '5s',
    help: 'Minimum time between two checks whether the agent of a member in pull mode is alive',
  },
  'cluster-monitor-grace-period': {
    type: 'string',
    value: 'DURATION',
    default: '40s',
    help: 'How long an agent may be silent before its member is marked as unreachable',
  },
  'cluster-startup-grace-period': {
    type: 'string',
    value: 'DURATION',
    default: '60s',
    help: 'The same for an agent that has not reported yet',
  },
  // differs: Karmada's default is 40, which limits how fast templates reach a member.
  'cluster-api-qps': {
    type: 'string',
    value: 'N',
    default: '0',
    help: 'Requests per second to one member, without watches; 0: no limit',
  },
  'cluster-api-burst': {
    type: 'number',
    value: 'N',
    default: 60,
    help: 'Requests to one member that may be sent at once, with --cluster-api-qps',
  },
  'cluster-memory-limit': {
    type: 'string',
    value: 'QUANTITY',
    default: `${defaultMemoryLimit / mebibyte}Mi`,
    help: 'Memory that the lists of one member may take while they arrive, and its mirrors; search may take twice as much',
  },
  'cluster-cache-sync-timeout': {
    type: 'string',
    value: 'DURATION',
    default: '2m',
    help: 'How long the first list of a kind in a member is waited for; objects are read one by one after that',
  },
} as const satisfies FlagTable;

/** A page of a list may have half of this. */
const minMemoryLimit = 2 * maxPageBytes;

/** Shorter intervals would cause most of a member's load. */
const minFrequencyMs = 100;

/** How the health of a member is probed; all in milliseconds. */
export interface Probing {
  readonly frequencyMs: number;
  readonly thresholds: Thresholds;
}

/** How the health of members is found out; all in milliseconds. */
export interface ClusterSettings {
  readonly probing: Probing;
  readonly monitor: HealthMonitorOptions;
  /** The rate of requests to each member; undefined: no limit. */
  readonly memberRate: TokenRate | undefined;
  /** Maximum memory in bytes of the lists of one member while they arrive, and of the mirrors of one component. */
  readonly memoryLimit: number;
  /** Milliseconds for which the first list of a mirror is waited for. */
  readonly syncTimeoutMs: number;
}

type ProbingFlag = 'cluster-status-update-frequency' | 'cluster-success-threshold' | 'cluster-failure-threshold';

/** Throws UsageError. */
export function parseProbing(values: Readonly<Record<ProbingFlag, string>>): Probing {
  const of = (flag: ProbingFlag, leastMs = 0): number => parseDurationFlag(flag, values[flag], leastMs);
  return {
    frequencyMs: of('cluster-status-update-frequency', minFrequencyMs),
    thresholds: { successMs: of('cluster-success-threshold'), failureMs: of('cluster-failure-threshold') },
  };
}

/** How members are probed without flags. */
export const defaultProbing: Probing = parseProbing({
  'cluster-status-update-frequency': clusterFlags['cluster-status-update-frequency'].default,
  'cluster-success-threshold': clusterFlags['cluster-success-threshold'].default,
  'cluster-failure-threshold': clusterFlags['cluster-failure-threshold'].default,
});

function parseMemoryLimit(text: string): number {
  const invalid = (why: string): Error => invalidFlag('cluster-memory-limit', text, why);
  const fault = quantityError(text);
  if (fault !== undefined) throw invalid(fault);
  const bytes = quantityValue(parseQuantity(text));
  if (bytes < minMemoryLimit) throw invalid(`must be at least ${minMemoryLimit / mebibyte}Mi`);
  return bytes;
}

/** Throws UsageError. */
export function parseClusterSettings(values: FlagValues<typeof clusterFlags>): ClusterSettings {
  type DurationFlag = 'monitor-period' | 'monitor-grace-period' | 'startup-grace-period' | 'cache-sync-timeout';
  const of = (flag: `cluster-${DurationFlag}`, leastMs: number): number =>
    parseDurationFlag(flag, values[flag], leastMs);
  return {
    probing: parseProbing(values),
    monitor: {
      periodMs: of('cluster-monitor-period', minFrequencyMs),
      graceMs: of('cluster-monitor-grace-period', 1),
      startupGraceMs: of('cluster-startup-grace-period', 1),
    },
    memberRate: parseRequestRate('cluster-api', values),
    memoryLimit: parseMemoryLimit(values['cluster-memory-limit']),
    syncTimeoutMs: of('cluster-cache-sync-timeout', 1),
  };
}
