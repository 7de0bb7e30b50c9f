import { addAmount, type Amounts, amountsOf } from '../../../apimachinery/quantity/amounts.js';
import {
  canonicalQuantity,
  compareQuantities,
  type Quantity,
  quantityText,
} from '../../../apimachinery/quantity/quantity.js';
import { countedAmount, roundedAmount } from '../../../kinds/karmada/quota/counted-amount.js';
import type { NodeClaim, ReplicaRequirements, ResourceList } from '../../../api/karmada/types.js';
import type { InterpretedContainer, InterpretedPodSpec } from './pod.js';

/** Requests of a container in a template: limits are the defaults of absent requests. */
const expectedRequests = ({ resources }: InterpretedContainer): ResourceList => ({
  ...resources?.limits,
  ...resources?.requests,
});

/**
 * Returns the request of a pod: the sum of its containers, or the largest init container if that is more; plus overhead. Every amount is rounded before
 * it is added. as pkg/util Resource.AddPodTemplateRequest
 */
function templateRequest({ containers, initContainers, overhead }: InterpretedPodSpec): Amounts {
  const total = new Map<string, Quantity>();
  const add = (list: ResourceList | undefined): void => {
    for (const [name, amount] of amountsOf(list)) addAmount(total, name, roundedAmount(name, amount));
  };
  for (const container of containers ?? []) add(expectedRequests(container));
  for (const container of initContainers ?? []) {
    for (const [name, exact] of amountsOf(expectedRequests(container))) {
      const amount = roundedAmount(name, exact);
      const sum = total.get(name);
      if (!sum || compareQuantities(amount, sum) > 0) total.set(name, amount);
    }
  }
  add(overhead);
  return total;
}

/** Returns a sum in the form of the API, without zero quantities. */
export const quantitiesOf = (total: Amounts): ResourceList =>
  Object.fromEntries(
    [...total].flatMap(([name, sum]) => {
      const amount = countedAmount(name, sum);
      return amount ? [[name, canonicalQuantity(quantityText(amount))]] : [];
    }),
  );

function nodeClaim({ nodeSelector, tolerations, affinity }: InterpretedPodSpec): NodeClaim | undefined {
  const hardNodeAffinity = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!nodeSelector && !hardNodeAffinity && !tolerations?.length) return undefined;
  return {
    ...(hardNodeAffinity ? { hardNodeAffinity } : {}),
    ...(nodeSelector ? { nodeSelector } : {}),
    ...(tolerations?.length ? { tolerations } : {}),
  };
}

/**
 * Returns the requirements of one replica; undefined if there are none.
 * as pkg/util/helper GenerateReplicaRequirements
 */
export function replicaRequirements(spec: InterpretedPodSpec): ReplicaRequirements | undefined {
  const claim = nodeClaim(spec);
  const resourceRequest = quantitiesOf(templateRequest(spec));
  const requested = Object.keys(resourceRequest).length > 0;
  if (!claim && !requested) return undefined;
  return {
    ...(claim ? { nodeClaim: claim } : {}),
    ...(requested ? { resourceRequest } : {}),
    ...(spec.priorityClassName ? { priorityClassName: spec.priorityClassName } : {}),
  };
}
