/** Charges the quotas of a namespace with the future usage of a binding. as pkg/webhook/resourcebinding */
import type { Amounts } from '../../../apimachinery/quantity/amounts.js';
import {
  addQuantities,
  compareQuantities,
  isZeroQuantity,
  parseQuantity,
  quantityText,
  zeroQuantity,
} from '../../../apimachinery/quantity/quantity.js';
import { countedAmount, roundedAmount } from './counted-amount.js';
import type { FederatedResourceQuota } from './federated-resource-quota.js';
import type { ResourceList } from '../../../api/karmada/types.js';

type Charge =
  /** The quota limits nothing whose usage changed. */
  | { readonly type: 'untouched' }
  | { readonly type: 'exceeded'; readonly message: string }
  /** `used`: the new status.overallUsed. */
  | { readonly type: 'charged'; readonly used: ResourceList };

/** `change`: the difference in usage, negative where less is used. */
export function chargeQuota({ metadata, spec, status }: FederatedResourceQuota, change: Amounts): Charge {
  const { overall } = spec;
  const touched = new Map(
    [...change].filter(([name, amount]) => overall?.[name] !== undefined && !isZeroQuantity(amount)),
  );
  if (touched.size === 0) return { type: 'untouched' };
  const before = status?.overallUsed ?? {};
  const used: ResourceList = {};
  for (const name of [...new Set([...Object.keys(before), ...touched.keys()])].sort()) {
    const [old, more] = [parseQuantity(before[name] ?? '0'), touched.get(name) ?? zeroQuantity];
    const sum = addQuantities(roundedAmount(name, old), roundedAmount(name, more));
    const amount = countedAmount(name, sum);
    if (!amount) continue;
    const limit = overall[name];
    if (limit !== undefined && compareQuantities(amount, parseQuantity(limit)) > 0) {
      const where = `FederatedResourceQuota(${metadata.namespace}/${metadata.name})`;
      const numbers = `requested sum ${quantityText(amount)}, limit ${quantityText(parseQuantity(limit))}.`;
      return { type: 'exceeded', message: `${where} exceeded for resource ${name}: ${numbers}` };
    }
    used[name] = quantityText(amount);
  }
  return { type: 'charged', used };
}
