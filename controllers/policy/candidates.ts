import type { Policy } from '../../api/karmada/types.js';
import { mightSelect } from '../../kinds/karmada/resource-selector.js';
import type { Informer } from '../../client/runtime/interface.js';
import type { TemplatePlace } from './templates.js';

/** Indexes policies by the kinds that they select, so that a template is compared only to policies that may select it. */
export const policyIndexers = {
  kinds: ({ metadata, spec }: Policy): string[] => [
    ...new Set(
      spec.resourceSelectors.map(({ apiVersion, kind }) => `${metadata.namespace ?? ''}|${apiVersion}|${kind}`),
    ),
  ],
};

/** Returns the policies of a namespace ('' for cluster policies) that may select a template; its labels are not checked. */
export function candidates(policies: Informer<Policy>, namespace: string, at: TemplatePlace): Policy[] {
  if (policies.cached.size === 0) return [];
  return policies
    .byIndex('kinds', `${namespace}|${at.apiVersion}|${at.kind}`)
    .filter(({ spec }) => spec.resourceSelectors.some(selector => mightSelect(selector, at)));
}
