/** The availability of the server of an APIService. */
// as kube-aggregator/pkg/controllers/status/remote sync
import { goQuote } from '../../../lib/go/go-text.js';
import type { APIService, APIServiceCondition, APIServiceStatus } from '../../../api/kubernetes/apiregistration.js';
import type { Service } from '../../../api/kubernetes/core.js';
import type { EndpointSlice } from '../../../api/kubernetes/discovery.js';

/** The Service of an APIService, and its EndpointSlices. */
export interface ApiServiceBackend {
  readonly service: Service | undefined;
  readonly slices: readonly EndpointSlice[];
}

type Availability = Required<Pick<APIServiceCondition, 'status' | 'reason' | 'message'>>;

const unavailable = (reason: string, message: string): Availability => ({ status: 'False', reason, message });

/** The availability of an APIService without a Service. */
export const localAvailability: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

/** Returns the availability of an APIService whose server was asked for its discovery. `failure`: undefined if it has answered. */
export const checkedAvailability = (failure: string | undefined): Availability =>
  failure === undefined
    ? { status: 'True', reason: 'Passed', message: 'all checks passed' }
    : unavailable('FailedDiscoveryCheck', failure);

/** Returns the availability of an APIService without asking its server; undefined if it depends on the server. */
export function availabilityOf(
  { spec = {} }: APIService,
  { service, slices }: ApiServiceBackend,
): Availability | undefined {
  if (!spec.service) return localAvailability;
  const { name = '', namespace = '', port = 0 } = spec.service;
  const what = `service/${name} in ${goQuote(namespace)}`;
  if (!service) return unavailable('ServiceNotFound', `${what} is not present`);
  if (service.spec?.type !== 'ClusterIP') return undefined;
  const found = service.spec.ports?.find(p => p.port === port);
  if (!found) return unavailable('ServicePortError', `${what} is not listening on port ${port}`);
  if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${what}`);
  const portName = found.name ?? '';
  if (slices.some(slice => hasReadyEndpoint(slice, portName))) return undefined;
  const text = `endpointslices for ${what} have no addresses with port name ${goQuote(portName)}`;
  return unavailable('MissingEndpoints', text);
}

function hasReadyEndpoint({ endpoints, ports }: EndpointSlice, portName: string): boolean {
  const isReady = endpoints?.some(endpoint => endpoint.conditions?.ready ?? true);
  return Boolean(isReady && ports?.some(port => port.name === portName && port.port !== undefined));
}

/** Returns the reason why an APIService is unavailable; undefined if it is available, or has no condition yet. */
// differs: upstream counts an APIService without condition as unavailable, which would be the case after every first start
export function unavailableBecause({ status }: APIService): string | undefined {
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  return condition === undefined || condition.status === 'True' ? undefined : condition.reason || 'UnknownReason';
}

/** Returns the status with the condition Available; undefined if it does not change. `now` is in RFC 3339. */
// as kube-aggregator/pkg/apis/apiregistration/v1/helper SetAPIServiceCondition
export function withAvailability(
  api: APIService,
  { status, reason, message }: Availability,
  now: string,
): APIServiceStatus | undefined {
  const conditions = api.status?.conditions ?? [];
  const old = conditions.find(c => c.type === 'Available');
  if (old && old.status === status && old.reason === reason && old.message === message) return undefined;
  const same = old?.status === status && old.lastTransitionTime !== undefined;
  const next = {
    type: 'Available',
    status,
    lastTransitionTime: same ? (old.lastTransitionTime ?? now) : now,
    reason,
    message,
  };
  return { ...api.status, conditions: old ? conditions.map(c => (c === old ? next : c)) : [...conditions, next] };
}
