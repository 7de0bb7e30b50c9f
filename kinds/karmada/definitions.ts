import type { ResourceDefinition } from '../../registry/interface.js';
import { clusterDefinition } from './clusters/cluster.js';
import { type FeatureGates, featureGates } from './feature-gates.js';
import { searchDefinitions } from './resource-registry.js';

/** Returns the kinds that Karmada's aggregated API servers serve: those that are not custom resources. */
export function karmadaDefinitions(gates: FeatureGates = featureGates()): readonly ResourceDefinition[] {
  return [clusterDefinition(gates), ...searchDefinitions()];
}

/** The group-versions of these kinds, with the priorities that their APIServices have. */
const compiledApiServices = [
  { group: 'cluster.karmada.io', version: 'v1alpha1', groupPriorityMinimum: 2000, versionPriority: 10 },
  { group: 'search.karmada.io', version: 'v1alpha1', groupPriorityMinimum: 2000, versionPriority: 10 },
] as const;

/**
 * The group-versions of karmada-metrics-adapter and of external metrics, with their priorities. as
 * artifacts/deploy/karmada-metrics-adapter-apiservice.yaml
 */
const metricsApiServices = [
  { group: 'metrics.k8s.io', version: 'v1beta1', groupPriorityMinimum: 2000, versionPriority: 10 },
  { group: 'custom.metrics.k8s.io', version: 'v1beta2', groupPriorityMinimum: 100, versionPriority: 200 },
  { group: 'custom.metrics.k8s.io', version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 200 },
  { group: 'external.metrics.k8s.io', version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100 },
] as const;

/** The group-versions that have APIServices from the start. Other servers can take those of metrics over. */
export const karmadaApiServices = [...compiledApiServices, ...metricsApiServices] as const;

/** Returns the priority of a group-version in discovery; undefined for all that are not Karmada's own. */
export function karmadaPriority(group: string, version: string): { group: number; version: number } | undefined {
  const found = karmadaApiServices.find(service => service.group === group && service.version === version);
  return found && { group: found.groupPriorityMinimum, version: found.versionPriority };
}
