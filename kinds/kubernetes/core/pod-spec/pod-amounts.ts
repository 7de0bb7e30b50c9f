/** Computes the resource requests and limits of a pod. */
import { type Amounts, addAmounts, amountsOf } from '../../../../apimachinery/quantity/amounts.js';
import {
  addQuantities,
  compareQuantities,
  isZeroQuantity,
  zeroQuantity,
} from '../../../../apimachinery/quantity/quantity.js';
import { isPodLevelResource } from '../../../shared/rules/resource-names.js';
import type { Container, PodSpec } from '../../../../api/kubernetes/core.js';

function sum(a: Amounts, b: Amounts): Amounts {
  const out = new Map(a);
  addAmounts(out, b);
  return out;
}

function max(a: Amounts, b: Amounts): Amounts {
  const out = new Map(a);
  for (const [name, amount] of b) {
    const other = out.get(name);
    if (!other || compareQuantities(other, amount) < 0) out.set(name, amount);
  }
  return out;
}

/**
 * Returns what the containers need together: main containers and sidecars at the same time, init containers one after the other together with
 * the sidecars before them.
 */
// as component-helpers/resource AggregateContainerRequests, AggregateContainerLimits
export function aggregated(spec: PodSpec, which: 'requests' | 'limits'): Amounts {
  const of = (container: Container): Amounts => amountsOf(container.resources?.[which]);
  let main: Amounts = new Map();
  for (const container of spec.containers ?? []) main = sum(main, of(container));
  let sidecars: Amounts = new Map();
  let init: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    let need = of(container);
    if (container.restartPolicy === 'Always') {
      main = sum(main, need);
      need = sidecars = sum(sidecars, need);
    } else need = sum(sidecars, need);
    init = max(init, need);
  }
  return max(main, init);
}

/** Returns what a pod requests: the total of its containers, unless set for the whole pod, plus the overhead of its runtime. */
// as component-helpers/resource PodRequests, PodLimits
export function podAmounts(spec: PodSpec, which: 'requests' | 'limits'): Amounts {
  const sums = new Map(aggregated(spec, which));
  for (const [name, amount] of amountsOf(spec.resources?.[which])) if (isPodLevelResource(name)) sums.set(name, amount);
  for (const [name, amount] of amountsOf(spec.overhead)) {
    const before = sums.get(name) ?? zeroQuantity;
    if (which === 'requests' || !isZeroQuantity(before)) sums.set(name, addQuantities(before, amount));
  }
  return sums;
}
