import type { Prepare } from '../../../../registry/interface.js';
import { semanticEqual } from '../../../../lib/json/equality.js';
import type { Service, ServiceSpec } from '../../../../api/kubernetes/core.js';
import { isBalanced, isElsewhere, isReachable, needsHealthCheck, specOf } from './service-facts.js';

const hasNodePorts = (spec: ServiceSpec): boolean => spec.type === 'NodePort' || isBalanced(spec);

/** Drops the fields that only the old type of a service had when an update changes the type, unless the update changes them, too. */
// as pkg/registry/core/service dropTypeDependentFields
export const dropTypeDependent: Prepare = (draft, stored) => {
  const spec = specOf(draft);
  const old = specOf(stored);
  const same = (...fields: readonly (keyof ServiceSpec)[]): boolean =>
    fields.every(field => semanticEqual(spec[field], old[field]));
  const lost = (is: (spec: ServiceSpec) => boolean): boolean => is(old) && !is(spec);
  if (lost(s => !isElsewhere(s))) {
    if (same('clusterIP', 'clusterIPs')) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (same('ipFamilies')) delete spec.ipFamilies;
    if (same('ipFamilyPolicy')) delete spec.ipFamilyPolicy;
  }
  if (lost(hasNodePorts) && keepsNodePorts(spec, old)) for (const port of spec.ports ?? []) delete port.nodePort;
  if (lost(needsHealthCheck) && same('healthCheckNodePort')) delete spec.healthCheckNodePort;
  if (lost(isBalanced) && same('allocateLoadBalancerNodePorts')) delete spec.allocateLoadBalancerNodePorts;
  if (lost(isBalanced) && same('loadBalancerClass')) delete spec.loadBalancerClass;
  if (lost(isReachable) && same('externalTrafficPolicy')) delete spec.externalTrafficPolicy;
  const service = draft as Service;
  if (!isBalanced(spec) && service.status?.loadBalancer) service.status = { ...service.status, loadBalancer: {} };
};

function keepsNodePorts(spec: ServiceSpec, old: ServiceSpec): boolean {
  const before = new Set((old.ports ?? []).map(port => port.nodePort));
  return (spec.ports ?? []).every(port => !port.nodePort || before.has(port.nodePort));
}
