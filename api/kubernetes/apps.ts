import type * as gen from '../../openapi/gen/apps-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type ControllerRevision = DraftKind<gen.ControllerRevision>;
export type DaemonSet = DraftKind<gen.DaemonSet>;
export type DaemonSetCondition = Draft<gen.DaemonSetCondition>;
export type DaemonSetSpec = Draft<gen.DaemonSetSpec>;
export type DaemonSetStatus = Draft<gen.DaemonSetStatus>;
export type DaemonSetUpdateStrategy = Draft<gen.DaemonSetUpdateStrategy>;
export type Deployment = DraftKind<gen.Deployment>;
export type DeploymentCondition = Draft<gen.DeploymentCondition>;
export type DeploymentSpec = Draft<gen.DeploymentSpec>;
export type DeploymentStatus = Draft<gen.DeploymentStatus>;
export type DeploymentStrategy = Draft<gen.DeploymentStrategy>;
export type ReplicaSet = DraftKind<gen.ReplicaSet>;
export type ReplicaSetCondition = Draft<gen.ReplicaSetCondition>;
export type ReplicaSetSpec = Draft<gen.ReplicaSetSpec>;
export type ReplicaSetStatus = Draft<gen.ReplicaSetStatus>;
export type RollingUpdateDaemonSet = Draft<gen.RollingUpdateDaemonSet>;
export type RollingUpdateDeployment = Draft<gen.RollingUpdateDeployment>;
export type RollingUpdateStatefulSetStrategy = Draft<gen.RollingUpdateStatefulSetStrategy>;
export type StatefulSet = DraftKind<gen.StatefulSet>;
export type StatefulSetCondition = Draft<gen.StatefulSetCondition>;
export type StatefulSetOrdinals = Draft<gen.StatefulSetOrdinals>;
export type StatefulSetPersistentVolumeClaimRetentionPolicy =
  Draft<gen.StatefulSetPersistentVolumeClaimRetentionPolicy>;
export type StatefulSetSpec = Draft<gen.StatefulSetSpec>;
export type StatefulSetStatus = Draft<gen.StatefulSetStatus>;
export type StatefulSetUpdateStrategy = Draft<gen.StatefulSetUpdateStrategy>;
