import { parseIp } from '../../../apimachinery/net/ip.js';
import type { Field } from '../../shared/rules/field.js';
import { dnsSubdomain } from '../../shared/rules/name-rules.js';

interface Status {
  readonly ingress?: { ip?: string; hostname?: string }[];
}

const isIp = (text: string): boolean => parseIp(text, { sloppy: true }) !== undefined;

/** Validates the addresses of a load balancer by the rules of Kubernetes 1.27. */
// as pkg/util/lifted ValidateLoadBalancerStatus
export function loadBalancer(status: Field<Status>): void {
  for (const ingress of status.at('ingress').items()) {
    const ip = ingress.at('ip');
    if (!ip.isEmpty && !isIp(ip.value ?? '')) ip.invalid('must be a valid IP address');
    const host = ingress.at('hostname');
    if (host.isEmpty) continue;
    dnsSubdomain(host);
    if (isIp(host.value ?? '')) host.invalid('must be a DNS name, not an IP address');
  }
}
