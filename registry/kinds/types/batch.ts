/**
 * The native types of batch, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject, ObjectMeta } from '../../../openapi/interface.js';
import type * as core from './core.js';
import type * as meta from './meta.js';

export interface CronJob extends KubeObject {
  spec?: CronJobSpec;
  status?: CronJobStatus;
}

export interface CronJobSpec {
  concurrencyPolicy?: string;
  failedJobsHistoryLimit?: number;
  jobTemplate?: JobTemplateSpec;
  schedule?: string;
  startingDeadlineSeconds?: number;
  successfulJobsHistoryLimit?: number;
  suspend?: boolean;
  timeZone?: string;
}

export interface CronJobStatus {
  active?: core.ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}

export interface Job extends KubeObject {
  spec?: JobSpec;
  status?: JobStatus;
}

export interface JobCondition {
  lastProbeTime?: string;
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface JobSpec {
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  completionMode?: string;
  completions?: number;
  managedBy?: string;
  manualSelector?: boolean;
  maxFailedIndexes?: number;
  parallelism?: number;
  podFailurePolicy?: PodFailurePolicy;
  podReplacementPolicy?: string;
  selector?: meta.LabelSelector;
  successPolicy?: SuccessPolicy;
  suspend?: boolean;
  template?: core.PodTemplateSpec;
  ttlSecondsAfterFinished?: number;
}

export interface JobStatus {
  active?: number;
  completedIndexes?: string;
  completionTime?: string;
  conditions?: JobCondition[];
  failed?: number;
  failedIndexes?: string;
  ready?: number;
  startTime?: string;
  succeeded?: number;
  terminating?: number;
  uncountedTerminatedPods?: UncountedTerminatedPods;
}

export interface JobTemplateSpec {
  metadata?: ObjectMeta;
  spec?: JobSpec;
}

export interface PodFailurePolicy {
  rules?: PodFailurePolicyRule[];
}

export interface PodFailurePolicyOnExitCodesRequirement {
  containerName?: string;
  operator?: string;
  values?: number[];
}

export interface PodFailurePolicyOnPodConditionsPattern {
  status?: string;
  type?: string;
}

export interface PodFailurePolicyRule {
  action?: string;
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
}

export interface SuccessPolicy {
  rules?: SuccessPolicyRule[];
}

export interface SuccessPolicyRule {
  succeededCount?: number;
  succeededIndexes?: string;
}

export interface UncountedTerminatedPods {
  failed?: string[];
  succeeded?: string[];
}
