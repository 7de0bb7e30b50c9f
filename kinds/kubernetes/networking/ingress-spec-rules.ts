/** Validates specs of Ingresses, also in the kinds that Karmada derived from them. */
// as pkg/apis/networking/validation ValidateIngressSpec
import { parseIp } from '../../../apimachinery/net/ip.js';
import {
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkPortName,
  checkWildcardDns1123Subdomain,
} from '../../../apimachinery/meta/names.js';
import { type Field, faultsOf } from '../../shared/rules/field.js';
import { dnsSubdomain } from '../../shared/rules/name-rules.js';
import { portNumber } from '../../shared/rules/port-rules.js';
import type { TypedLocalObjectReference } from '../../../api/kubernetes/core.js';
import type {
  HTTPIngressPath,
  HTTPIngressRuleValue,
  IngressBackend,
  IngressRule,
  IngressSpec,
} from '../../../api/kubernetes/networking.js';

/** The differences between versions of Kubernetes. */
export interface IngressVersion {
  readonly serviceName: (name: string) => readonly string[];
  /** Returns the text for a missing part of a resource. */
  readonly missing: (part: 'kind' | 'name') => string;
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const badParts = ['//', '/./', '/../', '%2f', '%2F'];
const badEnds = ['/..', '/.'];

function pathOf(path: Field<HTTPIngressPath>, version: IngressVersion): void {
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
  backend(path.at('backend'), version);
}

function backend(field: Field<IngressBackend>, version: IngressVersion): void {
  const { resource, service } = field.value ?? {};
  if (resource && service) field.invalid('cannot set both resource and service backends', '');
  else if (resource) namedResource(field.at('resource'), version.missing);
  else if (service) serviceBackend(field, version);
  else field.invalid('resource or service backend is required', '');
}

/** Validates a reference with kind and name. */
export function namedResource(field: Field<TypedLocalObjectReference>, missing: IngressVersion['missing']): void {
  if (field.at('apiGroup').isSet) dnsSubdomain(field.at('apiGroup'));
  for (const name of ['kind', 'name'] as const) {
    const part = field.at(name);
    if (part.isEmpty) part.required(missing(name));
    else part.check(checkPathSegmentName);
  }
}

function serviceBackend(field: Field<IngressBackend>, version: IngressVersion): void {
  const service = field.at('service');
  const name = service.at('name');
  if (name.isEmpty) name.required();
  else name.check(version.serviceName);
  const [portName, number] = [service.at('port').at('name'), service.at('port').at('number')];
  if (!portName.isEmpty && !number.isEmpty) field.invalid('cannot set both port name & port number', '');
  else if (!portName.isEmpty) portName.check(checkPortName);
  else if (!number.isEmpty) portNumber(number);
  else field.required('port name or number is required');
}

function http(value: Field<HTTPIngressRuleValue>, version: IngressVersion): void {
  if (!value.isSet) return;
  if (value.at('paths').isEmpty) value.at('paths').required();
  for (const path of value.at('paths').items()) pathOf(path, version);
}

const isWild = (host: string): boolean => host.includes('*');

function host(field: Field<string>): void {
  field.check(isWild(field.value ?? '') ? checkWildcardDns1123Subdomain : checkDns1123Subdomain);
}

function ruleOf(rule: Field<IngressRule>, version: IngressVersion, forgivesWild: boolean): void {
  const name = rule.value?.host ?? '';
  if (parseIp(name, { sloppy: true })) rule.at('host').invalid('must be a DNS name, not an IP address');
  if (name !== '') host(rule.at('host'));
  if (!isWild(name) || !forgivesWild) http(rule.at('http'), version);
}

const badSecretName = (name: string | undefined): boolean => Boolean(name && checkDns1123Subdomain(name).length > 0);

/** Earlier versions did not validate rules for wildcard hosts. */
function hadBadWildRule(old: IngressSpec | undefined, version: IngressVersion): boolean {
  return (old?.rules ?? []).some(
    rule => isWild(rule.host ?? '') && faultsOf<IngressRule>(rule, root => http(root.at('http'), version)).length > 0,
  );
}

function tls(spec: Field<IngressSpec>, forgivesSecrets: boolean): void {
  for (const entry of spec.at('tls').items()) {
    for (const name of entry.at('hosts').items()) host(name);
    const secret = entry.at('secretName');
    if (!forgivesSecrets && badSecretName(secret.value)) dnsSubdomain(secret);
  }
}

/** `old`: its errors are accepted; undefined: no errors are accepted. */
export function ingressSpecRules(
  spec: Field<IngressSpec>,
  old: IngressSpec | undefined,
  version: IngressVersion,
): void {
  const rules = spec.at('rules');
  if (rules.isEmpty && !spec.at('defaultBackend').isSet)
    spec.invalid('either `defaultBackend` or `rules` must be specified', spec.value?.rules ?? null);
  if (spec.at('defaultBackend').isSet) backend(spec.at('defaultBackend'), version);
  const forgivesWild = hadBadWildRule(old, version);
  for (const rule of rules.items()) ruleOf(rule, version, forgivesWild);
  tls(spec, old?.tls?.some(entry => badSecretName(entry.secretName)) ?? false);
  if (spec.at('ingressClassName').isSet) dnsSubdomain(spec.at('ingressClassName'));
}
