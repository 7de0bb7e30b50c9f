/** The checks of the baseline level, against known privilege escalations. */
// as pod-security-admission/policy
import { goQuote } from '../../../lib/go/go-text.js';
import type { PodSpec, SELinuxOptions, SecurityContext } from '../../../api/kubernetes/core.js';
import {
  type AnyContainer,
  anyContainersOf,
  containersWhere,
  counted,
  plural,
  quoted,
  podAndContainers,
  sorted,
} from './subjects.js';
import type { Check } from './check.js';
import { appArmorContainer, seccompContainer } from '../../../kinds/kubernetes/core/pod-spec/pod-annotation-rules.js';
import { seccompPodAnnotation } from '../../../api/kubernetes/well-known.js';

const security = ({ securityContext }: AnyContainer): SecurityContext => securityContext ?? {};

const defined = (values: readonly (string | undefined)[]): string[] => values.filter(value => value !== undefined);

/** Returns the pod or containers with a value that is not allowed, and these values. */
function badValues(
  spec: PodSpec,
  podValue: string | undefined,
  containerValue: (container: AnyContainer) => string | undefined,
  isGood: (value: string) => boolean,
): { readonly subject: string; readonly values: readonly string[] } {
  const isBad = (value: string | undefined): boolean => value !== undefined && !isGood(value);
  const subject = podAndContainers(
    isBad(podValue),
    containersWhere(spec, container => isBad(containerValue(container))),
  );
  return {
    subject,
    values: sorted(defined([podValue, ...anyContainersOf(spec).map(containerValue)]).filter(value => !isGood(value))),
  };
}

const goodAppArmor = new Set(['RuntimeDefault', 'Localhost']);

const isGoodAppArmorAnnotation = (value: string): boolean =>
  value === '' || value === 'runtime/default' || value.startsWith('localhost/');

/**
 * Refuses AppArmor profiles other than the runtime's and those of the node, in fields and in annotations.
 * as pod-security-admission/policy CheckAppArmorProfile
 */
export const appArmorProfileCheck: Check = (spec, { annotations = {} }) => {
  const { subject, values } = badValues(
    spec,
    spec.securityContext?.appArmorProfile && (spec.securityContext.appArmorProfile.type ?? ''),
    container => security(container).appArmorProfile && (security(container).appArmorProfile?.type ?? ''),
    type => goodAppArmor.has(type),
  );
  const notes = Object.entries(annotations)
    .filter(([name, value]) => name.startsWith(appArmorContainer) && !isGoodAppArmorAnnotation(value))
    .map(([name, value]) => `${name}=${goQuote(value)}`)
    .sort();
  const all = [subject, notes.length > 0 ? plural('annotation', 'annotations', notes.length) : ''].filter(Boolean);
  if (all.length === 0) return undefined;
  const bad = [...values, ...notes];
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', bad.length),
    detail: `${all.join(' and ')} must not set AppArmor profile type to ${quoted(bad)}`,
  };
};

const defaultCapabilities = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

/** Returns `containers "a", "b" must not include "X" in securityContext.capabilities.add`; '' if all are allowed. */
export function addedCapabilities(spec: PodSpec, isGood: (name: string) => boolean): string {
  const bad = (container: AnyContainer): string[] =>
    (security(container).capabilities?.add ?? []).filter(name => !isGood(name));
  const names = containersWhere(spec, container => bad(container).length > 0);
  if (names.length === 0) return '';
  const values = quoted(sorted(anyContainersOf(spec).flatMap(bad)));
  return `${counted('container', names)} must not include ${values} in securityContext.capabilities.add`;
}

/** Refuses capabilities that container runtimes do not give by default. as pod-security-admission/policy CheckCapabilitiesBaseline */
export const capabilities: Check = spec => {
  const detail = addedCapabilities(spec, name => defaultCapabilities.has(name));
  return detail === '' ? undefined : { reason: 'non-default capabilities', detail };
};

/** Refuses the network, process and IPC namespaces of the node. as pod-security-admission/policy CheckHostNamespaces */
export const hostNamespaces: Check = spec => {
  const set = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter(field => spec[field]);
  if (set.length === 0) return undefined;
  return { reason: 'host namespaces', detail: set.map(field => `${field}=true`).join(', ') };
};

/** Refuses volumes that are folders or files of the node. as pod-security-admission/policy CheckHostPathVolumes */
export const hostPathVolumes: Check = spec => {
  const names = (spec.volumes ?? []).filter(volume => volume.hostPath).map(({ name = '' }) => name);
  return names.length === 0 ? undefined : { reason: 'hostPath volumes', detail: counted('volume', names) };
};

