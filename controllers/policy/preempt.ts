import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { WalkPauses } from '../../lib/time-slice.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import type { Policy } from '../../api/karmada/types.js';
import { isLostRace } from '../../client/runtime/failures.js';
import { observed } from '../../client/runtime/meter.js';
import { type Claim, claimant, claimedBy, claimOf, putClaim } from './claim.js';
import type { DetectorDeps, PolicyStep } from './interface.js';
import { templateKey } from './templates.js';

const priorityOf = ({ spec }: Policy): number => spec.priority ?? 0;

/**
 * Reports whether a policy may preempt the claim of another one. `holder` is the claiming policy; undefined if it was deleted, whose claim is
 * released anyway.
 */
export function mayPreempt(policy: Policy, claim: Claim | undefined, holder: Policy | undefined): boolean {
  if (!claim) return false;
  const own = claimOf(policy);
  if (own.kind !== claim.kind) return own.kind === 'PropagationPolicy';
  if (own.namespace === claim.namespace && own.name === claim.name) return false;
  return holder !== undefined && priorityOf(policy) > priorityOf(holder);
}

/** Reports whether a change of a policy lets others preempt it. */
export const lowersPriority = (old: Policy, policy: Policy): boolean => priorityOf(policy) < priorityOf(old);

/** Returns the policies that may preempt a policy after it has lowered its priority, by descending priority. */
export function successors(old: Policy, policy: Policy, others: readonly Policy[]): Policy[] {
  const [high, low] = [priorityOf(old), priorityOf(policy)];
  return others
    .filter(other => other.spec.preemption === 'Always' && priorityOf(other) > low && priorityOf(other) < high)
    .sort((a, b) => priorityOf(b) - priorityOf(a));
}

/**
 * Yields a step for each template that a policy names: it preempts the claim on it, if it may. The change of the claim wakes the reconcile of the
 * template.
 */
export async function* preemptions(policy: Policy, deps: DetectorDeps): AsyncGenerator<PolicyStep, void> {
  const pauses = new WalkPauses();
  for (const { apiVersion, kind, namespace = '', name } of policy.spec.resourceSelectors) {
    const pause = pauses.next();
    if (pause) await pause;
    const template = name ? deps.templates.get(templateKey({ apiVersion, kind, namespace, name })) : undefined;
    if (!template || template.metadata.deletionTimestamp) continue;
    const claim = claimedBy(template);
    const holder = claim && claimant(claim, deps);
    if (claim && mayPreempt(policy, claim, holder)) yield { run: () => take(template, policy, claim, deps) };
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
    // The update fails if the template has changed; then the claim is checked again.
    await observed(() => context.client.update(source.resource, draft), series.preempted);
  } catch (error) {
    const text = `${subject} failed to preempt ${describe(claim)}: ${errorText(error)}`;
    if (!isLostRace(error)) recorder.event(template, 'Warning', 'PreemptPolicyFailed', text);
    throw error;
  }
  const text = `${subject} preempted ${describe(claim)} successfully`;
  recorder.event(template, 'Normal', 'PreemptPolicySucceed', text);
}
