import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { isSelected } from '../../kinds/karmada/resource-selector.js';
import { finalizers, resources } from '../../api/karmada/well-known.js';
import type { Policy } from '../../api/karmada/types.js';
import { keyOf } from '../../client/key.js';
import { walk } from '../../client/runtime/mirrors/walk.js';
import { isLostRace } from '../../client/runtime/failures.js';
import { removeFinalizer } from '../../client/runtime/update.js';
import { claimOf } from './claim.js';
import type { DetectorDeps, PolicyStep } from './interface.js';
import { preemptions } from './preempt.js';
import { requireOverrides } from './reconcile-template.js';
import { releaseTemplate } from './release.js';
import { templateKey, type TemplateKey } from './templates.js';
import { waitingFor } from './waiting.js';

/**
 * Yields the steps of the reconciliation of a policy: templates that it does not select any more are released, its other templates and matching
 * unclaimed ones are reconciled. A terminating policy releases all templates, and is then finished with `finishDeletion`. Throws NotYet if the policy
 * needs overrides that are missing. `current` returns the policy as it is now, which may change between two steps. as pkg/detector
 * ResourceDetector.ReconcilePropagationPolicy
 */
export async function* policySteps(current: () => Policy, deps: DetectorDeps): AsyncGenerator<PolicyStep, void> {
  if (current().metadata.deletionTimestamp) return yield* releases(current(), deps);
  yield* claimedTemplates(current, deps);
  const policy = current();
  let hasOverrides = false;
  for await (const key of waitingFor(policy.spec.resourceSelectors, deps.templates)) {
    if (!hasOverrides) requireOverrides(policy, deps);
    hasOverrides = true;
    yield waking(key, policy, deps);
  }
  if (deps.preemption && policy.spec.preemption === 'Always') yield* preemptions(policy, deps);
}

/** Removes the finalizer of a terminating policy, whose templates are released. */
export async function finishDeletion(policy: Policy, { context: { client } }: DetectorDeps): Promise<void> {
  const isNamespaced = claimOf(policy).kind === 'PropagationPolicy';
  await removeFinalizer(
    client,
    isNamespaced ? resources.propagationPolicies : resources.clusterPropagationPolicies,
    policy,
    isNamespaced ? finalizers.propagationPolicy : finalizers.clusterPropagationPolicy,
  );
}

const waking = (key: TemplateKey, { spec }: Policy, deps: DetectorDeps): PolicyStep => ({
  wakes: key,
  run: () => deps.wakeByPolicy(key, spec.activationPreference === 'Lazy'),
});

async function* claimedTemplates(current: () => Policy, deps: DetectorDeps): AsyncGenerator<PolicyStep, void> {
  const claim = claimOf(current());
  for (const bindings of [deps.bindings, deps.clusterBindings])
    for await (const binding of walk(bindings, bindings.keysByIndex('policyId', claim.id))) {
      const key = templateKey(binding.spec.resource);
      const template = deps.templates.get(key);
      if (!template) continue;
      const policy = current();
      if (isSelected(template, policy.spec.resourceSelectors)) yield waking(key, policy, deps);
      else yield { run: () => releaseTemplate(template, claim, deps) };
    }
}

function* releases(policy: Policy, deps: DetectorDeps): Generator<PolicyStep, void> {
  const claim = claimOf(policy);
  const kinds = new Map(
    policy.spec.resourceSelectors.map(({ apiVersion, kind }) => [`${apiVersion}|${kind}`, { apiVersion, kind }]),
  );
  for (const { apiVersion, kind } of kinds.values())
    for (const key of deps.templates.claimed(apiVersion, kind, claim.id)) yield { run: () => release(key) };

  async function release(key: TemplateKey): Promise<void> {
    const template = deps.templates.get(key);
    if (!template) return;
    try {
      await releaseTemplate(template, claim, deps);
    } catch (error) {
      if (!isLostRace(error)) reportBlocked(policy, template, error, deps);
      throw error;
    }
  }
}

/** Records an Event with the template that blocks the deletion of a policy, since it cannot be released. */
function reportBlocked(policy: Policy, blocking: KubeObject, error: unknown, { recorder }: DetectorDeps): void {
  const text = `The deletion waits: ${blocking.kind} ${keyOf(blocking)} cannot be released: ${errorText(error)}`;
  recorder.event(policy, 'Warning', 'CleanupPolicyFailed', text);
}
