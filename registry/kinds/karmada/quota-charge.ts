/** Quotas of a namespace are charged with what a binding is going to use (inventory ADM-30). as pkg/webhook/resourcebinding */
import {
  addQuantities,
  compareQuantities,
  isZeroQuantity,
  milliQuantityOf,
  parseQuantity,
  type Quantity,
  quantityMilliValue,
  quantityOf,
  quantityText,
  quantityValue,
  zeroQuantity,
} from '../../../openapi/meta/quantity.js';
import { isExtendedResource, isHugePages } from '../shared/resource-names.js';
import type { Amounts } from './binding-usage.js';
import type { FederatedResourceQuota } from './federated-resource-quota.js';
import type { ResourceList } from './types.js';

export type Charge =
  /** The quota limits nothing that is used otherwise than before. */
  | { readonly type: 'untouched' }
  | { readonly type: 'exceeded'; readonly message: string }
  /** `used`: what status.overallUsed has to become. */
  | { readonly type: 'charged'; readonly used: ResourceList };

const isCounted = (name: string): boolean =>
  isExtendedResource(name) ||
  isHugePages(name) ||
  name.includes('kubernetes.io/') ||
  name.startsWith('attachable-volumes-');

/** A sum as it is recorded: CPU in thousandths, all else whole; nothing that is not above zero, or that no cluster could count. */
// as pkg/util Resource
function recorded(name: string, sum: Quantity): Quantity | undefined {
  const milli = name === 'cpu';
  const amount = milli ? quantityMilliValue(sum) : quantityValue(sum);
  if (amount <= 0) return undefined;
  if (milli) return milliQuantityOf(amount);
  const isBytes = name === 'memory' || name === 'ephemeral-storage' || isHugePages(name);
  if (!isBytes && name !== 'pods' && !isCounted(name)) return undefined;
  return quantityOf(amount, isBytes ? 'BinarySI' : 'DecimalSI');
}

/** `change`: what is used more than before, less where it is negative. */
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
