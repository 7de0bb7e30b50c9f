/** The checks that the restricted level adds: what a pod must give up by itself. */
// as pod-security-admission/policy
import type { PodSpec, SecurityContext, Volume } from '../../../api/kubernetes/core.js';
import { addedCapabilities, isGoodSeccomp, seccompProfile } from './baseline.js';
import { type AnyContainer, containersThat, counted, plural, quoted, setters, sorted } from './blame.js';
import type { Check } from './check.js';

const security = ({ securityContext }: AnyContainer): SecurityContext => securityContext ?? {};

/** Pods of a user namespace may be their own root. */
export const unlessOwnUsers =
  (check: Check): Check =>
  (spec, metadata) =>
    spec.hostUsers === false ? undefined : check(spec, metadata);

/** Pods of Windows cannot set what is asked for. */
export const unlessWindows =
  (check: Check): Check =>
  (spec, metadata) =>
    spec.os?.name === 'windows' ? undefined : check(spec, metadata);

export const allowPrivilegeEscalation: Check = spec => {
  const names = containersThat(spec, container => security(container).allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  const detail = `${counted('container', names)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: 'allowPrivilegeEscalation != false', detail };
};

export const droppedCapabilities: Check = spec => {
  const keeping = containersThat(spec, container => !security(container).capabilities?.drop?.includes('ALL'));
  const details = [
    keeping.length > 0 ? `${counted('container', keeping)} must set securityContext.capabilities.drop=["ALL"]` : '',
    addedCapabilities(spec, name => name === 'NET_BIND_SERVICE'),
  ].filter(Boolean);
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

/** A value that the pod or all its containers must have; who says otherwise is blamed first. */
export const runAsNonRoot: Check = spec => {
  const ofPod = spec.securityContext?.runAsNonRoot;
  const reason = 'runAsNonRoot != true';
  const who = setters(
    ofPod === false,
    containersThat(spec, container => security(container).runAsNonRoot === false),
  );
  if (who !== '') return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  const silent = ofPod ? [] : containersThat(spec, container => security(container).runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${counted('container', silent)} must set securityContext.runAsNonRoot=true` };
};

export const runAsUser: Check = spec => {
  const who = setters(
    spec.securityContext?.runAsUser === 0,
    containersThat(spec, container => security(container).runAsUser === 0),
  );
  return who === '' ? undefined : { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` };
};

export const chosenSeccompProfile: Check = (spec, metadata) => {
  const bad = seccompProfile(spec, metadata);
  if (bad) return bad;
  const silent = isGoodSeccomp(spec.securityContext?.seccompProfile?.type ?? '')
    ? []
    : containersThat(spec, container => security(container).seccompProfile === undefined);
  if (silent.length === 0) return undefined;
  const detail = `pod or ${counted('container', silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
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

export const restrictedVolumes: Check = ({ volumes = [] }: PodSpec) => {
  const bad = volumes.filter(volume => !goodVolumes.some(source => volume[source]));
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map(volume => badVolumes.find(source => volume[source]) ?? 'unknown'));
  const names = bad.map(({ name = '' }) => name);
  const what = plural('restricted volume type', 'restricted volume types', types.length);
  const detail = `${counted('volume', names)} ${plural('uses', 'use', names.length)} ${what} ${quoted(types)}`;
  return { reason: 'restricted volume types', detail };
};
