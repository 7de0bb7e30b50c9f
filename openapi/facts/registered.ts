/**
 * Kinds that kube-apiserver 1.36 can decode, but neither serves nor describes: removed versions, and kinds without a resource. `*` stands
 * for the kind and its list.
 */
// as the register.go of staging/src/k8s.io/api, as far as pkg/controlplane/import_known_versions.go installs them, and those of
// apiextensions-apiserver and kube-aggregator
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import type { GroupVersionKind } from '../../apimachinery/interface.js';
import { nativeTypeName } from './native-schemas.js';

const readOnly: Readonly<Record<string, string>> = {
  'admission.k8s.io/v1': 'AdmissionReview',
  'admission.k8s.io/v1beta1': 'AdmissionReview',
  'admissionregistration.k8s.io/v1alpha1':
    'MutatingAdmissionPolicy* MutatingAdmissionPolicyBinding* ValidatingAdmissionPolicy* ValidatingAdmissionPolicyBinding*',
  'admissionregistration.k8s.io/v1beta1':
    'MutatingWebhookConfiguration* ValidatingAdmissionPolicy* ValidatingAdmissionPolicyBinding* ValidatingWebhookConfiguration*',
  'internal.apiserver.k8s.io/v1alpha1': 'StorageVersion*',
  'apiextensions.k8s.io/v1beta1': 'ConversionReview CustomResourceDefinition*',
  'apiregistration.k8s.io/v1beta1': 'APIService*',
  'apps/v1beta1': 'ControllerRevision* Deployment* DeploymentRollback Scale StatefulSet*',
  'apps/v1beta2': 'ControllerRevision* DaemonSet* Deployment* ReplicaSet* Scale StatefulSet*',
  'authentication.k8s.io/v1alpha1': 'SelfSubjectReview',
  'authentication.k8s.io/v1beta1': 'SelfSubjectReview TokenReview',
  'authorization.k8s.io/v1beta1':
    'LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  'batch/v1beta1': 'CronJob*',
  'certificates.k8s.io/v1alpha1': 'ClusterTrustBundle*',
  'certificates.k8s.io/v1beta1': 'CertificateSigningRequest*',
  'coordination.k8s.io/v1alpha2': 'LeaseCandidate*',
  'coordination.k8s.io/v1beta1': 'Lease*',
  v1: 'List NodeProxyOptions PodAttachOptions PodExecOptions PodLogOptions PodPortForwardOptions PodProxyOptions PodStatusResult RangeAllocation SerializedReference ServiceProxyOptions',
  'discovery.k8s.io/v1beta1': 'EndpointSlice*',
  'events.k8s.io/v1beta1': 'Event*',
  'extensions/v1beta1': 'DaemonSet* Deployment* DeploymentRollback Ingress* NetworkPolicy* ReplicaSet* Scale',
  'flowcontrol.apiserver.k8s.io/v1beta1': 'FlowSchema* PriorityLevelConfiguration*',
  'flowcontrol.apiserver.k8s.io/v1beta2': 'FlowSchema* PriorityLevelConfiguration*',
  'flowcontrol.apiserver.k8s.io/v1beta3': 'FlowSchema* PriorityLevelConfiguration*',
  'imagepolicy.k8s.io/v1alpha1': 'ImageReview',
  'networking.k8s.io/v1beta1': 'Ingress* IngressClass*',
  'node.k8s.io/v1alpha1': 'RuntimeClass*',
  'node.k8s.io/v1beta1': 'RuntimeClass*',
  'policy/v1beta1': 'Eviction PodDisruptionBudget*',
  'rbac.authorization.k8s.io/v1alpha1': 'ClusterRole* ClusterRoleBinding* Role* RoleBinding*',
  'rbac.authorization.k8s.io/v1beta1': 'ClusterRole* ClusterRoleBinding* Role* RoleBinding*',
  'resource.k8s.io/v1alpha3': 'DeviceTaintRule* ResourcePoolStatusRequest*',
  'scheduling.k8s.io/v1alpha2': 'PodGroup* Workload*',
  'scheduling.k8s.io/v1beta1': 'PriorityClass*',
  'storage.k8s.io/v1alpha1': 'CSIStorageCapacity* VolumeAttachment* VolumeAttributesClass*',
  'storage.k8s.io/v1beta1': 'CSIDriver* CSINode* CSIStorageCapacity* StorageClass* VolumeAttachment*',
};

let names: ReadonlySet<string> | undefined;

function known(): ReadonlySet<string> {
  const all = Object.entries(readOnly).flatMap(([apiVersion, kinds]) =>
    kinds.split(' ').flatMap(kind => {
      const name = `${apiVersion} ${kind.replace('*', '')}`;
      return kind.endsWith('*') ? [name, `${name}List`] : [name];
    }),
  );
  return new Set(all);
}

/** Reports whether kube-apiserver can decode objects of a kind. */
export const isRegistered = (gvk: GroupVersionKind): boolean =>
  nativeTypeName(gvk) !== undefined || (names ??= known()).has(`${apiVersionOf(gvk)} ${gvk.kind}`);
