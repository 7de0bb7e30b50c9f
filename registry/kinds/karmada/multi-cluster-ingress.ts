/** MultiClusterIngress as it is written (inventory ADM-17). The rules are those of Ingresses of Kubernetes 1.27. */
import type { KubeObject } from '../../../openapi/interface.js';
import { parseIp } from '../../../openapi/meta/ip.js';
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkPortName,
  checkWildcardDns1123Subdomain,
} from '../../../openapi/meta/names.js';
import { metadataFaults, metadataUpdateFaults } from '../../strategy/metadata.js';
import { namesOf } from '../../strategy/strategy.js';
import type { Field } from '../shared/field.js';
import { dnsSubdomain } from '../shared/name-rules.js';
import { portNumber } from '../shared/port-rules.js';
import type { TypedLocalObjectReference } from '../types/core.js';
import type {
  HTTPIngressPath,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressStatus,
  IngressTLS,
} from '../types/networking.js';
import { loadBalancer } from './load-balancer-rules.js';
import { refusalOf } from './refusal.js';
import type { Judge } from './rules.js';

export interface MultiClusterIngress extends KubeObject {
  spec?: IngressSpec;
  status?: IngressStatus;
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const badSequences = ['//', '/./', '/../', '%2f', '%2F'];
const badEnds = ['/..', '/.'];

function host(field: Field<string>): void {
  field.check(field.value?.includes('*') ? checkWildcardDns1123Subdomain : checkDns1123Subdomain);
}

function servicePort(backend: Field<IngressBackend>, service: Field<IngressServiceBackend>): void {
  const name = service.at('port').at('name');
  const number = service.at('port').at('number');
  if (!name.isEmpty && !number.isEmpty) backend.invalid('cannot set both port name & port number', '');
  else if (!name.isEmpty) name.check(checkPortName);
  else if (!number.isEmpty) portNumber(number);
  else backend.required('port name or number is required');
}

function resourceBackend(reference: Field<TypedLocalObjectReference>): void {
  const group = reference.at('apiGroup');
  if (group.isSet) dnsSubdomain(group);
  for (const field of ['kind', 'name'] as const) {
    const part = reference.at(field);
    if (part.isEmpty) part.required(`${field} is required`);
    else part.check(checkPathSegmentName);
  }
}

function backend(field: Field<IngressBackend>): void {
  const resource = field.at('resource');
  const service = field.at('service');
  if (resource.isSet && service.isSet) return field.invalid('cannot set both resource and service backends', '');
  if (resource.isSet) return resourceBackend(resource);
  if (!service.isSet) return field.invalid('resource or service backend is required', '');
  const name = service.at('name');
  if (name.isEmpty) name.required();
  else name.check(checkDns1035Label);
  servicePort(field, service);
}

function httpPath(path: Field<HTTPIngressPath>): void {
  const type = path.at('pathType');
  if (!type.isSet) return type.required('pathType must be specified');
  const at = path.at('path');
  const text = at.value ?? '';
  if (!pathTypes.includes(type.value ?? '')) type.notSupported(pathTypes);
  else {
    const mayBeEmpty = type.value === 'ImplementationSpecific';
    if (!text.startsWith('/') && !(mayBeEmpty && text === '')) at.invalid('must be an absolute path', text);
    if (!mayBeEmpty) {
      for (const bad of badSequences) if (text.includes(bad)) at.invalid(`must not contain '${bad}'`);
      for (const bad of badEnds) if (text.endsWith(bad)) at.invalid(`cannot end with '${bad}'`);
    }
  }
  backend(path.at('backend'));
}

function ingressRule(rule: Field<IngressRule>): void {
  const at = rule.at('host');
  if (!at.isEmpty) {
    if (parseIp(at.value ?? '', { sloppy: true })) at.invalid('must be a DNS name, not an IP address');
    host(at);
  }
  const http = rule.at('http');
  if (!http.isSet) return;
  if (http.at('paths').isEmpty) http.at('paths').required();
  for (const path of http.at('paths').items()) httpPath(path);
}

function tls(entry: Field<IngressTLS>): void {
  for (const each of entry.at('hosts').items()) host(each);
  const secret = entry.at('secretName');
  if (!secret.isEmpty) dnsSubdomain(secret);
}

// as pkg/util/lifted ValidateIngressSpec
function ingressSpec(spec: Field<IngressSpec>): void {
  const rules = spec.at('rules');
  const fallback = spec.at('defaultBackend');
  if (rules.isEmpty && !fallback.isSet)
    spec.invalid('either `defaultBackend` or `rules` must be specified', rules.value ?? null);
  if (fallback.isSet) backend(fallback);
  for (const rule of rules.items()) ingressRule(rule);
  for (const entry of spec.at('tls').items()) tls(entry);
  const name = spec.at('ingressClassName');
  if (name.isSet) dnsSubdomain(name);
}

export const judgeMultiClusterIngress: Judge<MultiClusterIngress> = (object, old) =>
  refusalOf<MultiClusterIngress>(object, root => {
    if (old) root.add(...metadataUpdateFaults(object.metadata, old.metadata));
    root.add(...metadataFaults(object.metadata, { namespaced: true, nameFaults: namesOf(checkDns1123Subdomain) }));
    ingressSpec(root.at('spec'));
    if (old) loadBalancer(root.at('status').at('loadBalancer'));
  });
