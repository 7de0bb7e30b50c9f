/** Validates security contexts of pods and containers. */
// as pkg/apis/core/validation ValidateSecurityContext, validatePodSpecSecurityContext
import { checkGroupId, checkUserId } from '../../../../apimachinery/meta/names.js';
import type { Field } from '../../../shared/rules/field.js';
import { shownInternal } from '../../../shared/go-text/internal-json.js';
import { descendingPath } from '../../../shared/rules/path-rules.js';
import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
} from '../../../../api/kubernetes/core.js';
import type { PodOptions } from '../shared/pod-options.js';
import { windowsOptions } from './windows-rules.js';
import { oneOf } from '../../../shared/rules/one-of.js';

function id(field: Field<number>, check: (value: number) => readonly string[]): void {
  if (field.isSet) for (const text of check(field.value ?? 0)) field.invalid(text);
}

const procMounts = ['Default', 'Unmasked'];

/** `hostUsers`: the pod uses the user namespace of the host. */
export function securityContext(context: Field<SecurityContext>, hostUsers: boolean): void {
  if (!context.isSet) return;
  id(context.at('runAsUser'), checkUserId);
  id(context.at('runAsGroup'), checkGroupId);
  const mount = context.at('procMount');
  if (mount.isSet && !procMounts.includes(mount.value ?? '')) mount.notSupported(procMounts);
  if (mount.value === 'Unmasked' && hostUsers) mount.invalid('`hostUsers` must be false to use `Unmasked`');
  seccompProfile(context.at('seccompProfile'));
  if (context.value?.allowPrivilegeEscalation === false) escalation(context);
  windowsOptions(context.at('windowsOptions'));
  appArmorProfile(context.at('appArmorProfile'));
}

function escalation(context: Field<SecurityContext>): void {
  const shown = shownInternal('SecurityContext', context.value);
  if (context.value?.privileged)
    context.invalid('cannot set `allowPrivilegeEscalation` to false and `privileged` to true', shown);
  for (const capability of context.value?.capabilities?.add ?? [])
    if (capability === 'CAP_SYS_ADMIN')
      context.invalid('cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN', shown);
}

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function seccompProfile(profile: Field<SeccompProfile>): void {
  if (!profile.isSet) return;
  const type = profile.at('type');
  const path = profile.at('localhostProfile');
  if (type.isEmpty) type.required('type is required when seccompProfile is set');
  else if (!profileTypes.includes(type.value ?? '')) type.notSupported(profileTypes);
  if (type.value === 'Localhost') {
    if (path.isSet) descendingPath(path);
    else path.required('must be set when seccomp type is Localhost');
  } else if (path.isSet)
    path.invalid('can only be set when seccomp type is Localhost', shownInternal('SeccompProfile', profile.value));
}

const maxProfilePath = 4095;

/** Requires a type. Only the type Localhost names a profile, of the node. as pkg/apis/core/validation ValidateAppArmorProfileField */
export function appArmorProfile(profile: Field<AppArmorProfile>): void {
  if (!profile.isSet) return;
  const type = profile.at('type');
  const path = profile.at('localhostProfile');
  if (type.isEmpty) type.required('type is required when appArmorProfile is set');
  else if (!profileTypes.includes(type.value ?? '')) type.notSupported(profileTypes);
  else if (type.value !== 'Localhost') {
    if (path.isSet) path.invalid('can only be set when AppArmor type is Localhost');
  } else if (!path.isSet) path.required('must be set when AppArmor type is Localhost');
  else {
    const text = path.value ?? '';
    if (text.trim() !== text) path.invalid('must not be padded with whitespace');
    else if (text === '') path.required('must be set when AppArmor type is Localhost');
    if (text.length > maxProfilePath) path.tooLong(maxProfilePath);
  }
}

const groupChangePolicies = ['Always', 'OnRootMismatch'];
const groupsPolicies = ['Merge', 'Strict'];
const labelChangePolicies = ['MountOption', 'Recursive'];

/**
 * Checks what containers inherit, and settings of the Pod that are elsewhere in the spec, but belong to the context in errors.
 * as pkg/apis/core/validation validatePodSpecSecurityContext
 */
export function podSecurityContext(spec: Field<PodSpec>, options: PodOptions): void {
  const context: Field<PodSecurityContext> = spec.at('securityContext');
  id(context.at('fsGroup'), checkGroupId);
  id(context.at('runAsUser'), checkUserId);
  id(context.at('runAsGroup'), checkGroupId);
  for (const group of context.at('supplementalGroups').items()) id(group, checkGroupId);
  const share = spec.at('shareProcessNamespace').named(context, 'shareProcessNamespace');
  if (share.value && spec.value?.hostPID) share.invalid('ShareProcessNamespace and HostPID cannot both be enabled');
  sysctls(spec, options);
  oneOf(context.at('fsGroupChangePolicy'), groupChangePolicies);
  seccompProfile(context.at('seccompProfile'));
  windowsOptions(context.at('windowsOptions'));
  appArmorProfile(context.at('appArmorProfile'));
  oneOf(context.at('supplementalGroupsPolicy'), groupsPolicies);
  oneOf(context.at('seLinuxChangePolicy'), options.allowAllLabelChanges ? labelChangePolicies : ['Recursive']);
}

const maxSysctlLength = 253;
const segment = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const sysctlText = String.raw`^(${segment}[\./])*${segment}$`;
const sysctlForm = new RegExp(sysctlText);

/** Settings of interprocess communication. */
const ipcSettings: ReadonlySet<string> = new Set([
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
  'kernel.shm',
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.msg',
]);

/** Returns the kernel namespace of a setting, or of the part before its `*`. */
// as component-helpers/node/util/sysctl GetNamespace
function namespaceOf(name: string): 'net' | 'ipc' | undefined {
  const [dotted = ''] = withDots(name).split('*');
  if (ipcSettings.has(dotted) || dotted.startsWith('fs.mqueue.')) return 'ipc';
  return dotted.startsWith('net.') ? 'net' : undefined;
}

/** `net/ipv4/x` is `net.ipv4.x`; the first dot or slash determines the separator. */
function withDots(name: string): string {
  if (name.search(/[./]/) < 0 || name.charAt(name.search(/[./]/)) === '.') return name;
  return name.replace(/[./]/g, c => (c === '/' ? '.' : '/'));
}

/** Checks the kernel parameters. Those of a namespace that the Pod shares with the node are refused. as pkg/apis/core/validation validateSysctls */
export function sysctls(spec: Field<PodSpec>, options: PodOptions): void {
  const names = new Set<string>();
  for (const setting of spec.at('securityContext').at('sysctls').items()) {
    const field = setting.at('name');
    const name = field.value ?? '';
    if (name === '') field.required();
    else if (name.length > maxSysctlLength || !sysctlForm.test(name))
      field.invalid(`must have at most ${maxSysctlLength} characters and match regex ${sysctlText}`);
    else if (names.has(name)) field.duplicate();
    const namespace = namespaceOf(name);
    if (!options.allowHostSysctls && spec.value?.hostNetwork && namespace === 'net')
      field.invalid("may not be specified when 'hostNetwork' is true");
    else if (!options.allowHostSysctls && spec.value?.hostIPC && namespace === 'ipc')
      field.invalid("may not be specified when 'hostIPC' is true");
    names.add(name);
  }
}
