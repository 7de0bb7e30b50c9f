import type { Fault } from '../../../openapi/interface.js';
import { child, index, invalidValue } from '../../../openapi/meta/faults.js';
import type { ResourceSelector } from './types.js';

/** A policy of a namespace selects there and nowhere else. `namespace`: '' for policies of the cluster. */
export function selectorNamespaceFaults(
  selectors: readonly ResourceSelector[] | undefined,
  namespace: string,
): Fault[] {
  if (namespace === '') return [];
  const text = 'namespace of resource selector must be the same as the namespace of the policy';
  return (selectors ?? []).flatMap((selector, i) => {
    const found = selector.namespace ?? '';
    const path = child(index('spec.resourceSelectors', i), 'namespace');
    return found === namespace ? [] : [invalidValue(path, found, text)];
  });
}
