/**
 * Binding + clusters -> targets. Everything in `plugins/`, `place/` and `estimate/` is a pure function over values;
 * `loop/` holds the queue, the snapshot and the patches.
 */
import type { Binding, BindingSpec, BindingStatus, Cluster, TargetCluster } from '../api/karmada/types.js';

/** What one decision looks at. */
export interface Case {
  readonly spec: BindingSpec;
  readonly status: BindingStatus;
  /** Bindings of the same namespace with the same (anti-)affinity group, the newest state known of each; for workload affinity. */
  readonly peers?: (group: 'affinityGroup' | 'antiAffinityGroup', value: string) => readonly Binding[];
}

/** undefined: the cluster fits; otherwise why it does not. */
export type Filter = (binding: Case, cluster: Cluster) => string | undefined;
/** 0..100 */
export type Score = (binding: Case, cluster: Cluster) => number;

/** How many replicas a cluster can take; undefined: this estimator cannot say. */
export type Estimator = (cluster: Cluster, spec: BindingSpec) => number | undefined;

/** A feasible cluster with all that selection and division look at. */
export interface Candidate {
  readonly name: string;
  readonly cluster: Cluster;
  readonly score: number;
  /** 0: primary affinity; i+1: the i-th overflow affinity. */
  readonly overflowOrder: number;
  /** Replicas that still fit. */
  readonly allocatable: number;
  /** `allocatable` and those that are there already. */
  readonly available: number;
}

/** The steps of a decision, by Karmada's names. */
export type Step = 'Filter' | 'Score' | 'Select' | 'AssignReplicas';

export interface ScheduleOptions {
  readonly enableEmptyWorkloadPropagation: boolean;
  readonly estimators: readonly Estimator[];
  /** Plugins that are switched off by name (`--plugins=*,-TaintToleration`). */
  readonly disabledPlugins?: ReadonlySet<string>;
  /** Does the work of a step, and may look at the clock before and after. */
  readonly timed?: <T>(step: Step, work: () => T) => T;
}

/** Refusals are values: what they are decides whether old targets stay and when the binding is tried again. */
export type Decision =
  | { readonly type: 'placed'; readonly clusters: readonly TargetCluster[] }
  | { readonly type: 'FitError' | 'UnschedulableError' | 'Error'; readonly message: string };
