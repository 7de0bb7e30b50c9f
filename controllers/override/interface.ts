import type { KubeObject } from '../../apimachinery/interface.js';
import type { Cluster, OverridePolicy, Overriders } from '../../api/karmada/types.js';

/** One policy that took part, as recorded on the Work. */
export interface AppliedOverride {
  readonly policyName: string;
  readonly overriders: Overriders;
}

export interface Overridden {
  /** A new object; the input where nothing applied. */
  readonly object: KubeObject;
  /** Sorted by policy name; empty when none applied. */
  readonly clusterOverrides: readonly AppliedOverride[];
  readonly overrides: readonly AppliedOverride[];
}

/**
 * Applies ClusterOverridePolicies, then OverridePolicies of the object's namespace, to a manifest for a cluster.
 * Rejects when a patch cannot be applied, and BoundaryError when an OverridePolicy changes which object it is: nothing is then sent
 * to the cluster.
 */
export type ApplyOverrides = (
  object: KubeObject,
  cluster: Cluster,
  policies: readonly OverridePolicy[],
  report?: OverrideReport,
) => Promise<Overridden>;

/** Hears what became of each rule. */
export interface OverrideReport {
  /** The rule was applied, or could not be. */
  ruled(policy: OverridePolicy, succeeded: boolean): void;
  /** An OverridePolicy changes the identity of the object; called in the modes `enforce` and `warn`. */
  crossed(text: string): void;
}
