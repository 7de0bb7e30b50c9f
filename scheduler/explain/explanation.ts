/** Why a binding has its clusters, or would have others: the answer of the subresource `explanation` of a binding. */
import type { ObjectReference, TargetCluster } from '../../api/karmada/types.js';

/** What a decision found about one cluster. */
export interface ExplainedCluster {
  readonly name: string;
  /** `filtered`: it does not fit. `notSelected`: it fits, and others are preferred. */
  readonly result: 'filtered' | 'notSelected' | 'selected';
  /** The plugin that filtered it out; absent for a cluster that is being deleted. */
  readonly plugin?: string;
  /** Why it is filtered, not selected, or selected without replicas. */
  readonly reason?: string;
  readonly region?: string;
  readonly score?: number;
  /** 0 or absent: the primary affinity; i+1: the i-th overflow affinity. */
  readonly tier?: number;
  /** Replicas (or sets of components) that it could hold, those that it has included. */
  readonly available?: number;
  readonly replicas?: number;
}

/** A region, or another group of clusters, as the spread constraint compares it. */
export interface ExplainedRegion {
  readonly name: string;
  readonly score: number;
  readonly clusters: number;
  readonly selected: boolean;
}

/** One run of the algorithm: for a placement without clusterAffinities the only one, otherwise one for each term that was tried. */
export interface ExplainedDecision {
  readonly affinityName?: string;
  readonly type: 'placed' | 'FitError' | 'UnschedulableError' | 'Error';
  readonly message?: string;
  /** In order of preference; the filtered ones behind the others. */
  readonly clusters: readonly ExplainedCluster[];
  /** Only for a spread constraint for regions, or for a label. */
  readonly regions?: readonly ExplainedRegion[];
  /** The label whose values are the groups in `regions`; absent for regions. */
  readonly groupedBy?: string;
  /** The number of clusters that are left out, since an explanation has a limit. */
  readonly omittedClusters?: number;
}

/** A cluster whose replicas a new decision would change. */
export interface ExplainedChange {
  readonly cluster: string;
  /** Absent: the cluster is no target. */
  readonly from?: number;
  readonly to?: number;
  readonly reason: string;
}

export interface SchedulingExplanation {
  readonly kind: 'SchedulingExplanation';
  readonly apiVersion: 'work.karmada.io/v1alpha2';
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly binding: {
    readonly kind: string;
    readonly generation?: number;
    readonly schedulerObservedGeneration?: number;
    readonly lastScheduledTime?: string;
  };
  readonly resource: ObjectReference;
  readonly replicas?: number;
  /** How replicas are divided among the selected clusters. */
  readonly division: string;
  /** Why the scheduler decides (again). Empty: it leaves the targets as they are. */
  readonly causes: readonly string[];
  /** The number of clusters whose members were asked how many replicas fit, and of those that have answered in time. Absent: none was asked. */
  readonly estimates?: { readonly asked: number; readonly answered: number };
  readonly decisions: readonly ExplainedDecision[];
  /** The number of terms of clusterAffinities that were tried and are left out. */
  readonly omittedDecisions?: number;
  /** What may help, if the binding cannot be placed: changes of any of these schedule it again. */
  readonly waitsFor?: readonly string[];
  readonly current: readonly TargetCluster[];
  /** The targets that the binding would have after a decision now. */
  readonly next: readonly TargetCluster[];
  /** The differences between `current` and `next`. */
  readonly changes: readonly ExplainedChange[];
}
