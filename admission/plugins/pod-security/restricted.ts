/** The checks that the restricted level adds. */
// as pod-security-admission/policy
import type { PodSpec, SecurityContext, Volume } from '../../../api/kubernetes/core.js';
import { addedCapabilities, isGoodSeccomp, seccompProfile } from './baseline.js';
import { type AnyContainer, containersWhere, counted, plural, quoted, podAndContainers, sorted } from './subjects.js';
import type { Check } from './check.js';

const security = ({ securityContext }: AnyContainer): SecurityContext => securityContext ?? {};

/** Skips a check for pods with a user namespace, whose root is not the node's. */
export const unlessUserNamespace =
  (check: Check): Check =>
  (spec, metadata) =>
    spec.hostUsers === false ? undefined : check(spec, metadata);

/** Skips a check for Windows pods, which cannot set the field. */
export const unlessWindows =
  (check: Check): Check =>
  (spec, metadata) =>
    spec.os?.name === 'windows' ? undefined : check(spec, metadata);

/** Refuses containers that do not forbid privilege escalation themselves. as pod-security-admission/policy CheckAllowPrivilegeEscalation */
export const allowPrivilegeEscalation: Check = spec => {
  const names = containersWhere(spec, container => security(container).allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  const detail = `${counted('container', names)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: 'allowPrivilegeEscalation != false', detail };
};

/**
 * Refuses containers that keep capabilities: all have to be dropped, and only NET_BIND_SERVICE may be added.
 * as pod-security-admission/policy CheckCapabilitiesRestricted
 */
export const droppedCapabilities: Check = spec => {
  const violating = containersWhere(spec, container => !security(container).capabilities?.drop?.includes('ALL'));
  const details = [
    violating.length > 0 ? `${counted('container', violating)} must set securityContext.capabilities.drop=["ALL"]` : '',
    addedCapabilities(spec, name => name === 'NET_BIND_SERVICE'),
  ].filter(Boolean);
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

/** Requires true in the pod or in all containers. Explicit violations are reported before missing values. */
export const runAsNonRoot: Check = spec => {
  const ofPod = spec.securityContext?.runAsNonRoot;
  const reason = 'runAsNonRoot != true';
  const subject = podAndContainers(
    ofPod === false,
    containersWhere(spec, container => security(container).runAsNonRoot === false),
  );
  if (subject !== '') return { reason, detail: `${subject} must not set securityContext.runAsNonRoot=false` };
  const missing = ofPod ? [] : containersWhere(spec, container => security(container).runAsNonRoot === undefined);
  if (missing.length === 0) return undefined;
  return { reason, detail: `pod or ${counted('container', missing)} must set securityContext.runAsNonRoot=true` };
};

/** Refuses the user ID 0. One that is not set is left to the check of runAsNonRoot. as pod-security-admission/policy CheckRunAsUser */
export const runAsUser: Check = spec => {
  const subject = podAndContainers(
    spec.securityContext?.runAsUser === 0,
    containersWhere(spec, container => security(container).runAsUser === 0),
  );
  return subject === '' ? undefined : { reason: 'runAsUser=0', detail: `${subject} must not set runAsUser=0` };
};

/** Refuses containers without a seccomp profile, of their own or of the Pod. as pod-security-admission/policy CheckSeccompProfileRestricted */
export const chosenSeccompProfile: Check = (spec, metadata) => {
  const bad = seccompProfile(spec, metadata);
  if (bad) return bad;
  const missing = isGoodSeccomp(spec.securityContext?.seccompProfile?.type ?? '')
    ? []
    : containersWhere(spec, container => security(container).seccompProfile === undefined);
  if (missing.length === 0) return undefined;
  const detail = `pod or ${counted('container', missing)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: 'seccompProfile', detail };
};

const goodVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const satisfies readonly (keyof Volume)[];

const badVolumes = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
] as const satisfies readonly (keyof Volume)[];

/** Refuses volumes other than those that hold data of the cluster or of a claim. as pod-security-admission/policy CheckRestrictedVolumes */
export const restrictedVolumes: Check = ({ volumes = [] }: PodSpec) => {
  const bad = volumes.filter(volume => !goodVolumes.some(source => volume[source]));
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map(volume => badVolumes.find(source => volume[source]) ?? 'unknown'));
  const names = bad.map(({ name = '' }) => name);
  const what = plural('restricted volume type', 'restricted volume types', types.length);
  const detail = `${counted('volume', names)} ${plural('uses', 'use', names.length)} ${what} ${quoted(types)}`;
  return { reason: 'restricted volume types', detail };
};
