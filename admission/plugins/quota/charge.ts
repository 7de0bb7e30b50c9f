/** Computes the usage of a request in the quotas of its namespace. Pure. */
// as apiserver/pkg/admission/plugin/resourcequota CheckRequest
import { type Amounts, addAmounts, amountsOf } from '../../../apimachinery/quantity/amounts.js';
import {
  type Quantity,
  compareQuantities,
  isZeroQuantity,
  quantitySign,
  quantityText,
  subtractQuantities,
  zeroQuantity,
} from '../../../apimachinery/quantity/quantity.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { ResourceQuota } from '../../../api/kubernetes/core.js';
import { deny } from '../../deny.js';
import type { AdmissionRequest } from '../../../registry/admission-plugin.js';
import { type Evaluator, quotaMatches } from './evaluator.js';

export interface Charge {
  readonly quota: ResourceQuota;
  /** The whole status.used after the request. */
  readonly used: Readonly<Record<string, string>>;
}

/** Returns the quotas that the request changes. The request must have an object. Throws 403 if a quota refuses the request. */
export function charges(
  quotas: readonly ResourceQuota[],
  request: AdmissionRequest,
  evaluator: Evaluator,
  now: Date,
): readonly Charge[] {
  const object = request.object as KubeObject;
  const matching = quotas.filter(quota => quotaMatches(quota, evaluator, object));
  for (const quota of matching) checkQuota(quota, request, evaluator);
  if (matching.length === 0) return [];
  const usage = evaluator.usage(object, now);
  const negative = names(usage).filter(name => quantitySign(usage.get(name) ?? zeroQuantity) < 0);
  if (negative.length > 0) throw deny(request, `quota usage is negative for resource(s): ${negative.join(',')}`);
  const { old } = request;
  const added = old ? increase(usage, evaluator.usage(old, now)) : usage;
  return matching.flatMap(quota => {
    const requested = old && quotaMatches(quota, evaluator, old) ? added : usage;
    return chargeOf(quota, requested, request) ?? [];
  });
}

const names = (amounts: Amounts): string[] => [...amounts.keys()].sort();

function checkQuota(quota: ResourceQuota, request: AdmissionRequest, evaluator: Evaluator): void {
  const limited = Object.keys(quota.status?.hard ?? {}).filter(name => evaluator.counts(name));
  const name = quota.metadata.name ?? '';
  const missing = evaluator.missing?.(limited, request.object as KubeObject);
  if (missing !== undefined) throw deny(request, `failed quota: ${name}: ${missing}`);
  const { used = {} } = quota.status ?? {};
  if (limited.every(each => Object.hasOwn(used, each))) return;
  throw deny(request, `status unknown for quota: ${name}, resources: ${limited.sort().join(',')}`);
}

/** Returns the increase in usage, at least zero: the controller releases usage that decreases. */
function increase(now: Amounts, before: Amounts): Amounts {
  const zero = (amount: Quantity): Quantity => (quantitySign(amount) > 0 ? amount : zeroQuantity);
  return new Map(
    [...now].map(([name, amount]) => [name, zero(subtractQuantities(amount, before.get(name) ?? zeroQuantity))]),
  );
}

function chargeOf(quota: ResourceQuota, requested: Amounts, request: AdmissionRequest): Charge | undefined {
  const hard = amountsOf(quota.status?.hard);
  const used = amountsOf(quota.status?.used);
  const limited = new Map([...requested].filter(([name, amount]) => hard.has(name) && !isZeroQuantity(amount)));
  if (limited.size === 0) return undefined;
  const after = new Map(used);
  addAmounts(after, limited);
  const exceeded = names(limited).filter(
    name => compareQuantities(after.get(name) ?? zeroQuantity, hard.get(name) ?? zeroQuantity) > 0,
  );
  if (exceeded.length > 0 && request.subresource !== 'status') {
    const shown = (amounts: Amounts): string =>
      exceeded
        .flatMap(name => {
          const amount = amounts.get(name);
          return amount ? [`${name}=${quantityText(amount)}`] : [];
        })
        .join(',');
    const texts = [`requested: ${shown(limited)}`, `used: ${shown(used)}`, `limited: ${shown(hard)}`];
    throw deny(request, `exceeded quota: ${quota.metadata.name ?? ''}, ${texts.join(', ')}`);
  }
  return { quota, used: Object.fromEntries([...after].map(([name, amount]) => [name, quantityText(amount)])) };
}
