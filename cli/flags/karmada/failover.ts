import type { TaintManagerOptions } from '../../../controllers/failover/taint-manager.js';
import type { DeschedulerOptions } from '../../../scheduler/descheduler/descheduler.js';
import { parseDurationFlag } from '../durations.js';
import { type FlagTable, type FlagValues, invalidFlag } from '../flags.js';

/** Flags of karmada-controller-manager and karmada-descheduler, with their names and defaults, and two of our own. */
export const failoverFlags = {
  'enable-taint-manager': {
    type: 'boolean',
    default: true,
    help: 'Run the taint manager, with the feature gate Failover and --enable-no-execute-taint-eviction',
  },
  'enable-no-execute-taint-eviction': {
    type: 'boolean',
    default: false,
    help: 'Evict workloads from clusters with NoExecute taints that they do not tolerate; needs the gate Failover',
  },
  'no-execute-taint-eviction-purge-mode': {
    type: 'string',
    value: 'MODE',
    default: 'Gracefully',
    help: 'Delete evicted workloads when they have been replaced (Gracefully) or before (Directly)',
  },
  'resource-eviction-rate': {
    type: 'string',
    value: 'N',
    default: '0.5',
    help: 'Evictions per second because of NoExecute taints; 0: one in 30 minutes',
  },
  // differs: Karmada has one rate.
  'secondary-resource-eviction-rate': {
    type: 'string',
    value: 'N',
    default: '0.1',
    help: 'The same while many clusters are not ready; there are none while no cluster is ready',
  },
  'unhealthy-cluster-threshold': {
    type: 'string',
    value: 'SHARE',
    default: '0.55',
    help: 'Share of clusters that are not ready from which the secondary rate applies',
  },
  'descheduling-interval': {
    type: 'string',
    value: 'DURATION',
    default: '2m',
    help: 'Interval at which the descheduler looks for replicas that their cluster cannot run',
  },
  'unschedulable-threshold': {
    type: 'string',
    value: 'DURATION',
    default: '5m',
    help: 'How long a Pod must be unschedulable before the descheduler moves its replica',
  },
} as const satisfies FlagTable;

export interface FailoverSettings {
  /** undefined if NoExecute taints do not evict. */
  readonly taintManager: Pick<TaintManagerOptions, 'purgeMode' | 'rates'> | undefined;
  readonly descheduler: Pick<DeschedulerOptions, 'intervalMs' | 'thresholdMs'>;
}

const purgeModes = ['Directly', 'Gracefully'] as const;

type Values = FlagValues<typeof failoverFlags>;

/** Throws UsageError. */
export function parseFailoverSettings(values: Values): FailoverSettings {
  const isOn = values['enable-no-execute-taint-eviction'];
  const rates = {
    perSecond: numberOf(values, 'resource-eviction-rate'),
    secondaryPerSecond: numberOf(values, 'secondary-resource-eviction-rate'),
    unhealthyShare: numberOf(values, 'unhealthy-cluster-threshold'),
  };
  const mode = values['no-execute-taint-eviction-purge-mode'];
  const purgeMode = purgeModes.find(known => known === mode);
  if (isOn && purgeMode === undefined)
    throw invalidFlag('no-execute-taint-eviction-purge-mode', mode, 'want Directly or Gracefully');
  const taintManager = isOn && values['enable-taint-manager'] && purgeMode ? { purgeMode, rates } : undefined;
  const descheduler = {
    intervalMs: parseDurationFlag('descheduling-interval', values['descheduling-interval'], 1),
    thresholdMs: parseDurationFlag('unschedulable-threshold', values['unschedulable-threshold']),
  };
  return { taintManager, descheduler };
}

function numberOf(
  values: Values,
  flag: 'resource-eviction-rate' | 'secondary-resource-eviction-rate' | 'unhealthy-cluster-threshold',
): number {
  const text = values[flag];
  if (!/^\+?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text))
    throw invalidFlag(flag, text, 'want a number that is not negative');
  return Number(text);
}
