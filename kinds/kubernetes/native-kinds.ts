import type { NativeKind } from './native-kind.js';
import { binding } from './core/pods/binding.js';
import { componentStatus } from './core/component-status.js';
import { configMap } from './core/config/config-map.js';
import { endpoints } from './core/services/endpoints.js';
import { event } from './core/event.js';
import { limitRange } from './core/limits/limit-range.js';
import { namespace } from './core/namespace.js';
import { node } from './core/nodes/node.js';
import { persistentVolumeClaim } from './core/volumes/persistent-volume-claim.js';
import { persistentVolume } from './core/volumes/persistent-volume.js';
import { podTemplate } from './core/pod-template.js';
import { pod } from './core/pods/pod.js';
import { replicationController } from './core/replication-controller.js';
import { resourceQuota } from './core/limits/resource-quota.js';
import { secret } from './core/config/secret.js';
import { serviceAccount } from './core/service-account.js';
import { service } from './core/services/service.js';
import { apiService } from './apiregistration/api-service.js';
import { controllerRevision } from './apps/controller-revision.js';
import { daemonSet } from './apps/daemon-set.js';
import { deployment } from './apps/deployment.js';
import { replicaSet } from './apps/replica-set.js';
import { statefulSet } from './apps/stateful-set.js';
import { event as newEvent } from './events/event.js';
import { horizontalPodAutoscaler } from './autoscaling/horizontal-pod-autoscaler.js';
import { cronJob } from './batch/cron-job.js';
import { job } from './batch/job.js';
import { ingressClass } from './networking/ingress-class.js';
import { ingress } from './networking/ingress.js';
import { ipAddress } from './networking/ip-address.js';
import { networkPolicy } from './networking/network-policy.js';
import { serviceCidr } from './networking/service-cidr.js';
import { podDisruptionBudget } from './policy/pod-disruption-budget.js';
import { csiDriver } from './storage/csi-driver.js';
import { csiNode } from './storage/csi-node.js';
import { csiStorageCapacity } from './storage/csi-storage-capacity.js';
import { storageClass } from './storage/storage-class.js';
import { volumeAttachment } from './storage/volume-attachment.js';
import { volumeAttributesClass } from './storage/volume-attributes-class.js';
import {
  mutatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBinding,
} from './admissionregistration/policy-binding.js';
import { mutatingAdmissionPolicy } from './admissionregistration/mutating-admission-policy.js';
import { mutatingWebhookConfiguration } from './admissionregistration/mutating-webhook-configuration.js';
import { validatingAdmissionPolicy } from './admissionregistration/validating-admission-policy.js';
import { validatingWebhookConfiguration } from './admissionregistration/validating-webhook-configuration.js';
import { customResourceDefinition } from './apiextensions/custom-resource-definition.js';
import { priorityClass } from './scheduling/priority-class.js';
import { lease } from './coordination/lease.js';
import { runtimeClass } from './node/runtime-class.js';
import { endpointSlice } from './discovery/endpoint-slice.js';
import { deviceClass } from './resource/device-class.js';
import { resourceClaimTemplate } from './resource/resource-claim-template.js';
import { resourceClaim } from './resource/resource-claim.js';
import { resourceSlice } from './resource/resource-slice.js';
import { flowSchema } from './flowcontrol/flow-schema.js';
import { priorityLevelConfiguration } from './flowcontrol/priority-level-configuration.js';
import { certificateSigningRequest } from './certificates/certificate-signing-request.js';
import { clusterRoleBinding } from './rbac/cluster-role-binding.js';
import { clusterRole } from './rbac/cluster-role.js';
import { roleBinding } from './rbac/role-binding.js';
import { role } from './rbac/role.js';

/** The modules of all native kinds. */
export const nativeKinds: readonly NativeKind[] = [
  binding,
  componentStatus,
  configMap,
  endpoints,
  event,
  limitRange,
  namespace,
  node,
  persistentVolumeClaim,
  persistentVolume,
  podTemplate,
  pod,
  replicationController,
  resourceQuota,
  secret,
  serviceAccount,
  service,
  apiService,
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  statefulSet,
  newEvent,
  horizontalPodAutoscaler,
  cronJob,
  job,
  ingressClass,
  ingress,
  ipAddress,
  networkPolicy,
  serviceCidr,
  podDisruptionBudget,
  csiDriver,
  csiNode,
  csiStorageCapacity,
  storageClass,
  volumeAttachment,
  volumeAttributesClass,
  mutatingAdmissionPolicyBinding,
  mutatingAdmissionPolicy,
  mutatingWebhookConfiguration,
  validatingAdmissionPolicyBinding,
  validatingAdmissionPolicy,
  validatingWebhookConfiguration,
  customResourceDefinition,
  priorityClass,
  lease,
  runtimeClass,
  endpointSlice,
  deviceClass,
  resourceClaimTemplate,
  resourceClaim,
  resourceSlice,
  flowSchema,
  priorityLevelConfiguration,
  certificateSigningRequest,
  clusterRoleBinding,
  clusterRole,
  roleBinding,
  role,
];
