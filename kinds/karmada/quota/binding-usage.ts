import { type Amounts, addAmount } from '../../../apimachinery/quantity/amounts.js';
import {
  compareQuantities,
  isZeroQuantity,
  multiplyQuantity,
  parseQuantity,
  type Quantity,
  subtractQuantities,
  zeroQuantity,
} from '../../../apimachinery/quantity/quantity.js';
import type { BindingSpec, ResourceList } from '../../../api/karmada/types.js';

/** Adds a request, multiplied by `times`, to `sum`. Zero requests do not count. */
function addTimes(sum: Map<string, Quantity>, request: ResourceList | undefined, times: number): void {
  for (const [name, text] of Object.entries(request ?? {})) {
    const amount = parseQuantity(text);
    if (isZeroQuantity(amount) || times === 0) continue;
    addAmount(sum, name, multiplyQuantity(amount, times));
  }
}

/** Returns the total usage of a resource in all its clusters. as pkg/util/helper CalculateResourceUsage */
export function bindingUsage({ components = [], clusters = [], replicaRequirements }: BindingSpec): Amounts {
  const usage = new Map<string, Quantity>();
  if (components.length > 0)
    for (const { replicas, replicaRequirements: needs } of components)
      addTimes(usage, needs?.resourceRequest, replicas * clusters.length);
  else
    addTimes(
      usage,
      replicaRequirements?.resourceRequest,
      clusters.reduce((sum, { replicas = 0 }) => sum + replicas, 0),
    );
  return usage;
}

/** Returns by how much the usage grew (or shrank), without resources whose usage stays the same. */
export function usageChange(now: Amounts, before: Amounts): Amounts {
  const change = new Map<string, Quantity>();
  for (const name of new Set([...now.keys(), ...before.keys()])) {
    const amount = subtractQuantities(now.get(name) ?? zeroQuantity, before.get(name) ?? zeroQuantity);
    if (!isZeroQuantity(amount)) change.set(name, amount);
  }
  return change;
}

const sameRequests = (a: ResourceList = {}, b: ResourceList = {}): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([name, text]) => {
    const other = b[name];
    return other !== undefined && compareQuantities(parseQuantity(text), parseQuantity(other)) === 0;
  });

const replicasOf = ({ clusters = [] }: BindingSpec): number =>
  clusters.reduce((sum, { replicas = 0 }) => sum + replicas, 0);

const sameClusters = ({ clusters: a = [] }: BindingSpec, { clusters: b = [] }: BindingSpec): boolean =>
  a.length === b.length && b.every(({ name }) => a.some(cluster => cluster.name === name));

function sameComponents({ components: a = [] }: BindingSpec, { components: b = [] }: BindingSpec): boolean {
  return (
    a.length === b.length &&
    a.every((component, i) => {
      const needs = component.replicaRequirements;
      const others = b[i]?.replicaRequirements;
      return (
        component.replicas === b[i]?.replicas &&
        (needs === undefined) === (others === undefined) &&
        sameRequests(needs?.resourceRequest, others?.resourceRequest)
      );
    })
  );
}

/** Reports whether the usage can have changed. as pkg/webhook/resourcebinding isQuotaRelevantFieldChanged */
export function mayUseOtherwise(now: BindingSpec, before: BindingSpec): boolean {
  const hasComponents = !!now.components?.length || !!before.components?.length;
  return (
    !sameRequests(before.replicaRequirements?.resourceRequest, now.replicaRequirements?.resourceRequest) ||
    replicasOf(before) !== replicasOf(now) ||
    (hasComponents && !sameClusters(before, now)) ||
    !sameComponents(before, now)
  );
}
