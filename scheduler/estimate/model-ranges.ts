import { parseQuantity, type Quantity } from '../../apimachinery/quantity/quantity.js';
import type { ResourceModel } from '../../api/karmada/types.js';

/** The minimums of grades that were parsed. */
const parsedRanges = new WeakMap<ResourceModel['ranges'], Map<string, Quantity>>();

/**
 * Returns what a node of a grade has at least, by resource. Each quantity is parsed once. Validation admits several ranges of a resource, of which the
 * last one counts. as pkg/estimator/client buildModelNodes
 */
export function leastOfGrade(ranges: ResourceModel['ranges']): ReadonlyMap<string, Quantity> {
  let parsed = parsedRanges.get(ranges);
  if (!parsed) {
    parsed = new Map(ranges.map(({ name, min }) => [name, parseQuantity(min)]));
    parsedRanges.set(ranges, parsed);
  }
  return parsed;
}
