/** Types of Karmada's objects, with the fields that the code reads. The API itself is data (`crds/`). */
import type { KubeObject, ObjectMeta } from '../../apimachinery/interface.js';
import type { Int64 } from '../../lib/json/json.js';
import type { LabelSelector } from '../../apimachinery/selectors/label-selectors.js';

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

export type ResourceList = Record<string, string>;

export interface Taint {
  key: string;
  value?: string;
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  timeAdded?: string;
}

export interface Toleration {
  key?: string;
  operator?: 'Exists' | 'Equal' | 'Lt' | 'Gt';
  value?: string;
  effect?: Taint['effect'];
  tolerationSeconds?: number;
}

// ------------------------------------------------------------------------------------------------ cluster.karmada.io

export interface SecretReference {
  namespace: string;
  name: string;
}

export interface ResourceModel {
  grade: number;
  ranges: { name: string; min: string; max: string }[];
}

export interface Cluster extends KubeObject {
  spec: {
    id?: string;
    syncMode: 'Push' | 'Pull';
    apiEndpoint?: string;
    secretRef?: SecretReference;
    impersonatorSecretRef?: SecretReference;
    insecureSkipTLSVerification?: boolean;
    proxyURL?: string;
    proxyHeader?: Record<string, string>;
    provider?: string;
    region?: string;
    zone?: string;
    zones?: string[];
    taints?: Taint[];
    resourceModels?: ResourceModel[];
  };
  status?: {
    kubernetesVersion?: string;
    apiEnablements?: { groupVersion: string; resources?: { name: string; kind: string }[] }[];
    conditions?: Condition[];
    nodeSummary?: { totalNum?: number; readyNum?: number };
    resourceSummary?: ResourceSummary;
    remedyActions?: string[];
  };
}

export interface ResourceSummary {
  allocatable?: ResourceList;
  allocating?: ResourceList;
  allocated?: ResourceList;
  allocatableModelings?: { grade: number; count: number }[];
}

// ------------------------------------------------------------------------------------------------- policy.karmada.io

export interface ResourceSelector {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name?: string;
  labelSelector?: LabelSelector;
}

