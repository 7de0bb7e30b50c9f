/** Classifies services by their specs. */
import type { Service, ServiceSpec } from '../../../../api/kubernetes/core.js';

type Given = Readonly<ServiceSpec> | undefined;

/** Reports whether the service has no address of its own, so that its name resolves to its pods. */
export const isHeadless = (spec: Given): boolean => spec?.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None';
/** Reports whether a load balancer outside of the cluster leads to the service. */
export const isBalanced = (spec: Given): boolean => spec?.type === 'LoadBalancer';
/** Reports whether the service is only another name (ExternalName). */
export const isElsewhere = (spec: Given): boolean => spec?.type === 'ExternalName';

/** Reports whether traffic from outside of the cluster can reach the service. */
// as pkg/api/service ExternallyAccessible
export function isReachable(spec: Given): boolean {
  const type = spec?.type;
  if (type === 'LoadBalancer' || type === 'NodePort') return true;
  return type === 'ClusterIP' && (spec?.externalIPs ?? []).length > 0;
}

/** Reports whether the service needs a port for health checks: load balancers that use only nodes with pods check the health of nodes. */
// as pkg/api/service NeedsHealthCheck
export const needsHealthCheck = (spec: Given): boolean => isBalanced(spec) && spec?.externalTrafficPolicy === 'Local';

/** Returns the spec of a decoded Service; an empty one if there is no Service or no spec, which decoding allows. */
export const specOf = (service: unknown): ServiceSpec => (service as Service | undefined)?.spec ?? {};
