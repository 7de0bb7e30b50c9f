/** Validates which fields Windows pods may have. */
// as pkg/apis/core/validation validateWindows*
import { checkDns1123Subdomain } from '../../../../apimachinery/meta/names.js';
import type { Field } from '../../../shared/rules/field.js';
import type { PodSpec, WindowsSecurityContextOptions } from '../../../../api/kubernetes/core.js';
import { containerFields } from './visit-containers.js';

const maxSpecKiB = 64;
const maxDomain = 256;
const maxUser = 104;

const control = /[\u0000-\u001f\u007f]/;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsPart = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const dnsDomain = new RegExp(`^${dnsPart}(?:\\.${dnsPart})*$`);
const badUserCharacters = /["/\\:;|=,+*?<>@[\]]/;
const onlyDotsAndSpaces = /^[. ]+$/;

/** Validates the Windows options of a Pod or a container. as pkg/apis/core/validation validateWindowsSecurityContextOptions */
export function windowsOptions(options: Field<WindowsSecurityContextOptions>): void {
  if (!options.isSet) return;
  const specName = options.at('gmsaCredentialSpecName');
  if (specName.isSet) specName.check(checkDns1123Subdomain);
  const spec = options.at('gmsaCredentialSpec');
  if (spec.value === '') spec.invalid('gmsaCredentialSpec cannot be an empty string');
  else if ((spec.value ?? '').length > maxSpecKiB * 1024)
    spec.invalid(`gmsaCredentialSpec size must be under ${maxSpecKiB} KiB`);
  if (options.at('runAsUserName').isSet) userName(options.at('runAsUserName'));
}

function userName(field: Field<string>): void {
  const name = field.value ?? '';
  const parts = name.split('\\');
  if (name === '') field.invalid('runAsUserName cannot be an empty string');
  else if (control.test(name)) field.invalid('runAsUserName cannot contain control characters');
  else if (parts.length > 2) field.invalid('runAsUserName cannot contain more than one backslash');
  else domainAndUser(field, parts.length === 2 ? parts[0] : undefined, parts.at(-1) ?? '');
}

function domainAndUser(field: Field<string>, domain: string | undefined, user: string): void {
  if ((domain ?? '').length >= maxDomain)
    field.invalid(`runAsUserName's Domain length must be under ${maxDomain} characters`);
  if (domain !== undefined && !netBios.test(domain) && !dnsDomain.test(domain))
    field.invalid("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  if (user === '') field.invalid("runAsUserName's User cannot be empty");
  else if (user.length > maxUser)
    field.invalid(`runAsUserName's User length must not be longer than ${maxUser} characters`);
  if (onlyDotsAndSpaces.test(user)) field.invalid("runAsUserName's User cannot contain only periods or spaces");
  if (badUserCharacters.test(user))
    field.invalid(String.raw`runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[]`);
}

/** Either all containers are host processes, or none. */
// as pkg/apis/core/validation validateWindowsHostProcessPod
export function hostProcess(spec: Field<PodSpec>): void {
  const ofPod = spec.value?.securityContext?.windowsOptions?.hostProcess;
  const containers = containerFields(spec);
  let count = 0;
  for (const container of containers) {
    const field = container.at('securityContext').at('windowsOptions').at('hostProcess');
    if (ofPod !== undefined && field.isSet && field.value !== ofPod)
      field.invalid(`pod hostProcess value must be identical if both are specified, was ${ofPod}`);
    if (field.value ?? ofPod) count++;
  }
  if (count === 0) return;
  if (count !== containers.length)
    spec.invalid('If pod contains any hostProcess containers then all containers must be HostProcess containers', '');
  if (!spec.value?.hostNetwork)
    spec.at('hostNetwork').invalid('hostNetwork must be true if pod contains any hostProcess containers', false);
}

const notForPods = [
  'appArmorProfile',
  'seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'shareProcessNamespace',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
] as const;
const ofTheHost: ReadonlySet<string> = new Set(['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace']);
const notForContainers = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;
/** For these fields Go's zero value means unset. */
const mayBeZero: ReadonlySet<string> = new Set(['hostPID', 'hostIPC', 'sysctls']);

/** Forbids what a Pod on Windows cannot have. as pkg/apis/core/validation validateWindows */
export function windowsPod(spec: Field<PodSpec>): void {
  const context = spec.at('securityContext') as Field<Record<string, unknown>>;
  for (const name of notForPods) {
    const field = ofTheHost.has(name) ? (spec as Field<Record<string, unknown>>).at(name) : context.at(name);
    if (mayBeZero.has(name) ? !field.isEmpty : field.isSet) field.forbidden('cannot be set for a windows pod');
  }
  for (const container of containerFields(spec)) {
    const own = container.at('securityContext');
    for (const name of notForContainers)
      if (own.at(name).isSet) own.at(name).forbidden('cannot be set for a windows pod');
  }
}

/** Forbids what a Pod on Linux cannot have. as pkg/apis/core/validation validateLinux */
export function linuxPod(spec: Field<PodSpec>): void {
  const text = 'windows options cannot be set for a linux pod';
  const ofPod = spec.at('securityContext').at('windowsOptions');
  if (ofPod.isSet) ofPod.forbidden(text);
  for (const container of containerFields(spec)) {
    const own = container.at('securityContext').at('windowsOptions');
    if (own.isSet) own.forbidden(text);
  }
}
