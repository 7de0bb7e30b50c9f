import type { KubeObject } from '../../apimachinery/interface.js';
import type { Cluster, OverridePolicy, Overriders } from '../../api/karmada/types.js';

/** One applied rule of a policy, as recorded on the Work. */
export interface AppliedOverride {
  readonly policyName: string;
  readonly overriders: Overriders;
}

export interface Overridden {
  /** A new object; the input if no policy matched. */
  readonly object: KubeObject;
  /** Applied rules, sorted by policy name. */
  readonly clusterOverrides: readonly AppliedOverride[];
  readonly overrides: readonly AppliedOverride[];
}

/** Finds the override policies that may select an object. Their labels are compared later. */
export interface OverrideSource {
  /** Returns ClusterOverridePolicies. */
  clusterWide(object: KubeObject): readonly OverridePolicy[];
  /** Returns OverridePolicies of a namespace. */
  namespaced(object: KubeObject, namespace: string): readonly OverridePolicy[];
}

/**
 * Applies ClusterOverridePolicies, then OverridePolicies of the object's namespace, to a manifest for a cluster. Rejects if a patch cannot be
 * applied, and with BoundaryError if an OverridePolicy changes the identity of the object; then nothing is sent to the cluster.
 */
export type ApplyOverrides = (
  object: KubeObject,
  cluster: Cluster,
  policies: OverrideSource,
  report?: OverrideReport,
) => Promise<Overridden>;

/** Receives the results of the rules. */
export interface OverrideReport {
  /** Called after each rule. */
  ruled(policy: OverridePolicy, succeeded: boolean): void;
  /** Called in the modes `enforce` and `warn` if an OverridePolicy changes the identity of the object. */
  crossed(text: string): void;
}
