import type { ResourceDefinition } from '../../interface.js';
import { clusterDefinition } from './cluster.js';
import { type FeatureGates, featureGates } from './feature-gates.js';
import { searchDefinitions } from './resource-registry.js';

/** What Karmada's aggregated API servers serve: the kinds that are no custom resources. */
export function karmadaDefinitions(gates: FeatureGates = featureGates()): readonly ResourceDefinition[] {
  return [clusterDefinition(gates), ...searchDefinitions()];
}
