/** The logic of Karmada's webhooks on written objects, as functions independent of a server. */
import type { FeatureGates } from './feature-gates.js';

export interface RuleContext {
  readonly operation: 'CREATE' | 'UPDATE';
  /** The namespace of the request; '' for cluster-scoped kinds. */
  readonly namespace: string;
  readonly gates: FeatureGates;
  /** A random UUID. */
  readonly newId: () => string;
}

/** Changes the draft, which is in Go's form; `old` must not be changed. */
export type Mutate<T> = (draft: T, old: T | undefined, context: RuleContext) => void;

/** Returns the text of a refusal; undefined if nothing is wrong. The object fits its schema. */
export type WebhookRule<T> = (object: T, old: T | undefined, context: RuleContext) => string | undefined;
