import {
  type Quantity,
  milliQuantityOf,
  quantityMilliValue,
  quantityOf,
  quantityValue,
} from '../../../apimachinery/quantity/quantity.js';
import { isHugePages } from '../../shared/rules/resource-names.js';

/** Reports whether a resource is counted in bytes, and written so. */
export const isBytes = (name: string): boolean =>
  name === 'memory' || name === 'ephemeral-storage' || isHugePages(name);

/** Returns an amount as Karmada counts it: CPU in thousandths, all else in whole units, rounded up; undefined if the result is not positive. */
// as pkg/util Resource.ResourceList
export function countedAmount(name: string, sum: Quantity): Quantity | undefined {
  const isCpu = name === 'cpu';
  const amount = isCpu ? quantityMilliValue(sum) : quantityValue(sum);
  if (amount <= 0) return undefined;
  return isCpu ? milliQuantityOf(amount) : quantityOf(amount, isBytes(name) ? 'BinarySI' : 'DecimalSI');
}
