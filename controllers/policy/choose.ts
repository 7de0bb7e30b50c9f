import type { KubeObject } from '../../apimachinery/interface.js';
import { bestImplicitPriority, noMatch } from '../../kinds/karmada/resource-selector.js';
import type { Policy } from '../../api/karmada/types.js';

/** Returns the policy for a template: by highest priority, then closest match, then first name. Terminating policies are ignored. */
export function choosePolicy(policies: readonly Policy[], template: KubeObject): Policy | undefined {
  let best: { policy: Policy; explicit: number; implicit: number } | undefined;
  for (const policy of policies) {
    if (policy.metadata.deletionTimestamp) continue;
    const implicit = bestImplicitPriority(template, policy.spec.resourceSelectors);
    if (implicit === noMatch) continue;
    const explicit = policy.spec.priority ?? 0;
    const order = best
      ? explicit - best.explicit || implicit - best.implicit || (nameOf(policy) < nameOf(best.policy) ? 1 : -1)
      : 1;
    if (order > 0) best = { policy, explicit, implicit };
  }
  return best?.policy;
}

const nameOf = (policy: Policy): string => policy.metadata.name ?? '';
