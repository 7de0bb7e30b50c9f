import type { KubeObject } from '../../apimachinery/interface.js';
import { resources } from '../../api/karmada/well-known.js';
import { hasPoliciesFor, selectorIndexers } from '../../kinds/karmada/policies-by-selector.js';
import type { Binding, Policy } from '../../api/karmada/types.js';
import { cloneJson } from '../../lib/json/clone.js';
import { generationChanged } from '../../client/runtime/generation.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, Informer, InformerFactory, WorkQueue } from '../../client/runtime/interface.js';
import { specificationChanged, changedByKarmada } from './change.js';
import { type Claim, claimant, claimedBy, policyIds, putClaim } from './claim.js';
import { PolicyPasses } from './policy-passes.js';
import { policySeries } from './policy-series.js';
import { lowersPriority, successors } from './preempt.js';
import { reconcileTemplate } from './reconcile-template.js';
import type { DetectorDeps, DetectorMirrors, DetectorOptions } from './interface.js';
import { templateKey, type TemplateKey, type TemplatePlace } from './templates.js';
import { priorityClasses } from '../../api/kubernetes/resources.js';

const byPolicyMark = '|by-policy';

/** Finds the policy of every template, and writes the binding, with one controller for templates and two for policies. */
export async function startDetector(context: ControllerContext, options: DetectorOptions): Promise<void> {
  const items = templateItems();
  // as pkg/detector ResourceDetector.enqueueResourceTemplateForPolicyChange
  const isLow = options.gates.ControllerPriorityQueue;
  const deps = await detectorDeps(context, options, (key, isLazy) => items.wake(key, isLazy, isLow));
  detectTemplates(deps, items);
  detectPolicies('propagation-policy', deps.policies, deps);
  detectPolicies('cluster-propagation-policy', deps.clusterPolicies, deps);
}

/** Returns the dependencies of the reconcilers. Resolves when the mirrors have read their first lists. */
export async function detectorDeps(
  context: ControllerContext,
  options: DetectorOptions,
  wakeByPolicy: DetectorDeps['wakeByPolicy'],
): Promise<DetectorDeps> {
  return {
    context,
    ...options,
    ...(await mirrorsOf(context.informers)),
    recorder: context.recorder('resource-detector'),
    claiming: new Map(),
    series: policySeries(context.meter),
    wakeByPolicy,
  };
}

/** Returns the mirrors of the resources besides templates. Resolves when their first lists are read. */
async function mirrorsOf(informers: InformerFactory): Promise<DetectorMirrors> {
  const selecting = { indexers: selectorIndexers };
  const marked = { indexers: { policyId: { ofLabels: policyIds } } };
  const mirrors = {
    policies: informers.informer<Policy>(resources.propagationPolicies, selecting),
    clusterPolicies: informers.informer<Policy>(resources.clusterPropagationPolicies, selecting),
    bindings: informers.informer<Binding>(resources.resourceBindings, marked),
    clusterBindings: informers.informer<Binding>(resources.clusterResourceBindings, marked),
    overrides: informers.informer(resources.overridePolicies),
    clusterOverrides: informers.informer(resources.clusterOverridePolicies),
    priorityClasses: informers.informer(priorityClasses),
  };
  await Promise.all(Object.values(mirrors).map(({ synced }) => synced));
  return mirrors;
}

/** The items of the queue of templates. */
interface TemplateItems {
  /** Reconciles a template. `byPolicy`: as in `reconcileTemplate`. */
  wake(key: TemplateKey, byPolicy: boolean, isLow: boolean): void;
  open(queue: WorkQueue): void;
  read(item: string): { readonly key: TemplateKey; readonly byPolicy: boolean };
}

function templateItems(): TemplateItems {
  let queue: WorkQueue | undefined;
  return {
    wake(key, byPolicy, isLow) {
      const item = byPolicy ? key + byPolicyMark : key;
      if (isLow) queue?.addLow(item);
      else queue?.add(item);
    },
    open(opened) {
      queue = opened;
    },
    read(item) {
      const byPolicy = item.endsWith(byPolicyMark);
      return { key: byPolicy ? item.slice(0, -byPolicyMark.length) : item, byPolicy };
    },
  };
}

function detectTemplates(deps: DetectorDeps, items: TemplateItems): void {
  const { context, templates } = deps;
  context.run({
    name: 'resource-detector',
    wire: queue => {
      items.open(queue);
      templates.onChange((change, at) => {
        // A template without a matching policy waits for one. The binding of a deleted template is deleted by its owner reference.
        if (!change.newCached || !(templates.isClaimed(at) || mayBeSelected(at, deps))) return;
        const key = templateKey(at);
        // A new one is not parsed here: at the start there may be a hundred thousand.
        // What exists at the start follows what changes from then on. as pkg/util ItemPriorityIfInInitialList
        const isLow = deps.gates.ControllerPriorityQueue && change.isReplay === true;
        if (!change.oldCached) return items.wake(key, false, isLow);
        const { old, new: template } = change;
        if (!old || !template || !specificationChanged(old, template)) return;
        const claim = deps.claiming.get(key);
        if (claim && isJustClaimed(old, template, claim)) return;
        const lazy = isLazy(template, deps) && changedByKarmada(old, template);
        items.wake(key, lazy, false);
      });
    },
    reconcile: item => {
      const { key, byPolicy } = items.read(item);
      return reconcileTemplate(key, byPolicy, deps);
    },
  });
}

function detectPolicies(name: string, policies: Informer<Policy>, deps: DetectorDeps): void {
  const passes = new PolicyPasses(policies, deps);
  deps.context.run({
    name: `${name}-detector`,
    wire: queue => {
      passes.open(queue);
      policies.onChange(change => {
        const { key, old, new: policy } = change;
        if (!policy) return passes.deleted(key);
        if (!generationChanged(change)) return;
        passes.changed(key);
        if (!old || !deps.preemption) return;
        if (!lowersPriority(old, policy)) return;
        for (const other of successors(old, policy, policies.list(policy.metadata.namespace)))
          passes.changed(keyOf(other));
      });
    },
    reconcile: key => passes.reconcile(key),
  });
}

/** hot: at the start once per object of the control plane. Reports whether a policy may select a template; parses nothing. */
const mayBeSelected = (at: TemplatePlace, { policies, clusterPolicies }: DetectorDeps): boolean =>
  (at.namespace !== '' && hasPoliciesFor(policies, at.namespace, at)) || hasPoliciesFor(clusterPolicies, '', at);

function isLazy(template: KubeObject, deps: DetectorDeps): boolean {
  const claim = claimedBy(template);
  return (claim && claimant(claim, deps))?.spec.activationPreference === 'Lazy';
}

/** Reports whether the change is the claim that this detector has just written; the writer of the claim continues by itself. */
function isJustClaimed(old: KubeObject, next: KubeObject, claim: Claim): boolean {
  const draft = { ...old, metadata: cloneJson(old.metadata) };
  putClaim(draft, claim);
  // A change of annotations increments the generation of some kinds, such as Deployment.
  if (next.metadata.generation !== undefined) draft.metadata.generation = next.metadata.generation;
  return !specificationChanged(draft, next);
}
