// as pkg/apis/networking/validation ValidateIngress*
import { parseIp } from '../../../openapi/meta/ip.js';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkPortName,
  checkWildcardDns1123Subdomain,
} from '../../../openapi/meta/names.js';
import type { Validate } from '../../interface.js';
import { balancerWarnings, loadBalancerHost } from '../core/load-balancer-rules.js';
import { type Field, annotationsOf, faultsOf } from '../shared/field.js';
import { legacyIp } from '../shared/ip-rules.js';
import { dnsSubdomain } from '../shared/name-rules.js';
import { portNumber } from '../shared/port-rules.js';
import { validate, validateChange } from '../shared/validate.js';
import { warningsOfNew } from '../shared/warnings.js';
import type { TypedLocalObjectReference } from '../types/core.js';
import type {
  HTTPIngressPath,
  HTTPIngressRuleValue,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressSpec,
} from '../types/networking.js';

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const badParts = ['//', '/./', '/../', '%2f', '%2F'];
const badEnds = ['/..', '/.'];

function pathOf(path: Field<HTTPIngressPath>): void {
  const type = path.at('pathType');
  const field = path.at('path');
  const text = field.value ?? '';
  if (!type.isSet) {
    type.required('pathType must be specified');
    return;
  }
  const isPlain = type.value === 'Exact' || type.value === 'Prefix';
  if (!pathTypes.includes(type.value ?? '')) type.notSupported(pathTypes);
  else if (!text.startsWith('/') && (isPlain || text !== '')) field.invalid('must be an absolute path', text);
  if (isPlain) {
    for (const part of badParts) if (text.includes(part)) field.invalid(`must not contain '${part}'`);
    for (const end of badEnds) if (text.endsWith(end)) field.invalid(`cannot end with '${end}'`);
  }
  backend(path.at('backend'));
}

function backend(field: Field<IngressBackend>): void {
  const { resource, service } = field.value ?? {};
  if (resource && service) field.invalid('cannot set both resource and service backends', '');
  else if (resource) resourceBackend(field.at('resource'));
  else if (service) serviceBackend(field);
  else field.invalid('resource or service backend is required', '');
}

/** The kind and the name of something. */
export function namedResource(field: Field<TypedLocalObjectReference>): void {
  if (field.at('apiGroup').isSet) dnsSubdomain(field.at('apiGroup'));
  for (const part of [field.at('kind'), field.at('name')]) {
    if (part.isEmpty) part.required();
    else part.check(checkPathSegmentName);
  }
}

const resourceBackend = namedResource;

function serviceBackend(field: Field<IngressBackend>): void {
  const service = field.at('service');
  const name = service.at('name');
  if (name.isEmpty) name.required();
  else name.check(checkDns1123Label);
  const [portName, number] = [service.at('port').at('name'), service.at('port').at('number')];
  if (!portName.isEmpty && !number.isEmpty) field.invalid('cannot set both port name & port number', '');
  else if (!portName.isEmpty) portName.check(checkPortName);
  else if (!number.isEmpty) portNumber(number);
  else field.required('port name or number is required');
}

function http(value: Field<HTTPIngressRuleValue>): void {
  if (!value.isSet) return;
  if (value.at('paths').isEmpty) value.at('paths').required();
  for (const path of value.at('paths').items()) pathOf(path);
}

const isWild = (host: string): boolean => host.includes('*');

function host(field: Field<string>): void {
  field.check(isWild(field.value ?? '') ? checkWildcardDns1123Subdomain : checkDns1123Subdomain);
}

function ruleOf(rule: Field<IngressRule>, forgivesWild: boolean): void {
  const name = rule.value?.host ?? '';
  if (parseIp(name, { sloppy: true })) rule.at('host').invalid('must be a DNS name, not an IP address');
  if (name !== '') host(rule.at('host'));
  if (!isWild(name) || !forgivesWild) http(rule.at('http'));
}

const badSecretName = (name: string | undefined): boolean => Boolean(name && checkDns1123Subdomain(name).length > 0);

/** Rules for wildcard hosts were not looked into once. */
function hadBadWildRule(old: Ingress | undefined): boolean {
  return (old?.spec?.rules ?? []).some(
    rule => isWild(rule.host ?? '') && faultsOf<IngressRule>(rule, root => http(root.at('http'))).length > 0,
  );
}

function tls(spec: Field<IngressSpec>, forgivesSecrets: boolean): void {
  for (const entry of spec.at('tls').items()) {
    for (const name of entry.at('hosts').items()) host(name);
    const secret = entry.at('secretName');
    if (!forgivesSecrets && badSecretName(secret.value)) dnsSubdomain(secret);
  }
}

function whole(ingress: Field<Ingress>, old: Ingress | undefined): void {
  const spec = ingress.at('spec');
  const rules = spec.at('rules');
  if (rules.isEmpty && !spec.at('defaultBackend').isSet)
    spec.invalid('either `defaultBackend` or `rules` must be specified', spec.value?.rules ?? null);
  if (spec.at('defaultBackend').isSet) backend(spec.at('defaultBackend'));
  const forgivesWild = hadBadWildRule(old);
  for (const rule of rules.items()) ruleOf(rule, forgivesWild);
  tls(spec, old?.spec?.tls?.some(entry => badSecretName(entry.secretName)) ?? false);
  if (spec.at('ingressClassName').isSet) dnsSubdomain(spec.at('ingressClassName'));
}

const classAnnotation = 'kubernetes.io/ingress.class';

export const ingressRules: readonly Validate[] = [
  validate<Ingress>((ingress, old) => {
    whole(ingress, old);
    const named = ingress.value?.spec?.ingressClassName;
    const annotation = annotationsOf(ingress).entry(classAnnotation);
    if (!old && annotation.isSet && named !== undefined && annotation.value !== named)
      annotation.as(`annotations.${classAnnotation}`).invalid('must match `ingressClassName` when both are specified');
  }),
];

export const ingressStatusRules: readonly Validate[] = [
  validateChange<Ingress>((ingress, old, context) => {
    const list = ingress.at('status').at('loadBalancer').at('ingress');
    const before = (old.status?.loadBalancer?.ingress ?? []).map(entry => entry.ip ?? '');
    for (const entry of list.items()) {
      if (!entry.at('ip').isEmpty) legacyIp(entry.at('ip'), before);
      loadBalancerHost(entry.at('hostname'));
    }
    balancerWarnings(list, context);
  }),
];

export const ingressWarnings = warningsOfNew<Ingress>((ingress, warn) => {
  if (annotationsOf(ingress).entry(classAnnotation).isSet && ingress.value?.spec?.ingressClassName === undefined)
    warn(`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`);
});
