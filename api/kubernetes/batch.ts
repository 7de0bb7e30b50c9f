import type * as gen from '../../openapi/gen/batch-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type CronJob = DraftKind<gen.CronJob>;
export type CronJobSpec = Draft<gen.CronJobSpec>;
export type CronJobStatus = Draft<gen.CronJobStatus>;
export type Job = DraftKind<gen.Job>;
export type JobCondition = Draft<gen.JobCondition>;
export type JobSpec = Draft<gen.JobSpec>;
export type JobStatus = Draft<gen.JobStatus>;
export type JobTemplateSpec = Draft<gen.JobTemplateSpec>;
export type PodFailurePolicy = Draft<gen.PodFailurePolicy>;
export type PodFailurePolicyOnExitCodesRequirement = Draft<gen.PodFailurePolicyOnExitCodesRequirement>;
export type PodFailurePolicyOnPodConditionsPattern = Draft<gen.PodFailurePolicyOnPodConditionsPattern>;
export type PodFailurePolicyRule = Draft<gen.PodFailurePolicyRule>;
export type SuccessPolicy = Draft<gen.SuccessPolicy>;
export type SuccessPolicyRule = Draft<gen.SuccessPolicyRule>;
export type UncountedTerminatedPods = Draft<gen.UncountedTerminatedPods>;