export interface FieldSelector {
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export interface ClusterAffinity {
  labelSelector?: LabelSelector;
  fieldSelector?: FieldSelector;
  clusterNames?: string[];
  exclude?: string[];
}

export interface ClusterAffinityTerm extends ClusterAffinity {
  affinityName: string;
  overflowAffinities?: (ClusterAffinity & { affinityName: string })[];
}

export interface SpreadConstraint {
  spreadByField?: 'cluster' | 'region' | 'zone' | 'provider';
  spreadByLabel?: string;
  minGroups?: number;
  maxGroups?: number;
}

export interface ReplicaScheduling {
  replicaSchedulingType?: 'Divided' | 'Duplicated';
  replicaDivisionPreference?: 'Aggregated' | 'Weighted';
  weightPreference?: {
    staticWeightList?: { targetCluster: ClusterAffinity; weight: Int64 }[];
    dynamicWeight?: 'AvailableReplicas';
  };
}

export interface Placement {
  clusterAffinity?: ClusterAffinity;
  clusterAffinities?: ClusterAffinityTerm[];
  clusterTolerations?: Toleration[];
  spreadConstraints?: SpreadConstraint[];
  replicaScheduling?: ReplicaScheduling;
  workloadAffinity?: {
    affinity?: { groupByLabelKey: string };
    antiAffinity?: { groupByLabelKey: string };
  };
}

export interface Suspension {
  dispatching?: boolean;
  dispatchingOnClusters?: { clusterNames?: string[] };
  scheduling?: boolean;
}

export type PurgeMode = 'Directly' | 'Gracefully' | 'Never';

export interface StatePreservation {
  rules: { aliasLabelName: string; jsonPath: string }[];
}

export interface Failover {
  application?: {
    decisionConditions: { tolerationSeconds?: number };
    purgeMode?: PurgeMode;
    gracePeriodSeconds?: number;
    statePreservation?: StatePreservation;
  };
  cluster?: { purgeMode?: PurgeMode; statePreservation?: StatePreservation };
}

export interface PropagationSpec {
  resourceSelectors: ResourceSelector[];
  association?: boolean;
  propagateDeps?: boolean;
  placement?: Placement;
  priority?: number;
  preemption?: 'Never' | 'Always';
  dependentOverrides?: string[];
  schedulerName?: string;
  failover?: Failover;
  conflictResolution?: 'Abort' | 'Overwrite';
  activationPreference?: '' | 'Lazy';
  suspension?: Suspension;
  preserveResourcesOnDeletion?: boolean;
  schedulePriority?: { priorityClassSource: string; priorityClassName: string };
}

/** A PropagationPolicy or a ClusterPropagationPolicy. */
export interface Policy extends KubeObject {
  spec: PropagationSpec;
}

export type JsonPatchOperator = 'add' | 'remove' | 'replace';

export interface Overriders {
  imageOverrider?: {
    predicate?: { path: string };
    component: 'Registry' | 'Repository' | 'Tag';
    operator: JsonPatchOperator;
    value?: string;
  }[];
  commandOverrider?: { containerName: string; operator: 'add' | 'remove'; value?: string[] }[];
  argsOverrider?: { containerName: string; operator: 'add' | 'remove'; value?: string[] }[];
  labelsOverrider?: { operator: JsonPatchOperator; value?: Record<string, string> }[];
  annotationsOverrider?: { operator: JsonPatchOperator; value?: Record<string, string> }[];
  fieldOverrider?: {
    fieldPath: string;
    json?: { subPath: string; operator: JsonPatchOperator; value?: unknown }[];
    yaml?: { subPath: string; operator: JsonPatchOperator; value?: unknown }[];
  }[];
  plaintext?: { path: string; operator: JsonPatchOperator; value?: unknown }[];
}

/** An OverridePolicy or a ClusterOverridePolicy. */
export interface OverridePolicy extends KubeObject {
  spec: {
    resourceSelectors?: ResourceSelector[];
    overrideRules?: { targetCluster?: ClusterAffinity; overriders: Overriders }[];
    targetCluster?: ClusterAffinity;
    overriders?: Overriders;
  };
}

// --------------------------------------------------------------------------------------------------- work.karmada.io

export interface NodeClaim {
  hardNodeAffinity?: Record<string, unknown>;
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
}

export interface ReplicaRequirements {
  nodeClaim?: NodeClaim;
  resourceRequest?: ResourceList;
  namespace?: string;
  priorityClassName?: string;
}

export interface Component {
  name: string;
  replicas: number;
  replicaRequirements?: ReplicaRequirements;
}

export interface TargetCluster {
  name: string;
  replicas?: number;
  components?: { name: string; replicas: number }[];
}

export interface GracefulEvictionTask {
  fromCluster: string;
  purgeMode?: PurgeMode;
  replicas?: number;
  reason: string;
  message?: string;
  producer: string;
  gracePeriodSeconds?: number;
  suppressDeletion?: boolean;
  preservedLabelState?: Record<string, string>;
  creationTimestamp?: string;
  clustersBeforeFailover?: string[];
}

export interface ObjectReference {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  uid?: string;
  resourceVersion?: string;
}

export interface BindingSpec {
  resource: ObjectReference;
  propagateDeps?: boolean;
  replicaRequirements?: ReplicaRequirements;
  replicas?: number;
  components?: Component[];
  clusters?: TargetCluster[];
  gracefulEvictionTasks?: GracefulEvictionTask[];
  requiredBy?: { namespace?: string; name: string; clusters?: TargetCluster[] }[];
  schedulerName?: string;
  placement?: Placement;
  failover?: Failover;
  conflictResolution?: 'Abort' | 'Overwrite';
  rescheduleTriggeredAt?: string;
  suspension?: Suspension;
  preserveResourcesOnDeletion?: boolean;
  schedulePriority?: { priority: number };
  workloadAffinityGroups?: { affinityGroup?: string; antiAffinityGroup?: string };
}

export interface AggregatedStatusItem {
  clusterName: string;
  status?: Record<string, unknown>;
  applied?: boolean;
  appliedMessage?: string;
  health?: Health;
}

export type Health = 'Healthy' | 'Unhealthy' | 'Unknown';

export interface BindingStatus {
  schedulerObservedGeneration?: number;
  schedulerObservingAffinityName?: string;
  lastScheduledTime?: string;
  conditions?: Condition[];
  aggregatedStatus?: AggregatedStatusItem[];
}

/** A ResourceBinding or a ClusterResourceBinding. */
export interface Binding extends KubeObject {
  spec: BindingSpec;
  status?: BindingStatus;
}

export interface ManifestStatus {
  identifier: {
    ordinal: number;
    group?: string;
    version: string;
    kind: string;
    resource: string;
    namespace?: string;
    name: string;
  };
  status?: Record<string, unknown>;
  health?: Health;
}

export interface Work extends KubeObject {
  metadata: ObjectMeta;
  spec: {
    workload?: { manifests?: KubeObject[] };
    suspendDispatching?: boolean;
    preserveResourcesOnDeletion?: boolean;
  };
  status?: { conditions?: Condition[]; manifestStatuses?: ManifestStatus[] };
}

// ------------------------------------------------------------------------------------------------- search.karmada.io

export interface ResourceRegistry extends KubeObject {
  spec: {
    targetCluster: ClusterAffinity;
    resourceSelectors?: { apiVersion: string; kind: string; namespace?: string }[];
    backendStore?: { openSearch?: { addresses?: string[]; secretRef?: { namespace?: string; name?: string } } };
  };
}
