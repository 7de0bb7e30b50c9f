/** Interfaces for the metrics of admission, policies and match conditions. Those of webhooks are in `webhook/observe.ts`. */
import type { AdmissionRequest } from '../registry/admission-plugin.js';

/** Records one run of a plugin or of all plugins. */
export type ObserveStep = (operation: AdmissionRequest['operation'], seconds: number, rejected: boolean) => void;

export interface ObserveAdmission {
  /** Returns the metrics of a plugin. hot: the result is called for each request that the plugin handles. */
  plugin(name: string, type: 'admit' | 'validate'): ObserveStep;
  /** Returns the metrics of all plugins together. */
  step(type: 'admit' | 'validate'): ObserveStep;
}

/** Why an expression did not admit. `invalid_error` is any other reason, including a regular denial. */
// as apiserver/pkg/admission/plugin/policy/validating ErrorType
export type PolicyError = 'no_error' | 'compile_error' | 'out_of_budget' | 'invalid_error';

export interface ObservePolicies {
  /** Records a validation that denied, once per action, or that failed without a denial: action `allow`. */
  validated(
    labels: {
      readonly policy: string;
      readonly binding: string;
      readonly error: PolicyError;
      readonly action: 'allow' | 'deny' | 'audit' | 'warn';
    },
    seconds: number,
  ): void;
  /** Records one mutation of a policy. */
  mutated(
    labels: { readonly policy: string; readonly binding: string; readonly error: PolicyError },
    seconds: number,
  ): void;
}

/** Labels of the webhook or policy with the conditions. */
interface ConditionLabels {
  readonly name: string;
  readonly kind: 'webhook' | 'policy';
  readonly type: 'admit' | 'validate' | 'validating';
  readonly operation: string;
}

export interface ObserveConditions {
  /** Records an evaluation of all conditions of a webhook or policy; `failed` is the number of conditions with errors. */
  evaluated(labels: ConditionLabels, failed: number, seconds: number): void;
  /** Records that a webhook was not called because of its conditions. */
  excluded(labels: ConditionLabels): void;
}

/** Classifies an error by its message. */
export function policyErrorOf(message: string): PolicyError {
  if (message.startsWith('compilation')) return 'compile_error';
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error';
}
