import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import type { Policy } from '../../api/karmada/types.js';
import { isLostRace } from '../../client/runtime/failures.js';
import { observed } from '../../client/runtime/meter.js';
import { type Claim, claimant, claimedBy, claimOf, putClaim } from './claim.js';
import type { DetectorDeps } from './interface.js';
import { templateKey } from './templates.js';

const priorityOf = ({ spec }: Policy): number => spec.priority ?? 0;

/**
 * Returns whether a policy may take a template from the one that has it. `holder`: the policy that the claim names, if it is there; a claim of
 * a policy that is gone ends by itself.
 */
export function mayPreempt(policy: Policy, claim: Claim | undefined, holder: Policy | undefined): boolean {
  if (!claim) return false;
  const own = claimOf(policy);
  if (own.kind !== claim.kind) return own.kind === 'PropagationPolicy';
  if (own.namespace === claim.namespace && own.name === claim.name) return false;
  return holder !== undefined && priorityOf(policy) > priorityOf(holder);
}

/** Those that may take what a policy has, now that its priority is lower: the highest first. */
export function successors(old: Policy, policy: Policy, others: readonly Policy[]): Policy[] {
  const [high, low] = [priorityOf(old), priorityOf(policy)];
  return others
    .filter(other => other.spec.preemption === 'Always' && priorityOf(other) > low && priorityOf(other) < high)
    .sort((a, b) => priorityOf(b) - priorityOf(a));
}

/** Takes the templates that a policy names from those that have them, where it may. What follows from the new claim comes by itself. */
export async function preempt(policy: Policy, deps: DetectorDeps): Promise<void> {
  for (const { apiVersion, kind, namespace = '', name } of policy.spec.resourceSelectors) {
    const template = name ? deps.templates.get(templateKey({ apiVersion, kind, namespace, name })) : undefined;
    if (!template || template.metadata.deletionTimestamp) continue;
    const claim = claimedBy(template);
    const holder = claim && claimant(claim, deps);
    if (claim && mayPreempt(policy, claim, holder)) await take(template, policy, claim, deps);
  }
}

const describe = ({ kind, namespace, name }: Claim): string =>
  kind === 'PropagationPolicy' ? `propagation policy(${namespace}/${name})` : `cluster propagation policy(${name})`;

async function take(template: KubeObject, policy: Policy, claim: Claim, deps: DetectorDeps): Promise<void> {
  const { recorder, templates, context, series } = deps;
  const source = templates.source(template.apiVersion, template.kind);
  if (!source) return;
  const own = describe(claimOf(policy));
  const subject = own.charAt(0).toUpperCase() + own.slice(1);
  const draft = cloneJson(template);
  putClaim(draft, claimOf(policy));
  try {
    // As it was judged: after a conflict, whoever has it then is looked at anew.
    await observed(() => context.client.update(source.resource, draft), series.preempted);
  } catch (error) {
    const text = `${subject} failed to preempt ${describe(claim)}: ${errorText(error)}`;
    if (!isLostRace(error)) recorder.event(template, 'Warning', 'PreemptPolicyFailed', text);
    throw error;
  }
  const text = `${subject} preempted ${describe(claim)} successfully`;
  recorder.event(template, 'Normal', 'PreemptPolicySucceed', text);
}
