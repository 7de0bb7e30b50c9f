// as pkg/apis/core/validation ValidateServiceCreate, ValidateServiceUpdate
import { labelFaults } from '../../../../apimachinery/selectors/label-faults.js';
import { checkDns1123Subdomain } from '../../../../apimachinery/meta/names.js';
import type { Validate } from '../../../../registry/interface.js';
import { Field, annotationsOf } from '../../../shared/rules/field.js';
import { legacyCidr, legacyIp } from '../../../shared/rules/ip-rules.js';
import { dnsLabel, qualifiedName } from '../../../shared/rules/name-rules.js';
import { portNumber, portNumberOrName } from '../../../shared/rules/port-rules.js';
import { validate, validateChange } from '../../../shared/rules/validate.js';
import type { Service, ServicePort, ServiceSpec, SessionAffinityConfig } from '../../../../api/kubernetes/core.js';
import { endpointIp } from './endpoint-rules.js';
import { clusterIps, clusterIpChanges, ipFamilyChanges } from './service-ip-rules.js';
import { isBalanced, isElsewhere, isHeadless, isReachable, needsHealthCheck } from './service-facts.js';
import { PrintedValue } from '../../../../apimachinery/errors/faults.js';
import { goJson } from '../../../../lib/go/go-text.js';
import { topologyAwareHintsAnnotation } from '../../../../api/kubernetes/well-known.js';

const affinities = ['ClientIP', 'None'];
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const trafficPolicies = ['Cluster', 'Local'];
const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const topologyMode = 'service.kubernetes.io/topology-mode';
const sourceRanges = 'service.beta.kubernetes.io/load-balancer-source-ranges';

function whole(service: Field<Service>, old: Service | undefined): void {
  const spec = service.at('spec');
  topology(service);
  if (spec.at('ports').isEmpty && !isHeadless(spec.value) && !isElsewhere(spec.value)) spec.at('ports').required();
  ofType(spec);
  ports(spec);
  const selector = spec.at('selector');
  selector.add(...labelFaults(selector.value, selector));
  affinity(spec);
  clusterIps(spec, old?.spec);
  for (const ip of spec.at('externalIPs').items())
    if (ip.passes(() => legacyIp(ip, old?.spec?.externalIPs))) endpointIp(ip);
  const type = spec.at('type');
  if (type.isEmpty) type.required();
  else if (!types.includes(type.value ?? '')) type.notSupported(types);
  nodePorts(spec);
  twicePorts(spec);
  balancing(service, old);
  traffic(spec);
}

function topology(service: Field<Service>): void {
  const annotations = annotationsOf(service);
  const mode = annotations.entry(topologyMode);
  const hints = annotations.entry(topologyAwareHintsAnnotation);
  if (mode.isSet && hints.isSet && mode.value !== hints.value)
    mode.invalid(`must match annotations[${topologyAwareHintsAnnotation}] when both are specified`);
}

function ofType(spec: Field<ServiceSpec>): void {
  const type = spec.value?.type ?? '';
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec.value))
    spec.at('clusterIPs').items()[0]?.invalid(`may not be set to 'None' for ${type} services`);
  if (type !== 'ExternalName') return;
  for (const name of ['clusterIPs', 'ipFamilies'] as const)
    if (!spec.at(name).isEmpty) spec.at(name).forbidden('may not be set for ExternalName services');
  if (spec.at('ipFamilyPolicy').isSet) spec.at('ipFamilyPolicy').forbidden('may not be set for ExternalName services');
  const external = spec.at('externalName');
  const host = (external.value ?? '').replace(/\.$/, '');
  if (host === '') external.required();
  else for (const text of checkDns1123Subdomain(host)) external.invalid(text, host);
}

function ports(spec: Field<ServiceSpec>): void {
  const names = new Set<string>();
  const all = spec.at('ports').items();
  for (const port of all) {
    const name = port.at('name');
    if (name.isEmpty) {
      if (all.length > 1) name.required();
    } else {
      dnsLabel(name);
      if (names.has(name.value ?? '')) name.duplicate();
      names.add(name.value ?? '');
    }
    portNumber(port.at('port'));
    const protocol = port.at('protocol');
    if (protocol.isEmpty) protocol.required();
    else if (!protocols.includes(protocol.value ?? '')) protocol.notSupported(protocols);
    portNumberOrName(port.at('targetPort'));
    if (port.at('appProtocol').isSet) qualifiedName(port.at('appProtocol'));
  }
}

const maxAffinitySeconds = 86_400;

function affinity(spec: Field<ServiceSpec>): void {
  const kind = spec.at('sessionAffinity');
  const config = spec.at('sessionAffinityConfig');
  if (kind.isEmpty) kind.required();
  else if (!affinities.includes(kind.value ?? '')) kind.notSupported(affinities);
  if (kind.value === 'ClientIP') affinityConfig(config);
  else if (kind.value === 'None' && config.isSet) config.forbidden('must not be set when session affinity is None');
}

function affinityConfig(config: Field<SessionAffinityConfig>): void {
  const client = config.at('clientIP');
  const timeout = client.at('timeoutSeconds');
  const missing = [config, client, timeout].find(field => !field.isSet);
  if (missing) missing.required('when session affinity type is ClientIP');
  else if ((timeout.value ?? 0) <= 0 || (timeout.value ?? 0) > maxAffinitySeconds)
    timeout.invalid(`must be greater than 0 and less than ${maxAffinitySeconds}`);
}

