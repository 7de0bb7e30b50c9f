/** Validates addresses of services and their families. */
// as pkg/apis/core/validation ValidateServiceClusterIPsRelatedFields, validateUpgradeDowngradeClusterIPs and -IPFamilies
import { isV4, parseIp } from '../../../../apimachinery/net/ip.js';
import type { Field } from '../../../shared/rules/field.js';
import { legacyIp } from '../../../shared/rules/ip-rules.js';
import type { ServiceSpec } from '../../../../api/kubernetes/core.js';
import { isElsewhere, isHeadless } from './service-facts.js';

const families = ['IPv4', 'IPv6'];
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** Returns undefined for a text that is not an address. */
export function familyOf(ip: string): 'IPv4' | 'IPv6' | undefined {
  const address = parseIp(ip, { sloppy: true });
  return address && (isV4(address) ? 'IPv4' : 'IPv6');
}

/**
 * Checks the addresses and their families. A Service of type ExternalName has none.
 * as pkg/apis/core/validation ValidateServiceClusterIPsRelatedFields
 */
export function clusterIps(spec: Field<ServiceSpec>, old: ServiceSpec | undefined): void {
  if (isElsewhere(spec.value)) return;
  const ips = spec.at('clusterIPs');
  const all = ips.value ?? [];
  firstIs(spec);
  familyNames(spec);
  const readable = ips.passes(() => eachIp(ips, old?.clusterIPs));
  if (all.length > 2) ips.invalid('may only hold up to 2 values');
  if (!readable) return;
  if (all.length > 1 && new Set(all.map(familyOf)).size < 2)
    ips.invalid('may specify no more than one IP for each IP family');
  if (!isHeadless(spec.value)) familiesMatch(spec);
}

function firstIs(spec: Field<ServiceSpec>): void {
  const ips = spec.at('clusterIPs');
  const first = spec.value?.clusterIP ?? '';
  if (first === '') {
    if (!ips.isEmpty) ips.invalid('must be empty when `clusterIP` is not specified');
  } else if (ips.isEmpty) ips.required();
  else if (ips.value?.[0] !== first) ips.invalid('first value must match `clusterIP`');
}

function familyNames(spec: Field<ServiceSpec>): void {
  const seen = new Set<string>();
  for (const family of spec.at('ipFamilies').items()) {
    const name = family.value ?? '';
    if (!families.includes(name)) family.notSupported(families);
    if (seen.has(name)) family.duplicate();
    seen.add(name);
  }
  const policy = spec.at('ipFamilyPolicy');
  if (policy.isSet && !policies.includes(policy.value ?? '')) policy.notSupported(policies);
}

function eachIp(ips: Field<string[]>, old: readonly string[] | undefined): void {
  const all = ips.items();
  for (const [i, ip] of all.entries()) {
    if (i > 0 || ip.value !== 'None') legacyIp(ip, old);
    else if (all.length > 1) ips.invalid("'None' must be the first and only value");
  }
}

function familiesMatch(spec: Field<ServiceSpec>): void {
  const named = spec.value?.ipFamilies ?? [];
  for (const [i, ip] of spec.at('clusterIPs').items().entries()) {
    const family = named[i];
    if (family !== undefined && families.includes(family) && familyOf(ip.value ?? '') !== family)
      ip.invalid(`expected an ${family} value as indicated by \`ipFamilies[${i}]\``);
  }
}

const frozen = 'may not change once set';

/** A service may get a second address, and lose it again; the first one is immutable. */
export function clusterIpChanges(spec: Field<ServiceSpec>, old: ServiceSpec): void {
  if (isElsewhere(spec.value) || isElsewhere(old) || (isHeadless(spec.value) && isHeadless(old))) return;
  const ips = spec.at('clusterIPs');
  const [next, before] = [ips.value ?? [], old.clusterIPs ?? []];
  const report = (i: number, text: string): void => ips.as(`${ips.path}[${i}]`).invalid(text, ips.value ?? null);
  if (next.length === before.length) {
    before.forEach((ip, i) => {
      if (ip !== next[i]) report(i, frozen);
    });
    return;
  }
  if (next.length === 0) report(0, 'primary clusterIP can not be unset');
  else if (before.length > 0 && next[0] !== before[0]) report(0, frozen);
  if (next.length === 1 && before.length > 1) releasing(spec, 'clusterIP');
}

/**
 * Checks changes of the families of a Service that has addresses: the first one stays.
 * as pkg/apis/core/validation validateUpgradeDowngradeIPFamilies
 */
export function ipFamilyChanges(spec: Field<ServiceSpec>, old: ServiceSpec): void {
  if (isElsewhere(spec.value) || isElsewhere(old) || isHeadless(spec.value) || isHeadless(old)) return;
  const families = spec.at('ipFamilies');
  const [next, before] = [families.value ?? [], old.ipFamilies ?? []];
  const first = families.as(`${families.path}[0]`);
  if (next.length === before.length) {
    before.forEach((family, i) => {
      if (family !== next[i]) first.invalid(frozen, families.value ?? null);
    });
    return;
  }
  // The lists that are checked and shown are upstream's.
  const addresses = spec.value?.clusterIPs ?? null;
  if (next.length < before.length && (addresses ?? []).length === 0)
    first.invalid('primary ipFamily can not be unset', families.value ?? null);
  if (before.length > 0 && next.length > 0 && next[0] !== before[0]) first.invalid(frozen, addresses);
  if (next.length === 1 && before.length > 1) releasing(spec, 'ipFamily');
}

function releasing(spec: Field<ServiceSpec>, what: string): void {
  const policy = spec.at('ipFamilyPolicy');
  if (policy.value !== 'SingleStack')
    policy.invalid(`must be set to 'SingleStack' when releasing the secondary ${what}`);
}
