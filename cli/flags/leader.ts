/** Reads the settings of leader election among replicas on one etcd, from the flags of Karmada's components. */
import { checkDns1123Label } from '../../apimachinery/meta/names.js';
import { parseDurationFlag } from './durations.js';
import { type FlagTable, type FlagValues, invalidFlag, UsageError } from './flags.js';

export const leaderFlags = {
  'leader-elect': {
    type: 'boolean',
    default: true,
    help: 'With etcd: run controllers and scheduler in one process at a time',
  },
  'leader-elect-resource-namespace': {
    type: 'string',
    value: 'NAMESPACE',
    default: 'karmada-system',
    help: "Namespace of the leases of Karmada's controllers and the scheduler",
  },
  'leader-elect-lease-duration': {
    type: 'string',
    value: 'DURATION',
    default: '15s',
    help: 'How long other processes wait before they replace a leader that does not renew its lease',
  },
  'leader-elect-renew-deadline': {
    type: 'string',
    value: 'DURATION',
    default: '10s',
    help: 'How long a leader tries to renew its lease before it gives up',
  },
  'leader-elect-retry-period': {
    type: 'string',
    value: 'DURATION',
    default: '2s',
    help: 'Interval between two attempts to acquire or renew the lease',
  },
} as const satisfies FlagTable;

/** The periods of a Lease. */
export interface Election {
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly retryMs: number;
}

// as client-go tools/leaderelection NewLeaderElector
const jitter = 1.2;

interface ElectionSettings {
  readonly timing: Election;
  /** The namespace of the leases of Karmada's components. */
  readonly namespace: string;
}

/** Returns the settings; undefined: no election. Throws UsageError. */
export function parseElection(values: FlagValues<typeof leaderFlags>): ElectionSettings | undefined {
  const namespace = values['leader-elect-resource-namespace'];
  const [fault] = checkDns1123Label(namespace);
  if (fault !== undefined) throw invalidFlag('leader-elect-resource-namespace', namespace, fault);
  const leaseMs = parseDurationFlag('leader-elect-lease-duration', values['leader-elect-lease-duration']);
  const renewMs = parseDurationFlag('leader-elect-renew-deadline', values['leader-elect-renew-deadline']);
  const retryMs = parseDurationFlag('leader-elect-retry-period', values['leader-elect-retry-period']);
  if (leaseMs <= renewMs)
    throw new UsageError('--leader-elect-lease-duration must be greater than --leader-elect-renew-deadline');
  if (renewMs <= jitter * retryMs)
    throw new UsageError(
      `--leader-elect-renew-deadline must be greater than ${jitter} times --leader-elect-retry-period`,
    );
  return values['leader-elect'] ? { timing: { leaseMs, renewMs, retryMs }, namespace } : undefined;
}
