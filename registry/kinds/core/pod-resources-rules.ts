/** Resources of a pod as a whole, beside those of its containers. */
// as pkg/apis/core/validation validatePodResources
import {
  type Quantity,
  addQuantities,
  compareQuantities,
  parseQuantity,
  quantityText,
  zeroQuantity,
} from '../../../openapi/meta/quantity.js';
import type { Field } from '../shared/field.js';
import { isHugePages } from '../shared/resource-names.js';
import type { Container, PodSpec } from '../types/core.js';
import type { PodOptions } from './pod-options.js';
import { podResources } from './resource-rules.js';

export type Amounts = ReadonlyMap<string, Quantity>;

const amountsOf = (list: Readonly<Record<string, string | number>> | undefined): Amounts =>
  new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, parseQuantity(amount)]));

function sum(a: Amounts, b: Amounts): Amounts {
  const out = new Map(a);
  for (const [name, amount] of b) out.set(name, addQuantities(out.get(name) ?? zeroQuantity, amount));
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

/** What the containers need together: the main ones and sidecars at once, init containers one after the other beside the sidecars before them. */
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

export function podLevelResources(spec: Field<PodSpec>, claimNames: readonly string[], options: PodOptions): void {
  const resources = spec.at('resources');
  if (!resources.isSet) return;
  if (spec.value?.os?.name === 'windows') {
    resources.forbidden('may not be set for a windows pod');
    return;
  }
  if (resources.at('claims').isSet)
    resources.at('claims').forbidden('claims may not be set for Resources at pod-level');
  podResources(resources, claimNames, options);
  againstContainers(spec);
}

function againstContainers(spec: Field<PodSpec>): void {
  const resources = spec.at('resources');
  for (const which of ['requests', 'limits'] as const)
    for (const [name, amount] of [...aggregated(spec.value ?? {}, which)].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const own = resources.at(which).entry(name);
      if (!own.isSet || (which === 'limits' && !isHugePages(name))) continue;
      if (compareQuantities(amount, parseQuantity(own.value ?? 0)) > 0)
        own.invalid(
          `must be greater than or equal to aggregate container ${which} of ${quantityText(amount)}`,
          quantityText(parseQuantity(own.value ?? 0)),
        );
    }
  for (const [i, container] of spec.at('containers').items().entries())
    for (const [name, limit] of container.at('resources').at('limits').entries()) {
      const own = spec.value?.resources?.limits?.[name];
      if (own === undefined || compareQuantities(parseQuantity(limit.value ?? 0), parseQuantity(own)) <= 0) continue;
      limit
        .as(`${resources.path}.containers[${i}][${name}].limits`)
        .invalid(
          `must be less than or equal to pod limits of ${quantityText(parseQuantity(own))}`,
          quantityText(parseQuantity(limit.value ?? 0)),
        );
    }
}
