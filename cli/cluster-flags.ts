import { parseDuration } from './durations.js';
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
} as const satisfies FlagTable;

/** Shorter intervals would cause most of a member's load. */
const minFrequencyMs = 100;

/** How members are probed; all in milliseconds. */
export interface ProbeSettings {
  readonly frequencyMs: number;
  readonly thresholds: { readonly successMs: number; readonly failureMs: number };
}

export function parseProbeSettings(values: FlagValues<typeof clusterFlags>): ProbeSettings {
  const of = (flag: keyof typeof clusterFlags): number => parseDuration(flag, values[flag]);
  const frequencyMs = of('cluster-status-update-frequency');
  if (frequencyMs < minFrequencyMs) throw new UsageError('--cluster-status-update-frequency must be at least 100ms');
  return {
    frequencyMs,
    thresholds: { successMs: of('cluster-success-threshold'), failureMs: of('cluster-failure-threshold') },
  };
}
