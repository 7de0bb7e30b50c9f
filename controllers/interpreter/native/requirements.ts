import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  milliQuantityOf,
  parseQuantity,
  type Quantity,
  quantityMilliValue,
  quantityOf,
  quantityText,
  quantityValue,
} from '../../../openapi/meta/quantity.js';
import type { NodeClaim, ReplicaRequirements, ResourceList } from '../../../registry/kinds/karmada/types.js';
import type { Container, PodSpec } from './pod.js';

/** Resources that are counted in bytes, and written so. */
const isBinary = (name: string): boolean =>
  name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-');

type Request = (container: Container) => ResourceList;

/** As the API server of a member has filled them in already. */
const requests: Request = ({ resources }) => resources?.requests ?? {};
/** As they will be: limits stand in for requests that a template leaves out. */
const expectedRequests: Request = ({ resources }) => ({ ...resources?.limits, ...resources?.requests });

/** What a running pod asks for: containers together, or one init container if that wants more; plus overhead. Adds up in `total`. */
export function addPodRequest(total: Map<string, Quantity>, spec: PodSpec, requestOf: Request = requests): void {
  const add = (list: ResourceList | undefined): void => {
    for (const [name, text] of Object.entries(list ?? {})) {
      const sum = total.get(name);
      const quantity = parseQuantity(text);
      total.set(name, sum ? addQuantities(sum, quantity) : quantity);
    }
  };
  for (const container of spec.containers ?? []) add(requestOf(container));
  for (const container of spec.initContainers ?? []) {
    for (const [name, text] of Object.entries(requestOf(container))) {
      const sum = total.get(name);
      const quantity = parseQuantity(text);
      if (!sum || compareQuantities(quantity, sum) > 0) total.set(name, quantity);
    }
  }
  add(spec.overhead);
}

/** A sum in the form that it is published in: CPU in thousandths, the rest in whole units, nothing at all for zero. */
export const resourceList = (total: ReadonlyMap<string, Quantity>): ResourceList =>
  Object.fromEntries([...total].flatMap(([name, quantity]) => normalised(name, quantity)));

/** CPU in thousandths, the rest in whole units, rounded up; nothing at all for zero. as pkg/util Resource.ResourceList */
function normalised(name: string, quantity: Quantity): [string, string][] {
  const cpu = name === 'cpu';
  const amount = cpu ? quantityMilliValue(quantity) : quantityValue(quantity);
  if (amount <= 0) return [];
  const rounded = cpu ? milliQuantityOf(amount) : quantityOf(amount, isBinary(name) ? 'BinarySI' : 'DecimalSI');
  return [[name, canonicalQuantity(quantityText(rounded))]];
}

function nodeClaim({ nodeSelector, tolerations, affinity }: PodSpec): NodeClaim | undefined {
  const hardNodeAffinity = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!nodeSelector && !hardNodeAffinity && !tolerations?.length) return undefined;
  return {
    ...(hardNodeAffinity ? { hardNodeAffinity } : {}),
    ...(nodeSelector ? { nodeSelector } : {}),
    ...(tolerations?.length ? { tolerations } : {}),
  };
}

/** What every replica needs of a cluster (inventory INT-10); undefined where it needs nothing in particular. */
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
