import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { controllerOf } from '../../apimachinery/meta/owner.js';
import { policiesFor } from '../../kinds/karmada/policies-by-selector.js';
import { isSelected } from '../../kinds/karmada/resource-selector.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import type { Policy } from '../../api/karmada/types.js';
import { keyOf } from '../../client/key.js';
import { NotYet } from '../../client/runtime/controller.js';
import { isPassing } from '../../client/runtime/failures.js';
import { observed } from '../../client/runtime/meter.js';
import { createOrUpdate, updateObject } from '../../client/runtime/update.js';
import { affinityGroups, desiredBinding, refreshBinding, type TemplateFacts } from './binding.js';
import { choosePolicy } from './choose.js';
import { type Claim, claimant, claimedBy, claimOf, putClaim } from './claim.js';
import type { DetectorDeps } from './interface.js';
import { interpret } from './interpret.js';
import { releaseTemplate } from './release.js';
import { placeOfTemplate, templateKey, type TemplateKey, type TemplatePlace } from './templates.js';

/**
 * Reconciles one template: applies the policy that has claimed it, or the best matching one; without one the template waits. With `byPolicy`
 * only the policy has changed; a lazy policy then claims the template, but does not write the binding.
 * as pkg/detector ResourceDetector.propagateResource
 */
export async function reconcileTemplate(key: TemplateKey, byPolicy: boolean, deps: DetectorDeps): Promise<void> {
  const at = placeOfTemplate(key);
  const template = deps.templates.get(key);
  // The binding of a deleted template is deleted by its owner reference.
  if (!template || template.metadata.deletionTimestamp || template.metadata.labels?.[labels.claimedBy]) return;
  const claim = claimedBy(template);
  const start = performance.now();
  const policy = claim ? claimant(claim, deps) : findPolicy(template, at, deps);
  if (claim && !policy) return releaseTemplate(template, claim, deps);
  if (!policy) return;
  if (policy.metadata.deletionTimestamp) throw new NotYet(`${describe(policy)} is being deleted`);
  // A claimed template that its policy does not select any more is released by the reconcile of the policy.
  if (claim && !isSelected(template, policy.spec.resourceSelectors)) return;
  requireOverrides(policy, deps);
  if (!claim) deps.series.matched((performance.now() - start) / 1000);
  await observed(() => applyPolicy(template, policy, byPolicy, deps), deps.series.applied);
}

function findPolicy(template: KubeObject, at: TemplatePlace, deps: DetectorDeps): Policy | undefined {
  const { namespace } = at;
  const policy = namespace ? choosePolicy(policiesFor(deps.policies, namespace, at), template) : undefined;
  return policy ?? choosePolicy(policiesFor(deps.clusterPolicies, '', at), template);
}

/** Throws NotYet if dependentOverrides of the policy are missing, so that nothing is rendered without them. */
export function requireOverrides(policy: Policy, deps: DetectorDeps): void {
  const { namespace } = policy.metadata;
  const missing = policy.spec.dependentOverrides?.some(name =>
    namespace ? !deps.overrides.get(namespacedName(namespace, name)) : !deps.clusterOverrides.get(name),
  );
  if (missing) throw new NotYet('waiting for dependent overrides');
}

const describe = ({ kind, metadata: { namespace, name } }: Policy): string =>
  kind === 'PropagationPolicy' ? `policy(${namespace}/${name})` : `cluster policy(${name})`;

async function applyPolicy(template: KubeObject, policy: Policy, byPolicy: boolean, deps: DetectorDeps): Promise<void> {
  let claimed = template;
  const key = templateKey({ ...template, ...template.metadata });
  const claim = claimOf(policy);
  deps.claiming.set(key, claim);
  try {
    claimed = await claimTemplate(template, claim, deps);
    if (byPolicy && policy.spec.activationPreference === 'Lazy') return;
    const written = await writeBinding(claimed, policy, deps);
    if (written) deps.recorder.event(claimed, 'Normal', 'ApplyPolicySucceed', `Apply ${describe(policy)} succeed`);
  } catch (error) {
    const text = errorText(error);
    if (!isPassing(error))
      deps.recorder.event(claimed, 'Warning', 'ApplyPolicyFailed', `Apply ${describe(policy)} failed: ${text}`);
    throw error;
  } finally {
    deps.claiming.delete(key);
  }
}

async function claimTemplate(template: KubeObject, claim: Claim, deps: DetectorDeps): Promise<KubeObject> {
  const source = deps.templates.source(template.apiVersion, template.kind);
  if (!source) throw new ExpectedError(`${template.apiVersion} ${template.kind} is not served any more`);
  return updateObject(deps.context.client, source.resource, template, draft => putClaim(draft, claim));
}

const olderOwner =
  'failed to update binding due to different owner reference UID, will try again later after binding is garbage collected, see https://github.com/karmada-io/karmada/issues/2090';

/** Creates or updates the binding. Returns whether anything was written. */
async function writeBinding(template: KubeObject, policy: Policy, deps: DetectorDeps): Promise<boolean> {
  const { client } = deps.context;
  const desired = desiredBinding(template, policy, await factsOf(template, policy, deps));
  const namespaced = desired.metadata.namespace !== undefined;
  const resource = namespaced ? resources.resourceBindings : resources.clusterResourceBindings;
  const mirror = namespaced ? deps.bindings : deps.clusterBindings;
  const result = await createOrUpdate(client, resource, mirror.get(keyOf(desired)), desired, draft => {
    const owner = controllerOf(draft);
    // This binding belongs to a deleted template of the same name, and must be garbage collected first (karmada issue 2090).
    if (owner && owner.uid !== template.metadata.uid) throw new NotYet(olderOwner);
    refreshBinding(draft, desired, policy);
  });
  return result !== 'unchanged';
}

async function factsOf(template: KubeObject, policy: Policy, deps: DetectorDeps): Promise<TemplateFacts> {
  const { gates } = deps;
  const interpreted = await interpret(template, deps);
  if (!template.metadata.namespace) return interpreted;
  const { schedulePriority } = policy.spec;
  return {
    ...interpreted,
    ...(schedulePriority && gates.PriorityBasedScheduling && { priority: priorityValue(schedulePriority, deps) }),
    ...(gates.WorkloadAffinity && { affinityGroups: affinityGroups(template, policy) }),
  };
}

function priorityValue(
  { priorityClassSource, priorityClassName }: NonNullable<Policy['spec']['schedulePriority']>,
  deps: DetectorDeps,
): number {
  if (priorityClassSource === 'PodPriorityClass' || priorityClassSource === 'FederatedPriorityClass')
    throw new ExpectedError(
      `priority class source is ${priorityClassSource}, but ${priorityClassSource} is not supported yet`,
    );
  if (priorityClassSource !== 'KubePriorityClass') throw new ExpectedError('unsupported priority class source');
  const found = deps.priorityClasses.get(priorityClassName);
  if (!found) throw new ExpectedError(`PriorityClass.scheduling.k8s.io "${priorityClassName}" not found`);
  return Number(found['value'] ?? 0);
}