/** Refuses ports of the node, other than 0, which means none. as pod-security-admission/policy CheckHostPorts */
export const hostPorts: Check = spec => {
  const portsOf = (container: AnyContainer): string[] =>
    (container.ports ?? []).filter(({ hostPort = 0 }) => hostPort !== 0).map(({ hostPort }) => String(hostPort));
  const names = containersWhere(spec, container => portsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const ports = sorted(anyContainersOf(spec).flatMap(portsOf));
  const uses = `${plural('uses', 'use', names.length)} ${plural('hostPort', 'hostPorts', ports.length)}`;
  return { reason: 'hostPort', detail: `${counted('container', names)} ${uses} ${ports.join(', ')}` };
};

/**
 * Refuses probes and lifecycle hooks that name a host: the kubelet, which makes these requests, reaches more than the Pod does.
 * as pod-security-admission/policy CheckHostProbesAndHostLifecycle
 */
export const hostProbes: Check = spec => {
  const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: AnyContainer): string[] =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(handler =>
      defined([handler?.httpGet?.host, handler?.tcpSocket?.host]).filter(host => host !== ''),
    );
  const names = sorted(containersWhere(spec, container => hostsOf(container).length > 0));
  if (names.length === 0) return undefined;
  const hosts = sorted(anyContainersOf(spec).flatMap(hostsOf));
  const what = plural('probe or lifecycle host', 'probe or lifecycle hosts', hosts.length);
  const detail = `${counted('container', names)} ${plural('uses', 'use', names.length)} ${what} ${quoted(hosts)}`;
  return { reason: 'probe or lifecycle host', detail };
};

/** Refuses privileged containers. as pod-security-admission/policy CheckPrivileged */
export const privileged: Check = spec => {
  const names = containersWhere(spec, container => security(container).privileged === true);
  if (names.length === 0) return undefined;
  return {
    reason: 'privileged',
    detail: `${counted('container', names)} must not set securityContext.privileged=true`,
  };
};

/** Refuses an unmasked /proc. as pod-security-admission/policy CheckProcMount */
export const procMount: Check = spec => {
  const { subject, values } = badValues(
    spec,
    undefined,
    container => security(container).procMount,
    value => value === 'Default',
  );
  if (subject === '') return undefined;
  return { reason: 'procMount', detail: `${subject} must not set securityContext.procMount to ${quoted(values)}` };
};

/** Checks the annotations that preceded the field. */
export const seccompAnnotations: Check = (spec, { annotations = {} }) => {
  const isGood = (value: string): boolean =>
    value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');
  const keys = [seccompPodAnnotation, ...anyContainersOf(spec).map(({ name = '' }) => seccompContainer + name)];
  const bad = sorted(
    keys.flatMap(name => {
      const value = annotations[name];
      return value === undefined || isGood(value) ? [] : [`${name}=${goQuote(value)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  const what = plural('annotation', 'annotations', bad.length);
  return { reason: 'seccompProfile', detail: `forbidden ${what} ${bad.join(', ')}` };
};

/** Reports whether a seccomp profile restricts system calls: every type but Unconfined does. */
export const isGoodSeccomp = (type: string): boolean => type === 'Localhost' || type === 'RuntimeDefault';

/** Refuses the seccomp profile Unconfined; a profile need not be set. as pod-security-admission/policy CheckSeccompBaseline */
export const seccompProfile: Check = spec => {
  const { subject, values } = badValues(
    spec,
    spec.securityContext?.seccompProfile && (spec.securityContext.seccompProfile.type ?? ''),
    container => security(container).seccompProfile && (security(container).seccompProfile?.type ?? ''),
    isGoodSeccomp,
  );
  if (subject === '') return undefined;
  const detail = `${subject} must not set securityContext.seccompProfile.type to ${quoted(values)}`;
  return { reason: 'seccompProfile', detail };
};

const firstTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

/** Returns the check; `more` are types that later versions allow. */
export const seLinuxOptions = (...more: readonly string[]): Check => {
  const good = new Set([...firstTypes, ...more]);
  const isBad = ({ type = '', user = '', role = '' }: SELinuxOptions): boolean =>
    !good.has(type) || user !== '' || role !== '';
  return spec => {
    const ofPod = spec.securityContext?.seLinuxOptions ?? {};
    const all = [ofPod, ...anyContainersOf(spec).map(container => security(container).seLinuxOptions ?? {})];
    const subject = podAndContainers(
      isBad(ofPod),
      containersWhere(spec, container => isBad(security(container).seLinuxOptions ?? {})),
    );
    if (subject === '') return undefined;
    const types = sorted(all.map(({ type = '' }) => type).filter(type => !good.has(type)));
    const what = [
      ...(types.length > 0 ? [counted('type', types)] : []),
      ...(all.some(({ user = '' }) => user !== '') ? ['user may not be set'] : []),
      ...(all.some(({ role = '' }) => role !== '') ? ['role may not be set'] : []),
    ];
    const detail = `${subject} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`;
    return { reason: 'seLinuxOptions', detail };
  };
};

/**
 * Returns a check that refuses sysctls other than `allowed`, which differ between versions of the standard.
 * as pod-security-admission/policy CheckSysctls
 */
export const sysctlsCheck = (allowed: readonly string[]): Check => {
  const good = new Set(allowed);
  return spec => {
    const bad = (spec.securityContext?.sysctls ?? []).map(({ name = '' }) => name).filter(name => !good.has(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };
};

/** Refuses processes on the Windows node itself. as pod-security-admission/policy CheckWindowsHostProcess */
export const windowsHostProcess: Check = spec => {
  const subject = podAndContainers(
    spec.securityContext?.windowsOptions?.hostProcess === true,
    containersWhere(spec, container => security(container).windowsOptions?.hostProcess === true),
  );
  if (subject === '') return undefined;
  return { reason: 'hostProcess', detail: `${subject} must not set securityContext.windowsOptions.hostProcess=true` };
};
