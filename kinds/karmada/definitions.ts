import type { ResourceDefinition } from '../../registry/interface.js';
import { clusterDefinition } from './clusters/cluster.js';
import { type FeatureGates, featureGates } from './feature-gates.js';
import { searchDefinitions } from './resource-registry.js';

/** Returns the kinds that Karmada's aggregated API servers serve: those that are not custom resources. */
export function karmadaDefinitions(gates: FeatureGates = featureGates()): readonly ResourceDefinition[] {
  return [clusterDefinition(gates), ...searchDefinitions()];
}

/** The group-versions of these kinds, with the priorities that their APIServices have. */
export const karmadaApiServices = [
  { group: 'cluster.karmada.io', version: 'v1alpha1', groupPriorityMinimum: 2000, versionPriority: 10 },
  { group: 'search.karmada.io', version: 'v1alpha1', groupPriorityMinimum: 2000, versionPriority: 10 },
] as const;

/** Returns the priority of a group-version in discovery; undefined for all that are not Karmada's own. */
export function karmadaPriority(group: string, version: string): { group: number; version: number } | undefined {
  const found = karmadaApiServices.find(service => service.group === group && service.version === version);
  return found && { group: found.groupPriorityMinimum, version: found.versionPriority };
}
