/** Reads the limits of concurrent requests, from kube-apiserver's flags. */
import type { RequestLimits } from '../../server/config.js';
import { type FlagTable, type FlagValues, invalidFlag, UsageError } from './flags.js';

export const limitFlags = {
  'max-requests-inflight': {
    type: 'number',
    value: 'N',
    default: 400,
    help: 'Maximum number of concurrent reading requests; with priority and fairness, a part of the seats',
  },
  'max-mutating-requests-inflight': {
    type: 'number',
    value: 'N',
    default: 200,
    help: 'Maximum number of concurrent writing requests; with priority and fairness, a part of the seats',
  },
  'enable-priority-and-fairness': {
    type: 'boolean',
    default: true,
    help: 'Limit requests by FlowSchemas and PriorityLevelConfigurations',
  },
} as const satisfies FlagTable;

/** Throws UsageError, also when priority and fairness has no seats. */
export function parseLimits(values: FlagValues<typeof limitFlags>): RequestLimits {
  for (const name of ['max-requests-inflight', 'max-mutating-requests-inflight'] as const)
    if (values[name] < 0) throw invalidFlag(name, values[name], 'must not be negative');
  const reading = values['max-requests-inflight'];
  const writing = values['max-mutating-requests-inflight'];
  const priorityAndFairness = values['enable-priority-and-fairness'];
  if (priorityAndFairness && reading + writing === 0)
    throw new UsageError('--max-requests-inflight and --max-mutating-requests-inflight must not both be 0');
  return { reading, writing, priorityAndFairness };
}
