import { parseDuration } from './durations.js';
import { type FlagTable, type FlagValues, UsageError } from './flags.js';

/** Flags of karmada-controller-manager, with its names and defaults. */
export const clusterFlags = {
  'cluster-status-update-frequency': {
    type: 'string',
    value: 'DURATION',
    default: '10s',
    help: 'How often each member is asked whether it is well',
  },
  'cluster-success-threshold': {
    type: 'string',
    value: 'DURATION',
    default: '30s',
    help: 'How long a member has to be well before it counts as ready again',
  },
  'cluster-failure-threshold': {
    type: 'string',
    value: 'DURATION',
    default: '30s',
    help: 'How long a member has to be unwell before it counts as not ready',
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
