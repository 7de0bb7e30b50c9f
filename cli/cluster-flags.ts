import { parseDurationFlag } from './durations.js';
import type { HealthMonitorOptions } from '../controllers/cluster/health-monitor.js';
import type { TokenRate } from '../lib/token-bucket.js';
import { type FlagTable, type FlagValues, UsageError } from './flags.js';

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
  'cluster-cache-sync-timeout': {
    type: 'string',
    value: 'DURATION',
    default: '2m',
    help: 'How long the first list of a kind in a member is waited for; objects are read one by one after that',
  },
} as const satisfies FlagTable;

type DurationFlag = Exclude<keyof typeof clusterFlags, 'cluster-api-qps' | 'cluster-api-burst'>;

/** Shorter intervals would cause most of a member's load. */
const minFrequencyMs = 100;

/** How the health of members is found out; all in milliseconds. */
export interface ClusterSettings {
  readonly probing: {
    readonly frequencyMs: number;
    readonly thresholds: { readonly successMs: number; readonly failureMs: number };
  };
  readonly monitor: HealthMonitorOptions;
  /** The rate of requests to each member; undefined: no limit. */
  readonly memberRate: TokenRate | undefined;
  /** Milliseconds for which the first list of a mirror is waited for. */
  readonly syncTimeoutMs: number;
}

export function parseClusterSettings(values: FlagValues<typeof clusterFlags>): ClusterSettings {
  const of = (flag: DurationFlag, least = 0): number => {
    const ms = parseDurationFlag(flag, values[flag]);
    if (ms < least) throw new UsageError(`--${flag} must be at least ${least}ms`);
    return ms;
  };
  return {
    probing: {
      frequencyMs: of('cluster-status-update-frequency', minFrequencyMs),
      thresholds: { successMs: of('cluster-success-threshold'), failureMs: of('cluster-failure-threshold') },
    },
    monitor: {
      periodMs: of('cluster-monitor-period', minFrequencyMs),
      graceMs: of('cluster-monitor-grace-period', 1),
      startupGraceMs: of('cluster-startup-grace-period', 1),
    },
    memberRate: parseRate(values),
    syncTimeoutMs: of('cluster-cache-sync-timeout', 1),
  };
}

function parseRate(values: FlagValues<typeof clusterFlags>): TokenRate | undefined {
  const [text, burst] = [values['cluster-api-qps'], values['cluster-api-burst']];
  if (!/^\d+(?:\.\d+)?$/.test(text))
    throw new UsageError(`invalid value "${text}" for --cluster-api-qps: want a number`);
  const perSecond = Number(text);
  if (burst < 1) throw new UsageError(`invalid value "${burst}" for --cluster-api-burst: must be positive`);
  return perSecond > 0 ? { perSecond, burst } : undefined;
}
