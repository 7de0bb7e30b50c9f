import {
  type Quantity,
  quantityMilliValue,
  quantityValue,
  zeroQuantity,
} from '../../apimachinery/quantity/quantity.js';
import type { Cluster, Component, ResourceList, ResourceSummary } from '../../api/karmada/types.js';
import { isScalarResource } from '../../kinds/shared/rules/resource-names.js';
import { type InSteps, Strides } from '../../lib/time-slice.js';
import type { AssumedLoad, AssumedWorkload, SetEstimator } from '../interface.js';
import { type Demand, type Nodes, setsThatFit } from './first-fit.js';
import { leastOfGrade } from './model-ranges.js';
import { freePods, maxInt32, parsedQuantity, podsPerModelNode, remaining } from './resource-summary.js';
import { resourceValue } from './resource-value.js';

/** The components of a workload, prepared for the estimates of all clusters. */
interface ComponentSet {
  readonly components: readonly Component[];
  /** The number of pods. */
  readonly pods: number;
  /** The sum of the requests, by resource. */
  readonly request: ReadonlyMap<string, number>;
}

/**
 * Returns the amount in thousandths for a decimal quantity, in whole units for a binary one. A request and the free amount in different formats
 * are not comparable, but so Karmada compares them. as pkg/estimator/client quantityAsInt64
 */
export const amountByFormat = (quantity: Quantity): number =>
  quantity.format === 'BinarySI' ? quantityValue(quantity) : quantityMilliValue(quantity);

/** Returns the value of a resource of a list; 0 if the list does not have it. It is parsed once. */
function valueIn(list: ResourceList, name: string): number {
  const quantity = parsedQuantity(list, name);
  return quantity ? resourceValue(name, quantity) : 0;
}

/** Reports whether the nodes of resource models have the resource. as pkg/util Resource.Add */
export const isNodeResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || isScalarResource(name);

function prepare(components: readonly Component[]): ComponentSet {
  const request = new Map<string, number>();
  let pods = 0;
  for (const { replicas, replicaRequirements } of components) {
    pods += replicas;
    const { resourceRequest = {} } = replicaRequirements ?? {};
    for (const name of Object.keys(resourceRequest)) {
      const amount = amountByFormat(parsedQuantity(resourceRequest, name) ?? zeroQuantity);
      request.set(name, (request.get(name) ?? 0) + amount * replicas);
    }
  }
  return { components, pods, request };
}

/** Returns how many sets the free amounts of the whole cluster are sufficient for, without those that are taken. */
function bySummary(
  summary: ResourceSummary,
  { request }: ComponentSet,
  taken: AssumedLoad | undefined,
  max: number,
): number {
  let sets = max;
  for (const [name, wanted] of request) {
    if (wanted <= 0) continue;
    const left = remaining(summary, name);
    const free = (left ? amountByFormat(left) : 0) - (taken?.requested.get(name) ?? 0);
    if (free <= 0) return 0;
    sets = Math.min(sets, Math.trunc(free / wanted));
  }
  return sets;
}

/** The nodes that the resource models of a cluster count, and the names of their resources. */
interface ModelNodes {
  readonly resources: readonly string[];
  readonly nodes: readonly Nodes[];
}

/** Returns the nodes of each grade with the minimum that the grade guarantees; undefined if the cluster has no usable models. */
function modelNodes({ spec, status }: Cluster): ModelNodes | undefined {
  const counts = status?.resourceSummary?.allocatableModelings ?? [];
  const models = spec.resourceModels?.toSorted((a, b) => a.grade - b.grade) ?? [];
  if (models.length === 0 || counts.length === 0 || counts.some(({ count }) => count < 0)) return undefined;
  const resources = [...new Set(models.flatMap(({ ranges }) => ranges.map(({ name }) => name)))].filter(isNodeResource);
  const nodes = models.map(({ grade, ranges }) => ({
    free: [
      ...resources.map(name => resourceValue(name, leastOfGrade(ranges).get(name) ?? zeroQuantity)),
      podsPerModelNode,
    ],
    count: counts.filter(c => c.grade === grade).reduce((sum, { count }) => sum + count, 0),
  }));
  return { resources, nodes };
}

/** Returns what the components need, up to the first one that needs what no node has. */
function* demandsOf(
  components: readonly Component[],
  resources: readonly string[],
): InSteps<{ demands: Demand[]; isFeasible: boolean }> {
  const demands: Demand[] = [];
  const strides = new Strides();
  for (const { replicas, replicaRequirements: { resourceRequest = {} } = {} } of components) {
    if (strides.isOver) yield;
    if (replicas <= 0) continue;
    if (needsOthers(resourceRequest, resources)) return { demands, isFeasible: false };
    demands.push({ replicas, each: [...resources.map(name => valueIn(resourceRequest, name)), 1] });
  }
  return { demands, isFeasible: true };
}

/**
 * Returns how many sets fit on the nodes that the resource models of the cluster count, after assumed workloads; undefined if the cluster has no usable
 * models. as pkg/estimator/client getMaximumSetsBasedOnResourceModels
 */
export function* setsByModels(
  cluster: Cluster,
  components: readonly Component[],
  max: number,
  assumed: readonly AssumedWorkload[],
): InSteps<number | undefined> {
  const models = modelNodes(cluster);
  if (!models) return undefined;
  const { resources, nodes } = models;
  const { demands, isFeasible } = yield* demandsOf(components, resources);
  if (!isFeasible) return 0;
  const before: Demand[][] = [];
  for (const workload of assumed) before.push((yield* demandsOf(workload.components, resources)).demands);
  return yield* setsThatFit(nodes, demands, max, before);
}

/** Reports whether a replica needs a resource that no node of the models has. */
const needsOthers = (request: ResourceList, resources: readonly string[]): boolean =>
  Object.keys(request).some(name => !resources.includes(name) && isNodeResource(name) && valueIn(request, name) > 0);

function* setsIn(
  cluster: Cluster,
  set: ComponentSet,
  usesModels: boolean,
  assumed: AssumedLoad | undefined,
): InSteps<number> {
  const summary = cluster.status?.resourceSummary;
  if (!summary) return 0;
  const pods = Math.min(freePods(summary) - (assumed?.pods ?? 0), maxInt32);
  if (pods <= 0) return 0;
  if (set.pods <= 0) return pods;
  const sets = bySummary(summary, set, assumed, Math.trunc(pods / set.pods));
  if (!usesModels || sets <= 0) return sets;
  return (yield* setsByModels(cluster, set.components, sets, assumed?.workloads ?? [])) ?? sets;
}

const estimator =
  (usesModels: boolean): SetEstimator =>
  components => {
    const set = prepare(components);
    return (cluster, assumed) => setsIn(cluster, set, usesModels, assumed);
  };

/**
 * Estimates how many sets of components fit according to the status of the Cluster, and to its resource models if it has any.
 * as pkg/estimator/client GeneralEstimator.maxAvailableComponentSets
 */
export const generalSetEstimator: SetEstimator = estimator(true);

/** As `generalSetEstimator`, without the resource models of clusters (gate CustomizedClusterResourceModeling is off). */
export const summarySetEstimator: SetEstimator = estimator(false);
