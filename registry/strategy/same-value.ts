/** Equality of values of native kinds: what is empty is the same as what is not there, but for objects that are there or not. */
import { semanticEqual } from '../../openapi/meta/equality.js';

/** Fields that hold an object or none, wherever they stand: `{}` is a value of them, and says something else than nothing. */
export const optionalObjects: ReadonlySet<string> = new Set(
  `
  affinity aggregationRule allocation appArmorProfile applyConfiguration assigned attachError awsElasticBlockStore azureDisk
  azureFile behavior capabilities cel cephfs cinder claimRef clientIP clusterTrustBundle configMap configMapKeyRef configMapRef
  configSource containerResource controllerExpandSecretRef controllerPublishSecretRef conversion csi dataSource dataSourceRef
  defaultBackend detachError distinguisherMethod dnsConfig downwardAPI emptyDir ephemeral exactly exec exempt exitCodes
  extendedResourceClaimStatus external externalDocs fc features fieldSelector fileKeyRef flexVolume flocker gcePersistentDisk
  gitRepo glusterfs grpc hints hostPath http httpGet inlineVolumeSpec ipBlock iscsi jsonPatch labelSelector lastKnownGood
  lifecycle limited linux livenessProbe local matchConstraints matchResources modifyVolumeStatus namespaceSelector networkData nfs
  nodeAffinity nodeExpandSecretRef nodePublishSecretRef nodeStageSecretRef nodeTopology nonResourceAttributes not object
  objectSelector onExitCodes opaque openAPIV3Schema ordinals os paramKind paramRef parentRef persistentVolumeClaim
  persistentVolumeClaimRetentionPolicy photonPersistentDisk podAffinity podAntiAffinity podCertificate podFailurePolicy pods
  portworxVolume postStart preStop projected queuing quobyte rbd readinessProbe related requestPolicy resourceAttributes
  resourceFieldRef rollingUpdate running scale scaleDown scaleIO scaleUp scheduling schedulingGroup schema scopeSelector
  seLinuxOptions seccompProfile secret secretKeyRef securityContext series serviceAccountToken sessionAffinityConfig sleep
  startupProbe storageos subresources successPolicy swap targetRef tcpSocket terminated typeChecking uncountedTerminatedPods
  validRange valueFrom volumeClaimTemplate volumeStatus vsphereVolume waiting webhook windowsOptions
`
    .trim()
    .split(/\s+/),
);

type Plain = Readonly<Record<string, unknown>>;

const none: Plain = Object.freeze({});
const asObject = (value: unknown): Plain => (typeof value === 'object' && value !== null ? (value as Plain) : none);

/** Of values that are equal but for what is empty. */
function sameOptional(a: unknown, b: unknown): boolean {
  const [x, y] = [asObject(a), asObject(b)];
  if (x === y) return true;
  for (const key of new Set([...Object.keys(x), ...Object.keys(y)])) {
    const [inner, other] = [x[key], y[key]];
    if (optionalObjects.has(key) && (inner == null) !== (other == null)) return false;
    if (!sameOptional(inner, other)) return false;
  }
  return true;
}

/** As Go compares them. */
// as apimachinery/pkg/api/equality Semantic.DeepEqual
export const sameValue = (a: unknown, b: unknown): boolean => semanticEqual(a, b) && sameOptional(a, b);
