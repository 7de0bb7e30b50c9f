import type { Binding, Policy } from '../../api/karmada/types.js';
import type { Interpreter } from '../interpreter/interface.js';
import type { ControllerContext, EventRecorder, Informer } from '../../client/runtime/interface.js';
import type { Claim } from './claim.js';
import type { PolicySeries } from './policy-series.js';
import type { TemplateKey, Templates } from './templates.js';

export interface DetectorOptions {
  readonly interpreter: Interpreter;
  readonly templates: Templates;
  /** Policies that say so take templates from others (gate PropagationPolicyPreemption). */
  readonly preemption: boolean;
}

/** What is read beside the templates. */
export interface DetectorMirrors {
  readonly policies: Informer<Policy>;
  readonly clusterPolicies: Informer<Policy>;
  readonly overrides: Informer;
  readonly clusterOverrides: Informer;
  readonly priorityClasses: Informer;
  readonly bindings: Informer<Binding>;
  readonly clusterBindings: Informer<Binding>;
}

/** What template and policy reconcilers share. Queue keys: a TemplateKey, with a mark when only a policy changed and the policy is lazy. */
export interface DetectorDeps extends DetectorOptions, DetectorMirrors {
  readonly context: ControllerContext;
  readonly recorder: EventRecorder;
  /** What is being put on templates right now, by those who go on with what stands there then. */
  readonly claiming: Map<TemplateKey, Claim>;
  readonly series: PolicySeries;
  /** Looks at a template again; `byPolicy`: because of its policy, not because the user changed it. */
  readonly wake: (key: TemplateKey, byPolicy: boolean) => void;
}
