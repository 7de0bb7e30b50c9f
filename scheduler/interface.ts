/**
 * Assigns bindings to clusters. Everything in `plugins/`, `place/` and `estimate/` is a pure function over values; `loop/` holds the queue, the
 * snapshot and the patches.
 */
import type {
  Binding,
  BindingSpec,
  BindingStatus,
  Cluster,
  ClusterAffinityTerm,
  Component,
  ObjectReference,
  ReplicaRequirements,
  ResourceSummary,
  TargetCluster,
} from '../api/karmada/types.js';
import type { InSteps } from '../lib/time-slice.js';

/** The input of one decision. */
export interface SchedulingInput {
  readonly spec: BindingSpec;
  readonly status: BindingStatus;
  /** The term of clusterAffinities that is tried. Absent: the one that the status names, if any. */
  readonly term?: ClusterAffinityTerm | undefined;
  /** Returns the bindings of the same namespace with the same (anti-)affinity group, in their newest known state; for workload affinity. */
  readonly peers?: (group: 'affinityGroup' | 'antiAffinityGroup', value: string) => readonly Binding[];
}

/** Returns why the cluster does not fit; undefined when it does. */
export type Filter = (binding: SchedulingInput, cluster: Cluster) => string | undefined;
/** Returns a score from 0 to 100. */
export type Score = (binding: SchedulingInput, cluster: Cluster) => number;

/** Returns how many replicas a cluster can take besides assumed workloads; undefined if this estimator has no estimate. */
export type Estimator = (
  cluster: Cluster,
  spec: BindingSpec,
  assumed?: AssumedLoad,
) => number | InSteps<number> | undefined;

/**
 * Returns how many sets of the components of one workload a cluster can take besides assumed workloads; undefined if this estimator has no estimate.
 */
export type PreparedSetEstimator = (cluster: Cluster, assumed?: AssumedLoad) => InSteps<number | undefined>;

/** Prepares the components of a workload for the estimates of all clusters. A set has all replicas of all components. */
export type SetEstimator = (components: readonly Component[]) => PreparedSetEstimator;

/** What a recent decision has given to a cluster, and the cluster does not report as used yet. */
export interface AssumedWorkload {
  readonly namespace: string;
  readonly components: readonly Component[];
}

/** The assumed workloads of one cluster, with their sums. They change with every decision. */
export interface AssumedLoad {
  readonly workloads: readonly AssumedWorkload[];
  /** The number of pods. */
  readonly pods: number;
  /** The requests of all replicas by resource: in thousandths for decimal quantities, in whole units for binary ones. */
  readonly requested: ReadonlyMap<string, number>;
  /** Returns the summary of the cluster in which the workloads are being allocated, too. */
  beside(summary: ResourceSummary): ResourceSummary;
}

/** What all estimates of members have in common. */
interface EstimateRequest {
  readonly namespace: string;
  /** `kind=Deployment, name=ns/name`, for logs. */
  readonly object: string;
  /** Returns what is assumed to run in a cluster already, and reduces its estimate. */
  readonly assumed: (cluster: string) => readonly AssumedWorkload[];
}

/** Asks how many replicas with the requirements fit. */
export interface ReplicaEstimateRequest extends EstimateRequest {
  readonly requirements: ReplicaRequirements | undefined;
}

/** Asks how many sets with all replicas of all components fit. */
export interface SetEstimateRequest extends EstimateRequest {
  readonly components: readonly Component[];
}

/** Estimates by cluster. A cluster without an estimate is absent. */
export type EstimateTable = ReadonlyMap<string, number>;

/** An estimator that asks the members, or their estimators. It never rejects; clusters that have not answered in time are absent from its table. */
export interface AccurateEstimator {
  maxAvailableReplicas(
    request: ReplicaEstimateRequest,
    clusters: readonly Cluster[],
    signal: AbortSignal,
  ): Promise<EstimateTable>;
  maxAvailableComponentSets(
    request: SetEstimateRequest,
    clusters: readonly Cluster[],
    signal: AbortSignal,
  ): Promise<EstimateTable>;
  /**
   * Returns, for the descheduler, the number of replicas of a workload that cannot be scheduled for longer than the threshold; undefined if it is not
   * known.
   */
  unschedulableReplicas(
    cluster: string,
    workload: ObjectReference,
    thresholdMs: number,
    signal: AbortSignal,
  ): Promise<number | undefined>;
}

/** How the estimators of members are reached: the flags of karmada-scheduler. */
export interface EstimatorSettings {
  readonly timeoutMs: number;
  /** The namespace of their Services. */
  readonly serviceNamespace: string;
  /** The Service of an estimator is `PREFIX-CLUSTER`. */
  readonly servicePrefix: string;
  readonly port: number;
  /** Paths of PEM files; '' for none. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  /** Any certificate of an estimator is accepted. */
  readonly skipsVerification: boolean;
  /** The estimators of members in pull mode are not asked. */
  readonly skipsPullMode: boolean;
  /** Members whose estimators have no Service in the API of the control plane are estimated in this process. */
  readonly inProcess: boolean;
}

