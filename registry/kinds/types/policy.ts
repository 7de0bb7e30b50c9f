/**
 * The native types of policy, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';
import type * as meta from './meta.js';
import type { IntOrString } from './scalars.js';

export interface Eviction extends KubeObject {
  deleteOptions?: meta.DeleteOptions;
}

export interface PodDisruptionBudget extends KubeObject {
  spec?: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetSpec {
  maxUnavailable?: IntOrString;
  minAvailable?: IntOrString;
  selector?: meta.LabelSelector;
  unhealthyPodEvictionPolicy?: string;
}

export interface PodDisruptionBudgetStatus {
  conditions?: meta.Condition[];
  currentHealthy?: number;
  desiredHealthy?: number;
  disruptedPods?: Record<string, string>;
  disruptionsAllowed?: number;
  expectedPods?: number;
  observedGeneration?: number;
}
