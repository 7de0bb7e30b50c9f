/** Computes the quality of service of a pod from its requests and limits, which matters when resources run out. */
// as pkg/apis/core/v1/helper/qos ComputePodQOS
import { addAmount } from '../../../../apimachinery/quantity/amounts.js';
import { type Quantity, compareQuantities, parseQuantity } from '../../../../apimachinery/quantity/quantity.js';
import type { PodSpec, ResourceRequirements } from '../../../../api/kubernetes/core.js';

type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed';

const counted = ['cpu', 'memory'] as const;
type Sums = Map<string, Quantity>;
type Amounts = Readonly<Record<string, string | number>> | undefined;

function addTo(sums: Sums, amounts: Amounts): void {
  for (const name of counted) {
    const quantity = parseQuantity(amounts?.[name] ?? 0);
    if (quantity.unscaled <= 0n) continue;
    addAmount(sums, name, quantity);
  }
}

const isPositive = (amount: string | number | undefined): boolean => parseQuantity(amount ?? 0).unscaled > 0n;
const limitsBoth = ({ limits }: ResourceRequirements): boolean => counted.every(name => isPositive(limits?.[name]));

/** Returns the class. Only CPU and memory count: those of the pod as a whole if it has any resources, else those of its containers. */
export function qosClass(spec: PodSpec | undefined): QosClass {
  const ofPod = spec?.resources;
  const podLevel = Object.keys({ ...ofPod?.requests, ...ofPod?.limits }).length > 0;
  const all: readonly ResourceRequirements[] = podLevel
    ? [ofPod ?? {}]
    : [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(c => c.resources ?? {});
  const requests: Sums = new Map();
  const limits: Sums = new Map();
  for (const resources of all) {
    addTo(requests, resources.requests);
    addTo(limits, resources.limits);
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const equal = [...requests].every(([name, request]) => {
    const limit = limits.get(name);
    return limit !== undefined && compareQuantities(limit, request) === 0;
  });
  return all.every(limitsBoth) && equal && requests.size === limits.size ? 'Guaranteed' : 'Burstable';
}
