import {
  addQuantities,
  milliQuantityOf,
  multiplyQuantity,
  parseQuantity,
  type Quantity,
  quantityMilliValue,
  quantityOf,
  quantityText,
  quantityValue,
} from '../../apimachinery/quantity/quantity.js';
import type { ResourceSummary } from '../../api/karmada/types.js';
import type { AssumedWorkload } from '../interface.js';

/** Returns the amount in thousandths for CPU, in whole units for everything else, so that a product stays exact. */
const rounded = (name: string, quantity: Quantity): Quantity =>
  name === 'cpu' ? milliQuantityOf(quantityMilliValue(quantity)) : quantityOf(quantityValue(quantity));

/**
 * Returns the summary of a cluster in which assumed workloads are being allocated. as pkg/estimator/client deductAssumedWorkloadsFromSummary
 */
export function withAssumed(summary: ResourceSummary, assumed: readonly AssumedWorkload[]): ResourceSummary {
  const sums = new Map<string, Quantity>();
  const add = (name: string, more: Quantity): void => {
    const sum = sums.get(name);
    sums.set(name, sum ? addQuantities(sum, more) : more);
  };
  for (const { replicas, replicaRequirements } of assumed.flatMap(({ components }) => components)) {
    if (replicas <= 0) continue;
    add('pods', quantityOf(replicas));
    for (const [name, text] of Object.entries(replicaRequirements?.resourceRequest ?? {}))
      add(name, multiplyQuantity(rounded(name, parseQuantity(text)), replicas));
  }
  const allocating = { ...summary.allocating };
  for (const [name, sum] of sums) {
    const present = allocating[name];
    allocating[name] = quantityText(present === undefined ? sum : addQuantities(parseQuantity(present), sum));
  }
  return { ...summary, allocating };
}
