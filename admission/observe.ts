/** What is counted of admission, of policies and of match conditions. Types only; of webhooks: `webhook/observe.ts`. */
import type { AdmissionRequest } from '../registry/admission-plugin.js';

/** One request went through. */
export type ObserveStep = (operation: AdmissionRequest['operation'], seconds: number, rejected: boolean) => void;

export interface ObserveAdmission {
  /** hot: asked once for each plugin, told of each request that it looks at. */
  plugin(name: string, type: 'admit' | 'validate'): ObserveStep;
  /** All plugins together. */
  step(type: 'admit' | 'validate'): ObserveStep;
}

/** Why an expression did not admit. `invalid_error` is anything else, a plain no included. */
// as apiserver/pkg/admission/plugin/policy/validating ErrorType
export type PolicyError = 'no_error' | 'compile_error' | 'out_of_budget' | 'invalid_error';

export interface ObservePolicies {
  /** A validation that denied (once for each action that follows from it), or failed without being in the way: `allow`. */
  validated(
    labels: {
      readonly policy: string;
      readonly binding: string;
      readonly error: PolicyError;
      readonly action: 'allow' | 'deny' | 'audit' | 'warn';
    },
    seconds: number,
  ): void;
  /** One mutation of a policy. */
  mutated(
    labels: { readonly policy: string; readonly binding: string; readonly error: PolicyError },
    seconds: number,
  ): void;
}

/** Whose conditions they are. */
export interface ConditionLabels {
  readonly name: string;
  readonly kind: 'webhook' | 'policy';
  readonly type: 'admit' | 'validate' | 'validating';
  readonly operation: string;
}

export interface ObserveConditions {
  /** All conditions of one webhook or policy; `failed`: how many of them had no outcome. */
  evaluated(labels: ConditionLabels, failed: number, seconds: number): void;
  /** A webhook is not called because of them. */
  excluded(labels: ConditionLabels): void;
}

/** By what an error says. */
export function policyErrorOf(message: string): PolicyError {
  if (message.startsWith('compilation')) return 'compile_error';
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error';
}
