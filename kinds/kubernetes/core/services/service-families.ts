/** Determines the IP families of a service, and the family policy. */
// as pkg/registry/core/service/storage initIPFamilyFields
import type { Fault } from '../../../../apimachinery/interface.js';
import { semanticEqual } from '../../../../lib/json/equality.js';
import { Field, faultsOf } from '../../../shared/rules/field.js';
import type { Service, ServiceSpec } from '../../../../api/kubernetes/core.js';
import { isElsewhere } from './service-facts.js';
import { clusterIps, familyOf } from './service-ip-rules.js';

const isNowhere = (spec: ServiceSpec): boolean =>
  spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;

/** Reports whether the addresses are unchanged and the policy only prefers dual-stack. */
export function staysDualByPreference(spec: ServiceSpec, old: Readonly<ServiceSpec> | undefined): boolean {
  if (!old || old.type !== spec.type || isElsewhere(spec) || spec.ipFamilyPolicy !== 'PreferDualStack') return false;
  if ((old.ipFamilyPolicy ?? 'PreferDualStack') !== 'PreferDualStack') return false;
  return semanticEqual(old.clusterIPs, spec.clusterIPs) && semanticEqual(old.ipFamilies, spec.ipFamilies);
}

/** Fills in the spec in place, and returns the errors. `configured`: the families that have ranges, the preferred one first. */
export function settleFamilies(
  spec: ServiceSpec,
  old: Readonly<ServiceSpec> | undefined,
  configured: readonly string[],
): Fault[] {
  if (isElsewhere(spec) || staysDualByPreference(spec, old)) return [];
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isNowhere(spec) ? 'RequireDualStack' : 'SingleStack');
  const faults = faultsOf<Service>({ spec }, root => clusterIps(root.at('spec'), old));
  if (faults.length > 0) return faults;
  const at = new Field(spec, 'spec', faults);
  if (old) release(at, spec, old);
  if (spec.ipFamilyPolicy === 'SingleStack') onlyOne(at);
  familiesOfIps(at, spec, configured);
  if (faults.length > 0) return faults;
  if (isNowhere(spec)) {
    bothFamilies(spec, configured, true);
    return [];
  }
  if (spec.ipFamilyPolicy === 'RequireDualStack' && configured.length < 2)
    at.at('ipFamilyPolicy').invalid('this cluster is not configured for dual-stack services');
  for (const family of at.at('ipFamilies').items())
    if (!configured.includes(family.value ?? '')) family.invalid('not configured on this cluster');
  if (faults.length === 0) bothFamilies(spec, configured, configured.length === 2);
  return faults;
}

/** A change back to one family releases the second address. */
function release(at: Field<ServiceSpec>, spec: ServiceSpec, old: Readonly<ServiceSpec>): void {
  const lists = ['clusterIPs', 'ipFamilies'] as const;
  for (const name of lists) {
    const [now, before] = [spec[name] ?? [], old[name] ?? []];
    if (spec.ipFamilyPolicy === 'SingleStack') {
      if (now.length > 1 && semanticEqual(now, before)) spec[name] = now.slice(0, 1);
    } else if (now.length > 0 && now.length < before.length) {
      const what = name === 'clusterIPs' ? 'cluster IP' : 'IP family';
      at.at('ipFamilyPolicy').invalid(`must be 'SingleStack' to release the secondary ${what}`);
    }
  }
}

function onlyOne(at: Field<ServiceSpec>): void {
  const report = (what: string): void =>
    at
      .at('ipFamilyPolicy')
      .invalid(`must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`);
  if (at.value?.clusterIPs?.length === 2) report('cluster IPs');
  if (at.value?.ipFamilies?.length === 2) report('IP families');
}

/** Requested addresses determine their families. */
function familiesOfIps(at: Field<ServiceSpec>, spec: ServiceSpec, configured: readonly string[]): void {
  for (const [i, ip] of at.at('clusterIPs').items().entries()) {
    if (ip.value === 'None') return;
    const family = familyOf(ip.value ?? '') ?? 'unknown';
    if (i < (spec.ipFamilies ?? []).length) continue;
    if (configured.includes(family)) (spec.ipFamilies ??= []).push(family);
    else ip.invalid(`${family} is not configured on this cluster`, spec.clusterIPs);
  }
}

/** `both`: a second family is available, if the policy wants one. */
function bothFamilies(spec: ServiceSpec, [first = 'IPv4']: readonly string[], both: boolean): void {
  if (!spec.ipFamilies?.length) spec.ipFamilies = [first];
  const [only] = spec.ipFamilies;
  if (both && spec.ipFamilies.length < 2 && spec.ipFamilyPolicy !== 'SingleStack')
    spec.ipFamilies = [only ?? first, only === 'IPv4' ? 'IPv6' : 'IPv4'];
}
