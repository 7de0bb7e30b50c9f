// as pkg/api/service GetWarningsForService
import { cidrWarnings, ipWarnings } from '../../../../apimachinery/net/ip.js';
import { type Warn, warnings } from '../../../shared/rules/warnings.js';
import type { Field } from '../../../shared/rules/field.js';
import type { Service, ServiceSpec } from '../../../../api/kubernetes/core.js';
import { isElsewhere, isHeadless } from './service-facts.js';
import { topologyAwareHintsAnnotation } from '../../../../api/kubernetes/well-known.js';

export const serviceWarnings = warnings<Service>((service, warn) => {
  const spec = service.at('spec');
  const hints = topologyAwareHintsAnnotation;
  if (service.value?.metadata.annotations?.[hints] !== undefined)
    warn(`annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  const first = spec.value?.clusterIP ?? '';
  if (first !== '' && first !== 'None') addresses(spec.at('clusterIPs'), warn);
  if (isHeadless(spec.value)) headless(spec, warn);
  addresses(spec.at('externalIPs'), warn);
  external(spec, warn);
});

function addresses(list: Field<string[]>, warn: Warn): void {
  for (const ip of list.items()) for (const text of ipWarnings(ip.path, ip.value ?? '')) warn(text);
}

function headless(spec: Field<ServiceSpec>, warn: Warn): void {
  const ignored = (field: string): void => warn(`spec.${field} is ignored for headless services`);
  if (!spec.at('loadBalancerIP').isEmpty) ignored('loadBalancerIP');
  if (!spec.at('externalIPs').isEmpty) ignored('externalIPs');
  if (spec.value?.sessionAffinity !== 'None') ignored('SessionAffinity');
}

function external(spec: Field<ServiceSpec>, warn: Warn): void {
  const elsewhere = isElsewhere(spec.value);
  const hasIps = !spec.at('externalIPs').isEmpty;
  if (hasIps && !isHeadless(spec.value) && !elsewhere)
    warn('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  const balancer = spec.at('loadBalancerIP');
  if (!balancer.isEmpty) for (const text of ipWarnings(balancer.path, balancer.value ?? '')) warn(text);
  for (const range of spec.at('loadBalancerSourceRanges').items())
    for (const text of cidrWarnings(range.path, range.value ?? '')) warn(text);
  if (elsewhere && hasIps) warn('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!elsewhere && !spec.at('externalName').isEmpty)
    warn('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.value?.trafficDistribution === 'PreferClose')
    warn('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
}
