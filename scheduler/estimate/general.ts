import { parseQuantity, quantityValue } from '../../apimachinery/quantity/quantity.js';
import type { Cluster, ReplicaRequirements, ResourceList, ResourceSummary } from '../../api/karmada/types.js';
import type { InSteps } from '../../lib/time-slice.js';
import type { AssumedLoad, Estimator } from '../interface.js';
import { isNodeResource, setsByModels } from './component-sets.js';
import { leastOfGrade } from './model-ranges.js';
import { freePods, maxInt32, podsPerModelNode, parsedQuantity, remaining } from './resource-summary.js';
import { resourceValue } from './resource-value.js';

function bySummary(summary: ResourceSummary, request: ResourceList): number {
  let limit = Number.MAX_SAFE_INTEGER;
  for (const [name, text] of Object.entries(request)) {
    const wanted = parsedQuantity(request, name) ?? parseQuantity(text);
    if (quantityValue(wanted) <= 0) continue;
    const left = remaining(summary, name);
    if (!left || quantityValue(left) <= 0) return 0;
    limit = Math.min(limit, Math.trunc(resourceValue(name, left) / resourceValue(name, wanted)));
  }
  return limit;
}

/**
 * Estimates by the cluster's resource models: the counted nodes of each grade, each with the minimum that its grade guarantees. Returns
 * undefined when the cluster has no models.
 */
function byModels(cluster: Cluster, request: ResourceList): number | undefined {
  const models = cluster.spec.resourceModels;
  const counts = cluster.status?.resourceSummary?.allocatableModelings ?? [];
  if (!models?.length || counts.some(({ count }) => count < 0)) return undefined;
  // The nodes of models count only what nodes have; a replica is one pod, whatever it requests.
  const wants = Object.entries(request)
    .map(([name, text]) => ({
      name,
      wanted: resourceValue(name, parsedQuantity(request, name) ?? parseQuantity(text)),
    }))
    .filter(({ name, wanted }) => wanted > 0 && isNodeResource(name));
  let total = 0;
  for (const { grade, ranges } of models) {
    const nodes = counts.filter(c => c.grade === grade).reduce((sum, { count }) => sum + count, 0);
    if (nodes === 0) continue; // most grades have no nodes
    let each = podsPerModelNode;
    for (const { name, wanted } of wants) {
      const min = leastOfGrade(ranges).get(name);
      each = Math.min(each, min === undefined ? 0 : Math.trunc(resourceValue(name, min) / wanted));
    }
    total += nodes * each;
  }
  return total;
}

/** Returns how many replicas fit according to the status of the Cluster. as pkg/estimator/client GeneralEstimator.maxAvailableReplicas */
export function estimateReplicas(
  cluster: Cluster,
  requirements: ReplicaRequirements | undefined,
  { usesModels = true } = {},
): number {
  const summary = cluster.status?.resourceSummary;
  if (!summary) return 0;
  const pods = freePods(summary);
  if (pods <= 0) return 0;
  if (!requirements) return Math.min(pods, maxInt32);
  const request = requirements.resourceRequest ?? {};
  const modelled = usesModels && summary.allocatableModelings?.length ? byModels(cluster, request) : undefined;
  return Math.min(pods, modelled ?? bySummary(summary, request), maxInt32);
}

/** Returns how many replicas fit besides assumed workloads. */
function* replicasBeside(
  cluster: Cluster,
  requirements: ReplicaRequirements | undefined,
  assumed: AssumedLoad,
  usesModels: boolean,
): InSteps<number> {
  const summary = cluster.status?.resourceSummary;
  if (!summary) return 0;
  const resourceSummary = assumed.beside(summary);
  const beside = { ...cluster, status: { ...cluster.status, resourceSummary } };
  const bySum = estimateReplicas(beside, requirements, { usesModels: false });
  if (!usesModels || !requirements || bySum === 0 || !summary.allocatableModelings?.length) return bySum;
  const replica = { name: 'replica', replicas: 1, replicaRequirements: requirements };
  const byNodes = yield* setsByModels(cluster, [replica], maxInt32, assumed.workloads);
  return byNodes === undefined ? bySum : Math.min(byNodes, freePods(resourceSummary), maxInt32);
}

const estimator =
  (usesModels: boolean): Estimator =>
  (cluster, { replicaRequirements }, assumed) =>
    assumed
      ? replicasBeside(cluster, replicaRequirements, assumed, usesModels)
      : estimateReplicas(cluster, replicaRequirements, { usesModels });

/** The estimator that is always available: it uses only the Cluster object. */
export const generalEstimator: Estimator = estimator(true);

/** As `generalEstimator`, without the resource models of clusters (gate CustomizedClusterResourceModeling is off). */
export const summaryEstimator: Estimator = estimator(false);
