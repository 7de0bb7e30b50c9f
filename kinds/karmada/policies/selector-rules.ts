import type { Field } from '../../shared/rules/field.js';
import type { ResourceSelector } from '../../../api/karmada/types.js';

/** A policy in a namespace selects only resources of that namespace. `namespace`: '' for cluster-scoped policies. */
export function selectorNamespaces(selectors: Field<ResourceSelector[]>, namespace: string): void {
  if (namespace === '') return;
  for (const selector of selectors.items()) {
    const found = selector.at('namespace');
    if (found.value !== namespace)
      found.invalid(
        'namespace of resource selector must be the same as the namespace of the policy',
        found.value ?? '',
      );
  }
}
