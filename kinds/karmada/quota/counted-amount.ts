import {
  type Quantity,
  milliQuantityOf,
  quantityMilliValue,
  quantityOf,
  quantityValue,
  scaledValue,
} from '../../../apimachinery/quantity/quantity.js';
import { isHugePages, isScalarResource } from '../../shared/rules/resource-names.js';

/** Reports whether a resource is counted in bytes, and written so. */
const isBytes = (name: string): boolean => name === 'memory' || name === 'ephemeral-storage' || isHugePages(name);

/** Reports whether clusters can count the resource. as pkg/util Resource.Add */
const isCounted = (name: string): boolean =>
  name === 'cpu' || name === 'pods' || isBytes(name) || isScalarResource(name);

/**
 * Returns an amount as Karmada adds it to a sum: CPU in thousandths, all else in whole units. Each amount is rounded away from zero by itself, so that a
 * sum can be larger than the rounded sum of the exact amounts. as pkg/util Resource.Add
 */
export function roundedAmount(name: string, amount: Quantity): Quantity {
  const scale = name === 'cpu' ? -3 : 0;
  if (amount.scale >= scale) return amount;
  return { unscaled: scaledValue(amount, scale), scale, format: amount.format };
}

/**
 * Returns an amount as Karmada counts it: CPU in thousandths, all else in whole units, rounded up; undefined if the result is not positive, or if
 * clusters cannot count the resource. as pkg/util Resource.ResourceList
 */
export function countedAmount(name: string, sum: Quantity): Quantity | undefined {
  if (!isCounted(name)) return undefined;
  const isCpu = name === 'cpu';
  const amount = isCpu ? quantityMilliValue(sum) : quantityValue(sum);
  if (amount <= 0) return undefined;
  return isCpu ? milliQuantityOf(amount) : quantityOf(amount, isBytes(name) ? 'BinarySI' : 'DecimalSI');
}
