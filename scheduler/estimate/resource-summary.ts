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

/** The quantities of lists that were parsed. A list is that of one version of an object, and does not change. */
const parsedLists = new WeakMap<ResourceList, Map<string, Quantity>>();

/**
 * Returns a quantity of a list, which is parsed once; undefined if the list does not have it. hot: every decision reads the summaries of all
 * clusters.
 */
export function parsedQuantity(list: ResourceList | undefined, name: string): Quantity | undefined {
  const text = list?.[name];
  if (list === undefined || text === undefined) return undefined;
  let parsed = parsedLists.get(list);
  if (!parsed) parsedLists.set(list, (parsed = new Map<string, Quantity>()));
  let quantity = parsed.get(name);
  if (!quantity) parsed.set(name, (quantity = parseQuantity(text)));
  return quantity;
}

/** The free amounts of summaries, by name; null if the cluster does not have the resource. */
const freeAmounts = new WeakMap<ResourceSummary, Map<string, Quantity | null>>();

/** Returns the free amount of a resource in the whole cluster; undefined when the cluster does not have it. */
export function remaining(summary: ResourceSummary, name: string): Quantity | undefined {
  let known = freeAmounts.get(summary);
  if (!known) freeAmounts.set(summary, (known = new Map<string, Quantity | null>()));
  let free = known.get(name);
  if (free === undefined) known.set(name, (free = freeIn(summary, name) ?? null));
  return free ?? undefined;
}

function freeIn({ allocatable, allocated, allocating }: ResourceSummary, name: string): Quantity | undefined {
  let left = parsedQuantity(allocatable, name);
  for (const list of [allocated, allocating]) {
    const used = parsedQuantity(list, name);
    if (left && used) left = subtractQuantities(left, used);
  }
  return left;
}

/** Returns the number of Pods that can still be created, according to the cluster's nodes. */
export function freePods({ allocatable, allocated, allocating }: ResourceSummary): number {
  const pods = (list: ResourceList | undefined): number => {
    const quantity = parsedQuantity(list, 'pods');
    return quantity ? quantityValue(quantity) : 0;
  };
  return Math.max(0, pods(allocatable) - pods(allocated) - pods(allocating));
}
