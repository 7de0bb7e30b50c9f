/** Evaluates a Pod Security Standard for a pod. */
// as pod-security-admission/policy
import type { PodSpec } from '../../../api/kubernetes/core.js';
import {
  appArmorProfileCheck,
  capabilities,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbes,
  privileged,
  procMount,
  seLinuxOptions,
  seccompAnnotations,
  seccompProfile,
  sysctlsCheck,
  windowsHostProcess,
} from './baseline.js';
import type { Annotated, Check, Violation } from './check.js';
import type { LevelVersion } from './policy.js';
import {
  allowPrivilegeEscalation,
  chosenSeccompProfile,
  droppedCapabilities,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  unlessUserNamespace,
  unlessWindows,
} from './restricted.js';

interface Revision {
  /** Minor version from which the revision applies. */
  readonly since: number;
  readonly check: Check;
  /** Id of the baseline check that it replaces. */
  readonly overrides?: string;
}

type CheckTable = Readonly<Record<string, readonly Revision[]>>;

const firstSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const sysctls27 = [...firstSysctls, 'net.ipv4.ip_local_reserved_ports'];
const sysctls29 = [
  ...sysctls27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const sysctls32 = [...sysctls29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

/** The checks in the order in which violations are reported. */
const baseline: CheckTable = {
  appArmorProfile: [{ since: 0, check: appArmorProfileCheck }],
  capabilities_baseline: [{ since: 0, check: capabilities }],
  hostNamespaces: [{ since: 0, check: hostNamespaces }],
  hostPathVolumes: [{ since: 0, check: hostPathVolumes }],
  hostPorts: [{ since: 0, check: hostPorts }],
  hostProbesAndHostLifecycle: [{ since: 34, check: hostProbes }],
  privileged: [{ since: 0, check: privileged }],
  procMount: [
    { since: 0, check: procMount },
    { since: 35, check: unlessUserNamespace(procMount) },
  ],
  seLinuxOptions: [
    { since: 0, check: seLinuxOptions() },
    { since: 31, check: seLinuxOptions('container_engine_t') },
  ],
  seccompProfile_baseline: [
    { since: 0, check: seccompAnnotations },
    { since: 19, check: seccompProfile },
  ],
  sysctls: [
    { since: 0, check: sysctlsCheck(firstSysctls) },
    { since: 27, check: sysctlsCheck(sysctls27) },
    { since: 29, check: sysctlsCheck(sysctls29) },
    { since: 32, check: sysctlsCheck(sysctls32) },
  ],
  windowsHostProcess: [{ since: 0, check: windowsHostProcess }],
};

const restricted: CheckTable = {
  allowPrivilegeEscalation: [
    { since: 8, check: allowPrivilegeEscalation },
    { since: 25, check: unlessWindows(allowPrivilegeEscalation) },
  ],
  capabilities_restricted: [
    { since: 22, check: droppedCapabilities, overrides: 'capabilities_baseline' },
    { since: 25, check: unlessWindows(droppedCapabilities), overrides: 'capabilities_baseline' },
  ],
  procMount_restricted: [{ since: 35, check: procMount, overrides: 'procMount' }],
  restrictedVolumes: [{ since: 0, check: restrictedVolumes, overrides: 'hostPathVolumes' }],
  runAsNonRoot: [
    { since: 0, check: runAsNonRoot },
    { since: 35, check: unlessUserNamespace(runAsNonRoot) },
  ],
  runAsUser: [
    { since: 23, check: runAsUser },
    { since: 35, check: unlessUserNamespace(runAsUser) },
  ],
  seccompProfile_restricted: [
    { since: 19, check: chosenSeccompProfile, overrides: 'seccompProfile_baseline' },
    { since: 25, check: unlessWindows(chosenSeccompProfile), overrides: 'seccompProfile_baseline' },
  ],
};

const revisionAt = (revisions: readonly Revision[], minor: number): Revision | undefined =>
  revisions.findLast(({ since }) => since <= minor);

function checksOf({ level, version }: LevelVersion): readonly Check[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? Infinity : version;
  const added = Object.values(level === 'restricted' ? restricted : {}).map(all => revisionAt(all, minor));
  const overridden = new Set(added.map(revision => revision?.overrides));
  const basic = Object.entries(baseline)
    .filter(([id]) => !overridden.has(id))
    .map(([, all]) => revisionAt(all, minor));
  return [...basic, ...added].flatMap(revision => revision?.check ?? []);
}

/** Returns the violations of a standard by a pod. */
export function violations(standard: LevelVersion, spec: PodSpec, metadata: Annotated): readonly Violation[] {
  return checksOf(standard)
    .map(check => check(spec, metadata))
    .filter(violation => violation !== undefined);
}

/** Returns a text like `privileged (container "c" must not set securityContext.privileged=true), hostPort (…)`. */
export const detailsText = (all: readonly Violation[]): string =>
  all.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');

/** Returns a text like `privileged, hostPort`. */
export const reasonsText = (all: readonly Violation[]): string => all.map(({ reason }) => reason).join(', ');
