/** An update that leaves out allocated fields keeps them. */
// as pkg/registry/core/service/storage patchAllocatedValues, normalizeClusterIPs
import { semanticEqual } from '../../../../lib/json/equality.js';
import type { ServiceSpec } from '../../../../api/kubernetes/core.js';
import { isElsewhere, needsHealthCheck } from './service-facts.js';

/** Copies the address of a new service to the plural field. */
export function pluralAddress(spec: ServiceSpec): void {
  if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
}

const takesNodePorts = (spec: Readonly<ServiceSpec>): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

/** Changes `spec` in place, but not `old`. */
export function adoptAllocated(spec: ServiceSpec, old: Readonly<ServiceSpec>): void {
  if (!isElsewhere(spec) && !isElsewhere(old)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (!spec.clusterIPs?.length && old.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs];
  }
  if (takesNodePorts(old) && takesNodePorts(spec)) adoptNodePorts(spec, old);
  if (needsHealthCheck(old) && needsHealthCheck(spec) && !spec.healthCheckNodePort && old.healthCheckNodePort)
    spec.healthCheckNodePort = old.healthCheckNodePort;
  followFirst(spec, old);
}

/** Matches by the names of ports, unless another port has taken the number. */
function adoptNodePorts(spec: ServiceSpec, old: Readonly<ServiceSpec>): void {
  const before = new Map((old.ports ?? []).map(port => [port.name ?? '', port.nodePort ?? 0]));
  const numbers = new Set(before.values());
  const taken = new Set((spec.ports ?? []).map(port => port.nodePort ?? 0).filter(number => numbers.has(number)));
  for (const port of spec.ports ?? []) {
    const number = before.get(port.name ?? '') ?? 0;
    if (!port.nodePort && number !== 0 && !taken.has(number)) port.nodePort = number;
  }
}

/** Clients that use only the singular field change the plural one with it. */
function followFirst(spec: ServiceSpec, old: Readonly<ServiceSpec>): void {
  const [now, before] = [spec.clusterIP ?? '', old.clusterIP ?? ''];
  if (now === before) {
    if (!spec.clusterIPs?.length && old.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs];
    return;
  }
  if (!semanticEqual(spec.clusterIPs, old.clusterIPs)) return;
  if (now === '') delete spec.clusterIPs;
  else spec.clusterIPs = [now];
}
