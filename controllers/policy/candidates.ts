import type { Policy } from '../../api/karmada/types.js';
import { mightSelect } from '../../kinds/karmada/resource-selector.js';
import type { Informer } from '../../client/runtime/interface.js';
import type { TemplatePlace } from './templates.js';

/** Policies by the kinds that they select: each template is only looked at by those that may want it. */
export const policyIndexers = {
  kinds: ({ metadata, spec }: Policy): string[] => [
    ...new Set(
      spec.resourceSelectors.map(({ apiVersion, kind }) => `${metadata.namespace ?? ''}|${apiVersion}|${kind}`),
    ),
  ],
};

/** Those of a namespace (of cluster policies: '') that may select what is there, as far as can be told without its labels. */
export function candidates(policies: Informer<Policy>, namespace: string, at: TemplatePlace): Policy[] {
  if (policies.cached.size === 0) return [];
  return policies
    .byIndex('kinds', `${namespace}|${at.apiVersion}|${at.kind}`)
    .filter(({ spec }) => spec.resourceSelectors.some(selector => mightSelect(selector, at)));
}
