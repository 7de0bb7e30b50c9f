import type { KubeObject } from '../../openapi/interface.js';
import type { Cluster, OverridePolicy, Overriders } from '../../registry/kinds/karmada/types.js';

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
 * Applies ClusterOverridePolicies, then OverridePolicies of the object's namespace, to a manifest for a cluster (inventory CTL-035).
 * Throws when a patch cannot be applied: nothing is then sent to the cluster.
 */
export type ApplyOverrides = (
  object: KubeObject,
  cluster: Cluster,
  policies: readonly OverridePolicy[],
  report?: OverrideReport,
) => Overridden;

/** Told of every rule that was applied, or that could not be. */
export type OverrideReport = (policy: OverridePolicy, succeeded: boolean) => void;
