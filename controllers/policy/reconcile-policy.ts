import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { isSelected } from '../../kinds/karmada/resource-selector.js';
import { finalizers, resources } from '../../api/karmada/well-known.js';
import type { Policy } from '../../api/karmada/types.js';
import { keyOf } from '../../client/key.js';
import { isLostRace } from '../../client/runtime/failures.js';
import { removeFinalizer } from '../../client/runtime/update.js';
import { claimOf } from './claim.js';
import type { DetectorDeps } from './interface.js';
import { preempt } from './preempt.js';
import { requireOverrides } from './reconcile-template.js';
import { releaseTemplate } from './release.js';
import { templateKey } from './templates.js';
import { waitingFor } from './waiting.js';

/**
 * Reconciles one policy: releases templates that it does not select any more, and reconciles its other templates and matching unclaimed ones.
 * On deletion it releases all templates. as pkg/detector ResourceDetector.ReconcilePropagationPolicy
 */
export async function reconcilePolicy(policy: Policy, deps: DetectorDeps): Promise<void> {
  if (policy.metadata.deletionTimestamp) return finalizePolicy(policy, deps);
  const claim = claimOf(policy);
  const { resourceSelectors: selectors, activationPreference } = policy.spec;
  const lazy = activationPreference === 'Lazy';
  const bindings = [
    ...deps.bindings.byIndex('policyId', claim.id),
    ...deps.clusterBindings.byIndex('policyId', claim.id),
  ];
  for (const { spec } of bindings) {
    const key = templateKey(spec.resource);
    const template = deps.templates.get(key);
    if (!template) continue;
    if (isSelected(template, selectors)) deps.wake(key, lazy);
    else await releaseTemplate(template, claim, deps);
  }
  const matching = await waitingFor(selectors, deps.templates);
  if (matching.length > 0) requireOverrides(policy, deps);
  for (const key of matching) deps.wake(key, lazy);
  if (deps.preemption && policy.spec.preemption === 'Always') await preempt(policy, deps);
}

async function finalizePolicy(policy: Policy, deps: DetectorDeps): Promise<void> {
  const claim = claimOf(policy);
  const kinds = new Map(
    policy.spec.resourceSelectors.map(({ apiVersion, kind }) => [`${apiVersion}|${kind}`, { apiVersion, kind }]),
  );
  for (const { apiVersion, kind } of kinds.values())
    for (const template of deps.templates.claimed(apiVersion, kind, claim.id))
      try {
        await releaseTemplate(template, claim, deps);
      } catch (error) {
        if (!isLostRace(error)) reportBlocked(policy, template, error, deps);
        throw error;
      }
  const namespaced = claim.kind === 'PropagationPolicy';
  await removeFinalizer(
    deps.context.client,
    namespaced ? resources.propagationPolicies : resources.clusterPropagationPolicies,
    policy,
    namespaced ? finalizers.propagationPolicy : finalizers.clusterPropagationPolicy,
  );
}

/** Records an Event with the template that blocks the deletion of a policy, since it cannot be released. */
function reportBlocked(policy: Policy, blocking: KubeObject, error: unknown, { recorder }: DetectorDeps): void {
  const text = `The deletion waits: ${blocking.kind} ${keyOf(blocking)} cannot be released: ${errorText(error)}`;
  recorder.event(policy, 'Warning', 'CleanupPolicyFailed', text);
}
