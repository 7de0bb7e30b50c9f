import { parseQuantity, type Quantity, quantityError, quantitySign } from '../../../apimachinery/quantity/quantity.js';
import { ExpectedError } from '../../../lib/logging/cause.js';

/** Returns the quantity in a string. Throws if the value is no string, or no quantity. as luavm checkResourceQuantity */
export function quantityIn(value: unknown, place: string): Quantity {
  if (typeof value !== 'string') throw new ExpectedError(`${place} is not the text of a quantity`);
  const error = quantityError(value);
  if (error !== undefined) throw new ExpectedError(`${place}: ${error}`);
  return parseQuantity(value);
}

/** As `quantityIn`, for an amount that cannot be negative. as luavm getResourceQuantity */
export function amountIn(value: unknown, place: string): Quantity {
  const quantity = quantityIn(value, place);
  if (quantitySign(quantity) < 0) throw new ExpectedError(`${place} is negative`);
  return quantity;
}
