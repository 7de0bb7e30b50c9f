/** Whether the server behind an APIService can be asked. */
// as kube-aggregator/pkg/controllers/status/remote sync
import { goQuote } from '../../lib/go/go-text.js';
import type { APIService, APIServiceCondition, APIServiceStatus } from '../../api/kubernetes/apiregistration.js';
import type { Service } from '../../api/kubernetes/core.js';
import type { EndpointSlice } from '../../api/kubernetes/discovery.js';

/** What is known of the service that an APIService names. */
export interface Backing {
  readonly service: Service | undefined;
  readonly slices: readonly EndpointSlice[];
  /** This server answers for the group and version by itself. */
  readonly own: boolean;
}

export type Verdict = Required<Pick<APIServiceCondition, 'status' | 'reason' | 'message'>>;

const no = (reason: string, message: string): Verdict => ({ status: 'False', reason, message });

/** Of groups and versions that no other server stands behind. */
export const local: Verdict = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

export function verdictOf({ spec = {} }: APIService, { service, slices, own }: Backing): Verdict {
  if (!spec.service) return local;
  const { name = '', namespace = '', port = 0 } = spec.service;
  const what = `service/${name} in ${goQuote(namespace)}`;
  if (!service) return no('ServiceNotFound', `${what} is not present`);
  if (service.spec?.type === 'ClusterIP') {
    const found = service.spec.ports?.find(p => p.port === port);
    if (!found) return no('ServicePortError', `${what} is not listening on port ${port}`);
    if (slices.length === 0) return no('EndpointsNotFound', `cannot find endpointslices for ${what}`);
    const portName = found.name ?? '';
    if (!slices.some(slice => isReached(slice, portName)))
      return no('MissingEndpoints', `endpointslices for ${what} have no addresses with port name ${goQuote(portName)}`);
  }
  if (own) return { status: 'True', reason: 'Passed', message: 'all checks passed' };
  // differs: upstream asks the other server, to which it would pass requests on.
  return no('FailedDiscoveryCheck', `requests are not passed on to ${what}`);
}

function isReached({ endpoints, ports }: EndpointSlice, portName: string): boolean {
  const isReady = endpoints?.some(endpoint => endpoint.conditions?.ready ?? true);
  return Boolean(isReady && ports?.some(port => port.name === portName && port.port !== undefined));
}

/** Undefined: it is available, or nobody has looked yet. */
// differs: upstream counts one that nobody has looked at as unavailable, which is what every new server would begin with
export function unavailableBecause({ status }: APIService): string | undefined {
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  return condition === undefined || condition.status === 'True' ? undefined : condition.reason || 'UnknownReason';
}

/** The status with the verdict in it; undefined: it says so already. */
// as kube-aggregator/pkg/apis/apiregistration/v1/helper SetAPIServiceCondition
export function withVerdict(api: APIService, verdict: Verdict, now: string): APIServiceStatus | undefined {
  const conditions = api.status?.conditions ?? [];
  const old = conditions.find(c => c.type === 'Available');
  if (old && old.status === verdict.status && old.reason === verdict.reason && old.message === verdict.message)
    return undefined;
  const same = old?.status === verdict.status && old.lastTransitionTime !== undefined;
  const next = {
    type: 'Available',
    status: verdict.status,
    lastTransitionTime: same ? (old.lastTransitionTime ?? now) : now,
    reason: verdict.reason,
    message: verdict.message,
  };
  return { ...api.status, conditions: old ? conditions.map(c => (c === old ? next : c)) : [...conditions, next] };
}
