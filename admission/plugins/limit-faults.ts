/** Checks the resources of a pod or a claim against a LimitRange. */
// as plugin/pkg/admission/limitranger
import { type Amounts, amountsOf } from '../../apimachinery/quantity/amounts.js';
import {
  type Quantity,
  compareQuantities,
  isZeroQuantity,
  quantityFloat,
  quantityText,
} from '../../apimachinery/quantity/quantity.js';
import { aggregated } from '../../kinds/kubernetes/core/pod-spec/pod-amounts.js';
import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod, PodSpec } from '../../api/kubernetes/core.js';

/** The requested resources of a container, pod or claim. */
interface Requested {
  readonly requests: Amounts;
  readonly limits: Amounts;
  /** True for a claim, which has no limits. */
  readonly requestsOnly?: boolean;
}

/** Returns a text for each violation of the limits. */
export function limitFaults(range: LimitRange, object: Pod | PersistentVolumeClaim): string[] {
  return (range.spec?.limits ?? []).flatMap(limit =>
    requestedOf(limit, object).flatMap(requested => faultsOf(limit, requested)),
  );
}

/** Returns the requested resources to which a limit of this type applies. */
function requestedOf({ type }: LimitRangeItem, object: Pod | PersistentVolumeClaim): Requested[] {
  if (object.kind === 'PersistentVolumeClaim') {
    const { resources } = (object as PersistentVolumeClaim).spec ?? {};
    if (type !== 'PersistentVolumeClaim') return [];
    return [{ requests: amountsOf(resources?.requests), limits: new Map(), requestsOnly: true }];
  }
  const { spec = {} } = object as Pod;
  if (type === 'Pod') return [{ requests: ofPod(spec, 'requests'), limits: ofPod(spec, 'limits') }];
  if (type !== 'Container') return [];
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => ({
    requests: amountsOf(resources?.requests),
    limits: amountsOf(resources?.limits),
  }));
}

/** Returns the sum of the containers; for cpu and memory, the pod-level resources if set. */
function ofPod(spec: PodSpec, which: 'requests' | 'limits'): Amounts {
  const sums = new Map(aggregated(spec, which));
  for (const [name, amount] of amountsOf(spec.resources?.[which]))
    if (name === 'cpu' || name === 'memory') sums.set(name, amount);
  return sums;
}

type Check = (head: string, bound: Quantity, requested: Requested, name: string) => string | undefined;

function faultsOf(limit: LimitRangeItem, requested: Requested): string[] {
  const checks: readonly [LimitRangeItem['min'], Check][] = [
    [limit.min, belowMinimum],
    [limit.max, requested.requestsOnly ? claimAboveMaximum : aboveMaximum],
    [requested.requestsOnly ? undefined : limit.maxLimitRequestRatio, aboveRatio],
  ];
  return checks.flatMap(([bounds, check]) =>
    [...amountsOf(bounds)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, bound]) => check(`per ${limit.type ?? ''} is ${quantityText(bound)}`, bound, requested, name))
      .filter(fault => fault !== undefined),
  );
}

const belowMinimum: Check = (head, bound, { requests, limits }, name) => {
  const request = requests.get(name);
  const limit = limits.get(name);
  const text = `minimum ${name} usage ${head}`;
  if (!request) return `${text}.  No request is specified`;
  if (compareQuantities(request, bound) < 0) return `${text}, but request is ${quantityText(request)}`;
  if (limit && compareQuantities(limit, bound) < 0) return `${text}, but limit is ${quantityText(limit)}`;
  return undefined;
};

const aboveMaximum: Check = (head, bound, { requests, limits }, name) => {
  const request = requests.get(name);
  const limit = limits.get(name);
  const text = `maximum ${name} usage ${head}`;
  if (!limit) return `${text}.  No limit is specified`;
  if (compareQuantities(limit, bound) > 0) return `${text}, but limit is ${quantityText(limit)}`;
  if (request && compareQuantities(request, bound) > 0) return `${text}, but request is ${quantityText(request)}`;
  return undefined;
};

const claimAboveMaximum: Check = (head, bound, { requests }, name) => {
  const request = requests.get(name);
  const text = `maximum ${name} usage ${head}`;
  if (!request) return `${text}.  No request is specified`;
  return compareQuantities(request, bound) > 0 ? `${text}, but request is ${quantityText(request)}` : undefined;
};

const aboveRatio: Check = (head, bound, { requests, limits }, name) => {
  const request = requests.get(name);
  const limit = limits.get(name);
  const text = `${name} max limit to request ratio ${head}`;
  if (!request || isZeroQuantity(request)) return `${text}, but no request is specified or request is 0`;
  if (!limit || isZeroQuantity(limit)) return `${text}, but no limit is specified or limit is 0`;
  const ratio = quantityFloat(limit) / quantityFloat(request);
  return ratio > quantityFloat(bound) ? `${text}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
};
