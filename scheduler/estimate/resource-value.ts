/** Amounts of resources as numbers, as Karmada calculates with them: CPU in thousandths, everything else in whole units. */
import { type Quantity, quantityMilliValue, quantityValue } from '../../apimachinery/quantity/quantity.js';

/** Returns the value of a quantity, rounded away from zero. as pkg/util Resource.Add */
export const resourceValue = (name: string, quantity: Quantity): number =>
  name === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity);
