import { milliQuantityOf, parseQuantity, quantityText, scaledValue } from '../../../apimachinery/quantity/quantity.js';

/** Quantities with at most three digits after the point. */
const coarse = /^\d+(?:m|[kMGTPE]i?)?$/;
const milli = -3;

/** Rounds amounts of resources up to thousandths, the finest unit. */
// as pkg/apis/core/v1 SetDefaults_ResourceList
export function roundUpToMilli(quantities: Record<string, unknown>): void {
  for (const name of Object.keys(quantities)) {
    const value = quantities[name];
    if (typeof value !== 'string' || coarse.test(value)) continue;
    const quantity = parseQuantity(value);
    if (quantity.scale >= milli) continue;
    quantities[name] = quantityText(milliQuantityOf(scaledValue(quantity, milli), quantity.format));
  }
}
