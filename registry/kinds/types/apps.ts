/**
 * The native types of apps, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { JsonObject, KubeObject } from '../../../openapi/interface.js';
import type * as core from './core.js';
import type * as meta from './meta.js';
import type { IntOrString } from './scalars.js';

export interface ControllerRevision extends KubeObject {
  data?: JsonObject;
  revision?: number;
}

export interface DaemonSet extends KubeObject {
  spec?: DaemonSetSpec;
  status?: DaemonSetStatus;
}

export interface DaemonSetCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface DaemonSetSpec {
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  selector?: meta.LabelSelector;
  template?: core.PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
}

export interface DaemonSetStatus {
  collisionCount?: number;
  conditions?: DaemonSetCondition[];
  currentNumberScheduled?: number;
  desiredNumberScheduled?: number;
  numberAvailable?: number;
  numberMisscheduled?: number;
  numberReady?: number;
  numberUnavailable?: number;
  observedGeneration?: number;
  updatedNumberScheduled?: number;
}

export interface DaemonSetUpdateStrategy {
  rollingUpdate?: RollingUpdateDaemonSet;
  type?: string;
}

export interface Deployment extends KubeObject {
  spec?: DeploymentSpec;
  status?: DeploymentStatus;
}

export interface DeploymentCondition {
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface DeploymentSpec {
  minReadySeconds?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
  replicas?: number;
  revisionHistoryLimit?: number;
  selector?: meta.LabelSelector;
  strategy?: DeploymentStrategy;
  template?: core.PodTemplateSpec;
}

export interface DeploymentStatus {
  availableReplicas?: number;
  collisionCount?: number;
  conditions?: DeploymentCondition[];
  observedGeneration?: number;
  readyReplicas?: number;
  replicas?: number;
  terminatingReplicas?: number;
  unavailableReplicas?: number;
  updatedReplicas?: number;
}

export interface DeploymentStrategy {
  rollingUpdate?: RollingUpdateDeployment;
  type?: string;
}

export interface ReplicaSet extends KubeObject {
  spec?: ReplicaSetSpec;
  status?: ReplicaSetStatus;
}

export interface ReplicaSetCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface ReplicaSetSpec {
  minReadySeconds?: number;
  replicas?: number;
  selector?: meta.LabelSelector;
  template?: core.PodTemplateSpec;
}

export interface ReplicaSetStatus {
  availableReplicas?: number;
  conditions?: ReplicaSetCondition[];
  fullyLabeledReplicas?: number;
  observedGeneration?: number;
  readyReplicas?: number;
  replicas?: number;
  terminatingReplicas?: number;
}

export interface RollingUpdateDaemonSet {
  maxSurge?: IntOrString;
  maxUnavailable?: IntOrString;
}

export interface RollingUpdateDeployment {
  maxSurge?: IntOrString;
  maxUnavailable?: IntOrString;
}

export interface RollingUpdateStatefulSetStrategy {
  maxUnavailable?: IntOrString;
  partition?: number;
}

export interface StatefulSet extends KubeObject {
  spec?: StatefulSetSpec;
  status?: StatefulSetStatus;
}

export interface StatefulSetCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface StatefulSetOrdinals {
  start?: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  whenDeleted?: string;
  whenScaled?: string;
}

export interface StatefulSetSpec {
  minReadySeconds?: number;
  ordinals?: StatefulSetOrdinals;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  podManagementPolicy?: string;
  replicas?: number;
  revisionHistoryLimit?: number;
  selector?: meta.LabelSelector;
  serviceName?: string;
  template?: core.PodTemplateSpec;
  updateStrategy?: StatefulSetUpdateStrategy;
  volumeClaimTemplates?: core.PersistentVolumeClaim[];
}

export interface StatefulSetStatus {
  availableReplicas?: number;
  collisionCount?: number;
  conditions?: StatefulSetCondition[];
  currentReplicas?: number;
  currentRevision?: string;
  observedGeneration?: number;
  readyReplicas?: number;
  replicas?: number;
  updateRevision?: string;
  updatedReplicas?: number;
}

export interface StatefulSetUpdateStrategy {
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
  type?: string;
}
