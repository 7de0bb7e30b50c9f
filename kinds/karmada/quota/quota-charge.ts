/** Charges the quotas of a namespace with the future usage of a binding. as pkg/webhook/resourcebinding */
import type { Amounts } from '../../../apimachinery/quantity/amounts.js';
import {
  addQuantities,
  compareQuantities,
  isZeroQuantity,
  parseQuantity,
  type Quantity,
  quantityText,
  zeroQuantity,
} from '../../../apimachinery/quantity/quantity.js';
import { isScalarResource } from '../../shared/rules/resource-names.js';
import { countedAmount, isBytes } from './counted-amount.js';
import type { FederatedResourceQuota } from './federated-resource-quota.js';
import type { ResourceList } from '../../../api/karmada/types.js';

type Charge =
  /** The quota limits nothing whose usage changed. */
  | { readonly type: 'untouched' }
  | { readonly type: 'exceeded'; readonly message: string }
  /** `used`: the new status.overallUsed. */
  | { readonly type: 'charged'; readonly used: ResourceList };

const isCounted = (name: string): boolean =>
  name === 'cpu' || name === 'pods' || isBytes(name) || isScalarResource(name);

/** Returns a sum as it is recorded; undefined if it is not above zero, or if clusters cannot count the resource. */
const recorded = (name: string, sum: Quantity): Quantity | undefined =>
  isCounted(name) ? countedAmount(name, sum) : undefined;

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
    const sum = addQuantities(parseQuantity(before[name] ?? '0'), touched.get(name) ?? zeroQuantity);
    const amount = recorded(name, sum);
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
