/** Amounts of resources by name (core/v1 ResourceList), as quantities. */
import { type Quantity, addQuantities, parseQuantity, quantityText } from './quantity.js';

export type Amounts = ReadonlyMap<string, Quantity>;

/** Parses the amounts of a ResourceList. Throws as `parseQuantity`. */
export const amountsOf = (list: Readonly<Record<string, string | number>> | undefined): Amounts =>
  new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, parseQuantity(amount)]));

/** Returns amounts as a ResourceList. */
export const amountsText = (amounts: Amounts): Record<string, string> =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, quantityText(amount)]));

/** Adds an amount to the one with the same name. */
export function addAmount(into: Map<string, Quantity>, name: string, amount: Quantity): void {
  const before = into.get(name);
  into.set(name, before ? addQuantities(before, amount) : amount);
}

/** Adds amounts to sums, in place. A resource that has no sum yet gets one. */
export function addAmounts(into: Map<string, Quantity>, more: Amounts): void {
  for (const [name, amount] of more) addAmount(into, name, amount);
}
