/** Reads the limits of the cluster proxy. */
import { defaultShareLimits, type ShareLimits } from '../../../aggregation/proxy/request-shares.js';
import { type FlagTable, type FlagValues, invalidFlag } from '../flags.js';

export const clusterProxyFlags = {
  'cluster-proxy-max-requests': {
    type: 'number',
    value: 'N',
    default: defaultShareLimits.requests,
    help: 'Maximum number of concurrent requests of users to one member; one user has half of them, further ones wait',
  },
  'cluster-proxy-max-long-requests': {
    type: 'number',
    value: 'N',
    default: defaultShareLimits.long,
    help: 'Maximum number of concurrent watches, followed logs and streams of users to one member; one user has half of them',
  },
} as const satisfies FlagTable;

/** Throws UsageError. */
export function parseClusterProxyLimits(values: FlagValues<typeof clusterProxyFlags>): ShareLimits {
  for (const name of ['cluster-proxy-max-requests', 'cluster-proxy-max-long-requests'] as const)
    if (!Number.isInteger(values[name]) || values[name] < 1)
      throw invalidFlag(name, values[name], 'must be a positive integer');
  return { requests: values['cluster-proxy-max-requests'], long: values['cluster-proxy-max-long-requests'] };
}
