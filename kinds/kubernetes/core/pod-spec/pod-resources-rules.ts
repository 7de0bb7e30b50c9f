/** Validates resources of a pod as a whole, in addition to those of its containers. */
// as pkg/apis/core/validation validatePodResources
import { compareQuantities, parseQuantity, quantityText } from '../../../../apimachinery/quantity/quantity.js';
import type { Field } from '../../../shared/rules/field.js';
import { isHugePages } from '../../../shared/rules/resource-names.js';
import type { PodSpec } from '../../../../api/kubernetes/core.js';
import { aggregated } from './pod-amounts.js';
import type { PodOptions } from '../shared/pod-options.js';
import { podResources } from '../shared/resource-rules.js';

/**
 * Checks the amounts for the Pod as a whole, which may not be less than what its containers need.
 * as pkg/apis/core/validation validatePodResources
 */
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
