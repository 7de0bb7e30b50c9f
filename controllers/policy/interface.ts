import type { Binding, Policy } from '../../api/karmada/types.js';
import type { FeatureGates } from '../../kinds/karmada/feature-gates.js';
import type { Interpreter } from '../interpreter/interface.js';
import type { ControllerContext, EventRecorder, Informer } from '../../client/runtime/interface.js';
import type { Claim } from './claim.js';
import type { PolicySeries } from './policy-series.js';
import type { TemplateKey, Templates } from './templates.js';

export interface DetectorOptions {
  readonly interpreter: Interpreter;
  readonly templates: Templates;
  /** Policies with `preemption: Always` take templates from others (gate PropagationPolicyPreemption). */
  readonly preemption: boolean;
  readonly gates: DetectorGates;
}

/** The feature gates that decide what of a template and its policy a binding has, and which templates come first. */
export type DetectorGates = Pick<
  FeatureGates,
  | 'ControllerPriorityQueue'
  | 'MultiplePodTemplatesScheduling'
  | 'PriorityBasedScheduling'
  | 'ResourceQuotaEstimate'
  | 'WorkloadAffinity'
>;

/** Mirrors of the resources besides templates. */
export interface DetectorMirrors {
  readonly policies: Informer<Policy>;
  readonly clusterPolicies: Informer<Policy>;
  readonly overrides: Informer;
  readonly clusterOverrides: Informer;
  readonly priorityClasses: Informer;
  readonly bindings: Informer<Binding>;
  readonly clusterBindings: Informer<Binding>;
}

/** The dependencies of the reconcilers of templates and policies. */
export interface DetectorDeps extends DetectorOptions, DetectorMirrors {
  readonly context: ControllerContext;
  readonly recorder: EventRecorder;
  /** Claims that are being written. The reconcile that writes a claim continues with the claimed template. */
  readonly claiming: Map<TemplateKey, Claim>;
  readonly series: PolicySeries;
  /** Reconciles a template since its policy has changed, and not the template. A lazy policy then claims it, but does not write the binding. */
  readonly wakeByPolicy: (key: TemplateKey, isLazy: boolean) => void;
}

/** The part of the reconciliation of a policy that concerns one template. */
export interface PolicyStep {
  /** Resolves when the step is done. Rejects if the template must be visited again. */
  run(): Promise<void> | void;
  /** The template that is reconciled because of the step. */
  readonly wakes?: TemplateKey;
}
