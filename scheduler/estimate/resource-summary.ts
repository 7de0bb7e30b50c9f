import {
  parseQuantity,
  type Quantity,
  quantityValue,
  subtractQuantities,
} from '../../apimachinery/quantity/quantity.js';
import type { ResourceList, ResourceSummary } from '../../api/karmada/types.js';

/** The number of Pods that a node of a resource model can run. as pkg/estimator/client maxPodsCountPerNode */
export const podsPerModelNode = 110;

export const maxInt32 = 2_147_483_647;

/** Returns the free amount of a resource in the whole cluster; undefined when the cluster does not have it. */
export function remaining(summary: ResourceSummary, name: string): Quantity | undefined {
  const allocatable = summary.allocatable?.[name];
  if (allocatable === undefined) return undefined;
  const used = [summary.allocated?.[name], summary.allocating?.[name]].filter(text => text !== undefined);
  return used.reduce((left, text) => subtractQuantities(left, parseQuantity(text)), parseQuantity(allocatable));
}

/** Returns the number of Pods that can still be created, according to the cluster's nodes. */
export function freePods({ allocatable, allocated, allocating }: ResourceSummary): number {
  const pods = (list: ResourceList | undefined): number =>
    list?.['pods'] ? quantityValue(parseQuantity(list['pods'])) : 0;
  return Math.max(0, pods(allocatable) - pods(allocated) - pods(allocating));
}
