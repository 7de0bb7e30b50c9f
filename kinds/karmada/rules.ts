/** What Karmada's webhooks do with objects that are written, as functions without a server around them. */
import type { FeatureGates } from './feature-gates.js';

export interface RuleContext {
  readonly operation: 'CREATE' | 'UPDATE';
  /** Of the request; '' for cluster-scoped kinds. */
  readonly namespace: string;
  readonly gates: FeatureGates;
  /** A random UUID. */
  newId(): string;
}

/** Changes the draft, which is in Go's form; `old` stays as it is. */
export type Mutate<T> = (draft: T, old: T | undefined, context: RuleContext) => void;

/** The text of a refusal; undefined when nothing is wrong. The object fits its schema. */
export type Judge<T> = (object: T, old: T | undefined, context: RuleContext) => string | undefined;