/** What a decision asks about the clusters that have passed its filters: replicas, or sets if components are given. */
export interface EstimateQuery {
  readonly clusters: readonly Cluster[];
  readonly spec: BindingSpec;
  readonly components?: readonly Component[];
}

/** Returns the estimates of members for a decision. It never rejects; without an answer when the signal aborts, the table is empty. */
export type AnswerEstimates = (query: EstimateQuery, signal: AbortSignal) => Promise<EstimateTable>;

/** A computation in steps that may ask for the estimates of members. It is resumed with the answer. */
export type Deciding<T> = Generator<EstimateQuery | undefined, T, EstimateTable | undefined>;

/** A feasible cluster with everything that selection and division use. */
export interface Candidate {
  readonly name: string;
  readonly cluster: Cluster;
  readonly score: number;
  /** 0: primary affinity; i+1: the i-th overflow affinity. */
  readonly overflowOrder: number;
  /** Replicas that the cluster can still take; sets for a workload whose components are placed as a set. */
  readonly allocatable: number;
  /** `allocatable` plus the replicas that are there already. */
  readonly available: number;
}

/** Receives why a decision is as it is. Without a recorder nothing is recorded, and nothing is computed for it. */
export interface DecisionRecorder {
  /** Records that a decision begins, with a term of clusterAffinities; undefined: the placement has none. */
  began(affinityName: string | undefined): void;
  /** Records that a cluster is left out, by a plugin or ('') because it is being deleted. */
  filtered(cluster: string, plugin: string, reason: string): void;
  /** Records the feasible clusters, in order of preference. */
  ranked(candidates: readonly Candidate[]): void;
  /** Records the clusters that the spread constraints have selected. */
  selected(candidates: readonly Candidate[]): void;
  /** Records the result. */
  ended(decision: Decision): void;
}

/** Which clusters bindings of one class can use. */
export interface FilterClass {
  readonly clusters: readonly Cluster[];
  /** By the index of the cluster: its tier if it is feasible, or why it is not; undefined while it is deleted. */
  readonly verdicts: readonly (number | string | undefined)[];
  readonly feasible: number;
  readonly hasTiers: boolean;
}

/** What is known of bindings that ask the same of every cluster. */
export interface KnownClasses {
  /** Returns the class of a binding that is not placed; undefined if it must be filtered by itself. */
  filter(binding: SchedulingInput, clusters: readonly Cluster[]): InSteps<FilterClass | undefined>;
  /** Returns the feasible clusters in order of preference. */
  candidates(spec: BindingSpec, filter: FilterClass): InSteps<Candidate[]>;
}

/** The steps of a decision, by Karmada's names. */
export type Step = 'Filter' | 'Score' | 'Select' | 'AssignReplicas';

/** The result of a plugin, by Karmada's names. */
type PluginResult = 'Success' | 'Unschedulable';

export type TimePlugin = (point: 'Filter' | 'Score', plugin?: string) => (result: PluginResult) => void;

export interface ScheduleOptions {
  /** Clusters that are selected and get no replicas are targets, too: the workload is propagated there with none. */
  readonly enableEmptyWorkloadPropagation: boolean;
  readonly estimators: readonly Estimator[];
  /** Estimators for components that are placed as a set. Absent: none are (gate MultiplePodTemplatesScheduling). */
  readonly setEstimators?: readonly SetEstimator[] | undefined;
  /** Returns what is assumed to run in a cluster already. Absent: nothing (gate SchedulingOvercommitProtection). */
  readonly assumed?: ((cluster: string) => AssumedLoad | undefined) | undefined;
  /**
   * Results for bindings of one class, to be used again. The clusters of a decision are those of the one before, in an array that is the same if they
   * are.
   */
  readonly classes?: KnownClasses;
  /** Some estimators ask members, so the decision yields an `EstimateQuery` once the clusters are filtered. */
  readonly asksMembers?: boolean;
  /** Plugins that are disabled by name (`--plugins=*,-TaintToleration`). */
  readonly disabledPlugins?: ReadonlySet<string>;
  /** Called when a step begins. Returns what is called when it ends. */
  readonly timed?: (step: Step) => () => void;
  /** Called when a plugin begins, or all plugins of an extension point if `plugin` is absent. Returns what is called with the result. */
  readonly timedPlugin?: TimePlugin;
  readonly recorder?: DecisionRecorder;
}

/** The result of scheduling. Refusals are values: their type decides whether old targets stay and when the binding is tried again. */
export type Decision =
  | { readonly type: 'placed'; readonly clusters: readonly TargetCluster[] }
  | {
      readonly type: 'FitError' | 'UnschedulableError' | 'Error';
      readonly message: string;
      /** The plugins that have refused clusters, if none is feasible. */
      readonly refusedBy?: readonly string[];
    };