function nodePorts(spec: Field<ServiceSpec>): void {
  const all = spec
    .at('ports')
    .items()
    .filter(port => port.value?.nodePort);
  if (spec.value?.type === 'ClusterIP')
    for (const port of all) port.at('nodePort').forbidden("may not be used when `type` is 'ClusterIP'");
  const seen = new Set<string>();
  for (const port of all) {
    const key = `${port.value?.protocol}/${port.value?.nodePort}`;
    if (seen.has(key)) port.at('nodePort').duplicate();
    seen.add(key);
  }
}

function twicePorts(spec: Field<ServiceSpec>): void {
  const seen = new Set<string>();
  for (const port of spec.at('ports').items()) {
    const { protocol = '', port: number = 0 } = port.value ?? {};
    const key = `${protocol}/${number}`;
    if (seen.has(key)) port.duplicate(keyOf(protocol, number));
    seen.add(key);
  }
}

/** Returns a port as Go prints it if only these fields are set. */
function keyOf(protocol: string, port: number): PrintedValue {
  const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
  return new PrintedValue(goJson(shown satisfies Record<Capitalize<keyof ServicePort>, unknown>));
}

const onlyBalanced = "may only be used when `type` is 'LoadBalancer'";

function balancing(service: Field<Service>, old: Service | undefined): void {
  const spec = service.at('spec');
  const balanced = isBalanced(spec.value);
  sources(service, old);
  const allocate = spec.at('allocateLoadBalancerNodePorts');
  if (allocate.isSet && !balanced) allocate.forbidden(onlyBalanced);
  // The path is upstream's.
  if (balanced && !allocate.isSet) allocate.as('allocateLoadBalancerNodePorts').required();
  balancerClass(spec);
}

function balancerClass(spec: Field<ServiceSpec>): void {
  const field = spec.at('loadBalancerClass');
  if (!field.isSet) return;
  if (isBalanced(spec.value)) qualifiedName(field);
  else field.forbidden(onlyBalanced);
}

function sources(service: Field<Service>, old: Service | undefined): void {
  const spec = service.at('spec');
  const ranges = spec.at('loadBalancerSourceRanges').named(spec, 'LoadBalancerSourceRanges');
  const annotations = annotationsOf(service);
  const annotation = annotations.entry(sourceRanges);
  const trimmed = (field: Field<string>, text: string): Field<string> =>
    new Field(text.trim(), field.path, field.faults);
  if (!ranges.isEmpty) {
    if (!isBalanced(spec.value)) ranges.forbidden(onlyBalanced);
    const before = (old?.spec?.loadBalancerSourceRanges ?? []).map(range => range.trim());
    for (const range of ranges.items()) legacyCidr(trimmed(range, range.value ?? ''), before);
  } else if (annotation.isSet) {
    if (!isBalanced(spec.value)) annotation.forbidden(onlyBalanced);
    const text = (annotation.value ?? '').trim();
    if (text === '' || old?.metadata.annotations?.[sourceRanges] === annotation.value) return;
    for (const range of text.split(',')) legacyCidr(trimmed(annotation, range));
  }
}

function traffic(spec: Field<ServiceSpec>): void {
  const external = spec.at('externalTrafficPolicy');
  if (!isReachable(spec.value)) {
    if (!external.isEmpty) external.invalid('may only be set for externally-accessible services');
  } else if (external.isEmpty) external.required();
  else if (!trafficPolicies.includes(external.value ?? '')) external.notSupported(trafficPolicies);
  const health = spec.at('healthCheckNodePort');
  if (!needsHealthCheck(spec.value)) {
    if (!health.isEmpty)
      health.invalid("may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
  } else if (health.isEmpty) health.required();
  else portNumber(health);
  const internal = spec.at('internalTrafficPolicy');
  if (internal.isSet) {
    if (!trafficPolicies.includes(internal.value ?? '')) internal.notSupported(trafficPolicies);
  } else if (['NodePort', 'LoadBalancer', 'ClusterIP'].includes(spec.value?.type ?? '')) internal.required();
  const distribution = spec.at('trafficDistribution');
  if (distribution.isSet && !distributions.includes(distribution.value ?? '')) distribution.notSupported(distributions);
}

export const serviceRules: readonly Validate[] = [validate<Service>(whole)];

export const serviceChangeRules: readonly Validate[] = [
  validateChange<Service>((service, old) => {
    const spec = service.at('spec');
    clusterIpChanges(spec, old.spec ?? {});
    ipFamilyChanges(spec, old.spec ?? {});
    const balancer = spec.at('loadBalancerClass');
    if (isBalanced(spec.value) && isBalanced(old.spec) && balancer.value !== old.spec?.loadBalancerClass)
      balancer.invalid('may not change once set');
    balancerClass(spec);
    const health = spec.at('healthCheckNodePort');
    if (needsHealthCheck(old.spec) && needsHealthCheck(spec.value) && health.value !== old.spec?.healthCheckNodePort)
      health.forbidden('field is immutable');
  }),
  ...serviceRules,
];
