/**
 * Labels, annotations, taints and types of secrets of Kubernetes that several files name, exactly as on the wire. A name that one file alone uses
 * stands there.
 */

// Labels.
export const controllerUidLabel = 'batch.kubernetes.io/controller-uid';
export const jobNameLabel = 'batch.kubernetes.io/job-name';
export const betaArchLabel = 'beta.kubernetes.io/arch';
export const betaInstanceTypeLabel = 'beta.kubernetes.io/instance-type';
export const betaOsLabel = 'beta.kubernetes.io/os';
export const endpointsManagedByLabel = 'endpoints.kubernetes.io/managed-by';
export const endpointSliceManagedByLabel = 'endpointslice.kubernetes.io/managed-by';
export const skipMirrorLabel = 'endpointslice.kubernetes.io/skip-mirror';
export const betaRegionLabel = 'failure-domain.beta.kubernetes.io/region';
export const betaZoneLabel = 'failure-domain.beta.kubernetes.io/zone';
export const ipAddressFamilyLabel = 'ipaddress.kubernetes.io/ip-family';
export const ipAddressManagedByLabel = 'ipaddress.kubernetes.io/managed-by';
export const archLabel = 'kubernetes.io/arch';
export const bootstrappingLabel = 'kubernetes.io/bootstrapping';
export const hostnameLabel = 'kubernetes.io/hostname';
export const osLabel = 'kubernetes.io/os';
export const serviceNameLabel = 'kubernetes.io/service-name';
export const instanceTypeLabel = 'node.kubernetes.io/instance-type';
export const regionLabel = 'topology.kubernetes.io/region';
export const zoneLabel = 'topology.kubernetes.io/zone';

// Annotations.
export const autoupdateSpecAnnotation = 'apf.kubernetes.io/autoupdate-spec';
export const revisionAnnotation = 'deployment.kubernetes.io/revision';
export const defaultIngressClassAnnotation = 'ingressclass.kubernetes.io/is-default-class';
export const initialEventsEndAnnotation = 'k8s.io/initial-events-end';
export const enforceMountableSecretsAnnotation = 'kubernetes.io/enforce-mountable-secrets';
export const ingressClassAnnotation = 'kubernetes.io/ingress.class';
export const serviceAccountNameAnnotation = 'kubernetes.io/service-account.name';
export const serviceAccountUidAnnotation = 'kubernetes.io/service-account.uid';
export const autoupdateAnnotation = 'rbac.authorization.kubernetes.io/autoupdate';
export const preferAvoidPodsAnnotation = 'scheduler.alpha.kubernetes.io/preferAvoidPods';
export const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
export const topologyAwareHintsAnnotation = 'service.kubernetes.io/topology-aware-hints';
export const betaDefaultStorageClassAnnotation = 'storageclass.beta.kubernetes.io/is-default-class';
export const defaultStorageClassAnnotation = 'storageclass.kubernetes.io/is-default-class';
export const betaStorageClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

// Keys of taints.
export const masterRoleLabel = 'node-role.kubernetes.io/master';
export const notReadyTaint = 'node.kubernetes.io/not-ready';
export const unreachableTaint = 'node.kubernetes.io/unreachable';
export const unschedulableTaint = 'node.kubernetes.io/unschedulable';

// Types of secrets.
export const serviceAccountTokenSecret = 'kubernetes.io/service-account-token';
export const tlsSecret = 'kubernetes.io/tls';

// Names of signers.
export const kubeletServingSigner = 'kubernetes.io/kubelet-serving';
export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
export const clientSigner = 'kubernetes.io/kube-apiserver-client';
export const legacyUnknownSigner = 'kubernetes.io/legacy-unknown';

// Keys of the extra fields of a user.
export const nodeNameExtraKey = 'authentication.kubernetes.io/node-name';
