import type { GroupVersionResource, KubeObject } from '../../openapi/interface.js';
import { resources } from '../../registry/kinds/karmada/well-known.js';
import type { Binding, Policy } from '../../registry/kinds/karmada/types.js';
import { cloneJson } from '../../openapi/meta/clone.js';
import { generationChanged } from '../runtime/generation.js';
import { keyOf } from '../runtime/informer.js';
import type { ControllerContext, WorkQueue } from '../runtime/interface.js';
import { candidates, policyIndexers } from './candidates.js';
import { specificationChanged, changedByKarmada } from './change.js';
import { type Claim, claimant, claimedBy, policyIds, putClaim } from './claim.js';
import { policySeries } from './policy-series.js';
import { successors } from './preempt.js';
import { reconcilePolicy } from './reconcile-policy.js';
import { reconcileTemplate } from './reconcile-template.js';
import type { DetectorDeps, DetectorOptions } from './interface.js';
import { templateKey, type TemplateKey, type TemplatePlace } from './templates.js';

const byPolicyMark = '|by-policy';
const priorityClasses: GroupVersionResource = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  resource: 'priorityclasses',
};

/** Finds the policy of every template and keeps a binding for it. Two controllers: one per template, one per policy. */
export async function startDetector(context: ControllerContext, options: DetectorOptions): Promise<void> {
  const { informers } = context;
  let queue: WorkQueue | undefined;
  const early: string[] = []; // changes that come before the workers start
  const wake = (key: TemplateKey, byPolicy: boolean): void => {
    const item = byPolicy ? key + byPolicyMark : key;
    if (queue) queue.add(item);
    else early.push(item);
  };
  const policies = informers.informer<Policy>(resources.propagationPolicies, { indexers: policyIndexers });
  const clusterPolicies = informers.informer<Policy>(resources.clusterPropagationPolicies, {
    indexers: policyIndexers,
  });

  /** hot: at the start once per object of the control plane; nothing is parsed. */
  const isWanted = (at: TemplatePlace): boolean =>
    (at.namespace !== '' && candidates(policies, at.namespace, at).length > 0) ||
    candidates(clusterPolicies, '', at).length > 0;

  const isLazy = (template: KubeObject): boolean => {
    const claim = claimedBy(template);
    const policy = claim && claimant(claim, { policies, clusterPolicies });
    return policy?.spec.activationPreference === 'Lazy';
  };
  const indexers = { policyId: policyIds };
  const bindings = informers.informer<Binding>(resources.resourceBindings, { indexers });
  const clusterBindings = informers.informer<Binding>(resources.clusterResourceBindings, { indexers });
  const overrides = informers.informer(resources.overridePolicies);
  const clusterOverrides = informers.informer(resources.clusterOverridePolicies);
  const classes = informers.informer(priorityClasses);
  const all = [policies, clusterPolicies, bindings, clusterBindings, overrides, clusterOverrides, classes];
  await Promise.all(all.map(({ synced }) => synced));

  const { templates } = options;
  const deps: DetectorDeps = {
    context,
    interpreter: options.interpreter,
    recorder: context.recorder('resource-detector'),
    templates,
    preemption: options.preemption,
    policies,
    clusterPolicies,
    overrides,
    clusterOverrides,
    priorityClasses: classes,
    bindings,
    clusterBindings,
    claiming: new Map(),
    series: policySeries(context.meter),
    wake,
  };
  context.run({
    name: 'resource-detector',
    wire: q => {
      queue = q;
      for (const key of early.splice(0)) q.add(key);
      templates.onChange((change, at) => {
        // What nobody has or wants waits for a policy that does. What is gone takes its binding along.
        if (!change.is || !(templates.isClaimed(at) || isWanted(at))) return;
        const { old, new: template } = change;
        if (!template || (old && !specificationChanged(old, template))) return;
        const claim = deps.claiming.get(templateKey(at));
        if (old && claim && isJustClaimed(old, template, claim)) return;
        const lazy = old && isLazy(template) && changedByKarmada(old, template);
        wake(templateKey(at), lazy ?? false);
      });
    },
    reconcile: key => {
      const byPolicy = key.endsWith(byPolicyMark);
      return reconcileTemplate(byPolicy ? key.slice(0, -byPolicyMark.length) : key, byPolicy, deps);
    },
  });
  for (const [name, informer] of [
    ['propagation-policy', policies],
    ['cluster-propagation-policy', clusterPolicies],
  ] as const) {
    context.run({
      name: `${name}-detector`,
      wire: q =>
        informer.onChange(change => {
          const { key, old, new: policy } = change;
          if (!policy || !generationChanged(change)) return;
          q.add(key);
          if (!old || !options.preemption) return;
          for (const other of successors(old, policy, informer.list(policy.metadata.namespace))) q.add(keyOf(other));
        }),
      reconcile: async key => {
        const policy = informer.get(key);
        if (policy) await reconcilePolicy(policy, deps);
      },
    });
  }
}

/** Who puts the claim on sees to what follows from it. */
function isJustClaimed(old: KubeObject, next: KubeObject, claim: Claim): boolean {
  const draft = { ...old, metadata: cloneJson(old.metadata) };
  putClaim(draft, claim);
  // Kinds such as Deployment count a change of annotations.
  if (next.metadata.generation !== undefined) draft.metadata.generation = next.metadata.generation;
  return !specificationChanged(draft, next);
}
