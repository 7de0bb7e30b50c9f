import { addAmounts, amountsOf } from '../../../apimachinery/quantity/amounts.js';
import {
  canonicalQuantity,
  compareQuantities,
  type Quantity,
  quantityText,
} from '../../../apimachinery/quantity/quantity.js';
import { countedAmount } from '../../../kinds/karmada/quota/counted-amount.js';
import type { NodeClaim, ReplicaRequirements, ResourceList } from '../../../api/karmada/types.js';
import type { Container, PodSpec } from './pod.js';

type Request = (container: Container) => ResourceList;

/** As the API server of a member has filled them in already. */
const requests: Request = ({ resources }) => resources?.requests ?? {};
/** As they will be: limits stand in for requests that a template leaves out. */
const expectedRequests: Request = ({ resources }) => ({ ...resources?.limits, ...resources?.requests });

/** What a running pod asks for: containers together, or one init container if that wants more; plus overhead. Adds up in `total`. */
export function addPodRequest(total: Map<string, Quantity>, spec: PodSpec, requestOf: Request = requests): void {
  for (const container of spec.containers ?? []) addAmounts(total, amountsOf(requestOf(container)));
  for (const container of spec.initContainers ?? []) {
    for (const [name, quantity] of amountsOf(requestOf(container))) {
      const sum = total.get(name);
      if (!sum || compareQuantities(quantity, sum) > 0) total.set(name, quantity);
    }
  }
  addAmounts(total, amountsOf(spec.overhead));
}

/** A sum in the form that it is published in; nothing at all for zero. */
export const resourceList = (total: ReadonlyMap<string, Quantity>): ResourceList =>
  Object.fromEntries(
    [...total].flatMap(([name, sum]) => {
      const amount = countedAmount(name, sum);
      return amount ? [[name, canonicalQuantity(quantityText(amount))]] : [];
    }),
  );

function nodeClaim({ nodeSelector, tolerations, affinity }: PodSpec): NodeClaim | undefined {
  const hardNodeAffinity = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!nodeSelector && !hardNodeAffinity && !tolerations?.length) return undefined;
  return {
    ...(hardNodeAffinity ? { hardNodeAffinity } : {}),
    ...(nodeSelector ? { nodeSelector } : {}),
    ...(tolerations?.length ? { tolerations } : {}),
  };
}

/**
 * Returns what every replica needs of a cluster; undefined where it needs nothing in particular.
 * as pkg/util/helper GenerateReplicaRequirements
 */
export function replicaRequirements(spec: PodSpec): ReplicaRequirements | undefined {
  const claim = nodeClaim(spec);
  const total = new Map<string, Quantity>();
  addPodRequest(total, spec, expectedRequests);
  const resourceRequest = resourceList(total);
  const requested = Object.keys(resourceRequest).length > 0;
  if (!claim && !requested) return undefined;
  return {
    ...(claim ? { nodeClaim: claim } : {}),
    ...(requested ? { resourceRequest } : {}),
    ...(spec.priorityClassName ? { priorityClassName: spec.priorityClassName } : {}),
  };
}
