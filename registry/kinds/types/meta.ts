/**
 * The native types of meta, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */

export interface Condition {
  lastTransitionTime?: string;
  message?: string;
  observedGeneration?: number;
  reason?: string;
  status?: string;
  type?: string;
}

export interface DeleteOptions {
  apiVersion?: string;
  dryRun?: string[];
  gracePeriodSeconds?: number;
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  kind?: string;
  orphanDependents?: boolean;
  preconditions?: Preconditions;
  propagationPolicy?: string;
}

export interface FieldSelectorRequirement {
  key?: string;
  operator?: string;
  values?: string[];
}

export interface LabelSelector {
  matchExpressions?: LabelSelectorRequirement[];
  matchLabels?: Record<string, string>;
}

export interface LabelSelectorRequirement {
  key?: string;
  operator?: string;
  values?: string[];
}

export interface Preconditions {
  resourceVersion?: string;
  uid?: string;
}

export interface ShardInfo {
  selector?: string;
}
