// as pkg/apis/core/validation ValidateLoadBalancerStatus
import { parseIp } from '../../../../apimachinery/net/ip.js';
import { ipWarnings } from '../../../../apimachinery/net/ip.js';
import type { StrategyContext, Validate } from '../../../../registry/interface.js';
import type { Field } from '../../../shared/rules/field.js';
import { legacyIp } from '../../../shared/rules/ip-rules.js';
import { dnsSubdomain } from '../../../shared/rules/name-rules.js';
import { validateChange } from '../../../shared/rules/validate.js';
import type { LoadBalancerIngress, Service } from '../../../../api/kubernetes/core.js';

const modes = ['Proxy', 'VIP'];

function ingressOf(ingress: Field<LoadBalancerIngress>, old: readonly string[]): void {
  const ip = ingress.at('ip');
  const mode = ingress.at('ipMode');
  if (!ip.isEmpty) legacyIp(ip, old);
  if (!mode.isSet) {
    if (!ip.isEmpty) mode.required('must be specified when `ip` is set');
  } else if (ip.isEmpty) mode.forbidden('may not be specified when `ip` is not set');
  else if (!modes.includes(mode.value ?? '')) mode.notSupported(modes);
  loadBalancerHost(ingress.at('hostname'));
}

/** Checks a host name; addresses have their own field. */
export function loadBalancerHost(host: Field<string>): void {
  if (host.isEmpty) return;
  dnsSubdomain(host);
  if (parseIp(host.value ?? '', { sloppy: true })) host.invalid('must be a DNS name, not an IP address');
}

/** Warns about the addresses of a load balancer. */
export function balancerWarnings(list: Field<readonly { readonly ip?: string }[]>, context: StrategyContext): void {
  for (const ingress of list.items())
    if (ingress.value?.ip) for (const text of ipWarnings(ingress.path, ingress.value.ip)) context.warn(text);
}

export const serviceStatusRules: readonly Validate[] = [
  validateChange<Service>((service, old, context) => {
    const list = service.at('status').at('loadBalancer').at('ingress');
    const before = (old.status?.loadBalancer?.ingress ?? []).map(ingress => ingress.ip ?? '');
    if (service.value?.spec?.type === 'LoadBalancer') for (const ingress of list.items()) ingressOf(ingress, before);
    else if (!list.isEmpty) list.forbidden("may only be used when `spec.type` is 'LoadBalancer'");
    balancerWarnings(list, context);
  }),
];
