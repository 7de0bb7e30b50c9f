import {
  parseQuantity,
  type Quantity,
  quantityMilliValue,
  quantityValue,
  subtractQuantities,
} from '../../apimachinery/quantity/quantity.js';
import type { Cluster, ReplicaRequirements, ResourceList, ResourceSummary } from '../../api/karmada/types.js';
import type { Estimator } from '../interface.js';

const podsPerModelNode = 110;
const maxInt32 = 2_147_483_647;

/** What is left of a resource in the whole cluster; undefined when the cluster does not have it. */
function remaining(summary: ResourceSummary, name: string): Quantity | undefined {
  const allocatable = summary.allocatable?.[name];
  if (allocatable === undefined) return undefined;
  const used = [summary.allocated?.[name], summary.allocating?.[name]].filter(text => text !== undefined);
  return used.reduce((left, text) => subtractQuantities(left, parseQuantity(text)), parseQuantity(allocatable));
}

/** CPU is counted in thousandths, everything else in whole units. */
const amount = (name: string, quantity: Quantity): number =>
  name === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity);

/** Pods that may still be created, as far as the cluster's nodes say. */
function freePods({ allocatable, allocated, allocating }: ResourceSummary): number {
  const pods = (list: ResourceList | undefined): number =>
    list?.['pods'] ? quantityValue(parseQuantity(list['pods'])) : 0;
  return Math.max(0, pods(allocatable) - pods(allocated) - pods(allocating));
}

function bySummary(summary: ResourceSummary, request: ResourceList): number {
  let most = Number.MAX_SAFE_INTEGER;
  for (const [name, text] of Object.entries(request)) {
    const wanted = parseQuantity(text);
    if (quantityValue(wanted) <= 0) continue;
    const left = remaining(summary, name);
    if (!left || quantityValue(left) <= 0) return 0;
    most = Math.min(most, Math.trunc(amount(name, left) / amount(name, wanted)));
  }
  return most;
}

/**
 * By the cluster's resource models: as many nodes of each grade as were counted, each with no more than its grade guarantees.
 * undefined where the cluster has no models.
 */
function byModels(cluster: Cluster, request: ResourceList): number | undefined {
  const models = cluster.spec.resourceModels;
  const counts = cluster.status?.resourceSummary?.allocatableModelings ?? [];
  if (!models?.length || counts.some(({ count }) => count < 0)) return undefined;
  // A replica is one pod, whatever it asks for.
  const wants = Object.entries(request)
    .map(([name, text]) => ({ name, wanted: amount(name, parseQuantity(text)) }))
    .filter(({ name, wanted }) => wanted > 0 && name !== 'pods');
  let total = 0;
  for (const { grade, ranges } of models) {
    const nodes = counts.filter(c => c.grade === grade).reduce((sum, { count }) => sum + count, 0);
    if (nodes === 0) continue; // of most grades there is none
    let each = podsPerModelNode;
    for (const { name, wanted } of wants) {
      const min = ranges.find(range => range.name === name)?.min;
      each = Math.min(each, min === undefined ? 0 : Math.trunc(amount(name, parseQuantity(min)) / wanted));
    }
    total += nodes * each;
  }
  return total;
}

/** Returns how many replicas fit by what the Cluster's status says. as pkg/estimator/client GeneralEstimator.maxAvailableReplicas */
export function estimateReplicas(cluster: Cluster, requirements: ReplicaRequirements | undefined): number {
  const summary = cluster.status?.resourceSummary;
  if (!summary) return 0;
  const pods = freePods(summary);
  if (pods <= 0) return 0;
  if (!requirements) return Math.min(pods, maxInt32);
  const request = requirements.resourceRequest ?? {};
  const modelled = summary.allocatableModelings?.length ? byModels(cluster, request) : undefined;
  return Math.min(pods, modelled ?? bySummary(summary, request), maxInt32);
}

/** The estimator that is always there: it needs nothing but the Cluster object. */
export const generalEstimator: Estimator = (cluster, spec) => estimateReplicas(cluster, spec.replicaRequirements);
