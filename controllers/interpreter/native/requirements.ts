import { addAmounts, amountsOf } from '../../../apimachinery/quantity/amounts.js';
import {
  canonicalQuantity,
  compareQuantities,
  type Quantity,
  quantityText,
} from '../../../apimachinery/quantity/quantity.js';
import { countedAmount } from '../../../kinds/karmada/quota/counted-amount.js';
import type { NodeClaim, ReplicaRequirements, ResourceList } from '../../../api/karmada/types.js';
import type { InterpretedContainer, InterpretedPodSpec } from './pod.js';

type Request = (container: InterpretedContainer) => ResourceList;

/** Requests of a container that was defaulted by the member's API server. */
const requests: Request = ({ resources }) => resources?.requests ?? {};
/** Requests of a container in a template: limits are the defaults of absent requests. */
const expectedRequests: Request = ({ resources }) => ({ ...resources?.limits, ...resources?.requests });

/** Adds the request of a pod to `total`: the sum of its containers, or the largest init container if that is more; plus overhead. */
export function addPodRequest(
  total: Map<string, Quantity>,
  spec: InterpretedPodSpec,
  requestOf: Request = requests,
): void {
  for (const container of spec.containers ?? []) addAmounts(total, amountsOf(requestOf(container)));
  for (const container of spec.initContainers ?? []) {
    for (const [name, quantity] of amountsOf(requestOf(container))) {
      const sum = total.get(name);
      if (!sum || compareQuantities(quantity, sum) > 0) total.set(name, quantity);
    }
  }
  addAmounts(total, amountsOf(spec.overhead));
}

/** Returns a sum in the form of the API, without zero quantities. */
export const quantitiesOf = (total: ReadonlyMap<string, Quantity>): ResourceList =>
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
  const total = new Map<string, Quantity>();
  addPodRequest(total, spec, expectedRequests);
  const resourceRequest = quantitiesOf(total);
  const requested = Object.keys(resourceRequest).length > 0;
  if (!claim && !requested) return undefined;
  return {
    ...(claim ? { nodeClaim: claim } : {}),
    ...(requested ? { resourceRequest } : {}),
    ...(spec.priorityClassName ? { priorityClassName: spec.priorityClassName } : {}),
  };
}
