import {
  type Quantity,
  milliQuantityOf,
  quantityMilliValue,
  quantityOf,
  quantityValue,
} from '../../../apimachinery/quantity/quantity.js';
import { isHugePages } from '../../shared/rules/resource-names.js';

/** Resources that are counted in bytes, and written so. */
export const isBytes = (name: string): boolean =>
  name === 'memory' || name === 'ephemeral-storage' || isHugePages(name);

/** An amount as Karmada counts it: CPU in thousandths, the rest in whole units, rounded up; undefined when nothing is left. */
// as pkg/util Resource.ResourceList
export function countedAmount(name: string, sum: Quantity): Quantity | undefined {
  const isCpu = name === 'cpu';
  const amount = isCpu ? quantityMilliValue(sum) : quantityValue(sum);
  if (amount <= 0) return undefined;
  return isCpu ? milliQuantityOf(amount) : quantityOf(amount, isBytes(name) ? 'BinarySI' : 'DecimalSI');
}
