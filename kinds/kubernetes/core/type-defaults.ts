/** Defaults of types in the core group, wherever they occur: mainly in pod templates. */
// as pkg/apis/core/v1 SetDefaults_* and, for `serviceAccount`, Convert_core_PodSpec_To_v1_PodSpec
import { imageTag } from './image-tag.js';
import { dropInitAnnotations } from './pod-spec/init-annotations.js';
import type { Fill } from '../../shared/defaults/type-defaults.js';
import type {
  Container,
  EndpointPort,
  PodStatus,
  ConfigMapVolumeSource,
  GRPCAction,
  HTTPGetAction,
  HostPathVolumeSource,
  ImageVolumeSource,
  LimitRangeItem,
  NamespaceStatus,
  NodeStatus,
  ObjectFieldSelector,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PodSpec,
  Probe,
  ServiceAccountTokenProjection,
  Volume,
} from '../../../api/kubernetes/core.js';

const pullPolicy = (image: string | undefined): string =>
  imageTag(image ?? '') === 'latest' ? 'Always' : 'IfNotPresent';

function container(c: Container): void {
  c.imagePullPolicy ||= pullPolicy(c.image);
  c.terminationMessagePath ||= '/dev/termination-log';
  c.terminationMessagePolicy ||= 'File';
}

function podSpec(spec: PodSpec): void {
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= 'default-scheduler';
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (account) spec.serviceAccountName = spec.serviceAccount = account;
}

function probe(p: Probe): void {
  p.timeoutSeconds ||= 1;
  p.periodSeconds ||= 10;
  p.successThreshold ||= 1;
  p.failureThreshold ||= 3;
}

/** A volume without a source is an empty directory. */
function volume(v: Volume): void {
  if (Object.keys(v).every(field => field === 'name')) v.emptyDir = {};
}

function image(source: ImageVolumeSource): void {
  source.pullPolicy ||= pullPolicy(source.reference);
}

/** rw-r--r-- */
const defaultMode = 0o644;

function files(source: ConfigMapVolumeSource): void {
  source.defaultMode ??= defaultMode;
}

function limitRangeItem(item: LimitRangeItem): void {
  if (item.type !== 'Container') return;
  const limit = (item.default = { ...item.max, ...item.default });
  item.defaultRequest = { ...item.min, ...limit, ...item.defaultRequest };
}

function nodeStatus(status: NodeStatus): void {
  if (status.allocatable === undefined && status.capacity) status.allocatable = { ...status.capacity };
}

/** The singular address is the first of the plural ones, and takes precedence if they differ. */
function podStatus(status: PodStatus): void {
  const { podIP, podIPs } = status;
  if (podIP && podIP !== podIPs?.[0]?.ip) status.podIPs = [{ ip: podIP }];
  else if (podIPs?.[0]?.ip) status.podIP = podIPs[0].ip;
}

const core: Readonly<Record<string, unknown>> = {
  Container: container,
  EphemeralContainer: container,
  PodSpec: podSpec,
  PodStatus: podStatus,
  PodTemplateSpec: dropInitAnnotations,
  EndpointPort: (port: EndpointPort) => {
    port.protocol ||= 'TCP';
  },
  Probe: probe,
  Volume: volume,
  ImageVolumeSource: image,
  SecretVolumeSource: files,
  ConfigMapVolumeSource: files,
  DownwardAPIVolumeSource: files,
  ProjectedVolumeSource: files,
  ServiceAccountTokenProjection: (token: ServiceAccountTokenProjection) => {
    token.expirationSeconds ??= 3600;
  },
  GRPCAction: (action: GRPCAction) => {
    action.service ??= '';
  },
  HTTPGetAction: (action: HTTPGetAction) => {
    action.path ||= '/';
    action.scheme ||= 'HTTP';
  },
  HostPathVolumeSource: (source: HostPathVolumeSource) => {
    source.type ??= '';
  },
  ObjectFieldSelector: (selector: ObjectFieldSelector) => {
    selector.apiVersion ||= 'v1';
  },
  PersistentVolumeClaim: (claim: PersistentVolumeClaim) => {
    (claim.status ??= {}).phase ||= 'Pending';
  },
  PersistentVolumeClaimSpec: (spec: PersistentVolumeClaimSpec) => {
    spec.volumeMode ??= 'Filesystem';
  },
  NamespaceStatus: (status: NamespaceStatus) => {
    status.phase ||= 'Active';
  },
  NodeStatus: nodeStatus,
  LimitRangeItem: limitRangeItem,
};

export const coreTypeDefaults: readonly (readonly [string, Fill])[] = Object.entries(core).map(
  ([type, fill]) => [`io.k8s.api.core.v1.${type}`, fill as Fill] as const,
);
