import type { Binding, Cluster, OverridePolicy, Work } from '../../api/karmada/types.js';
import { executionNamespace } from '../../api/karmada/names.js';
import { keyOf } from '../../client/key.js';
import { generationChanged } from '../../client/runtime/generation.js';
import type { Informer, WorkQueue } from '../../client/runtime/interface.js';
import { walk } from '../../client/runtime/walk.js';
import { isSelected } from '../../kinds/karmada/resource-selector.js';
import { hasOtherRules, isSameTarget } from '../override/cluster-targets.js';
import { templateKey, type Templates } from '../policy/templates.js';
import { bindingOfWork } from './works-of-binding.js';

interface Mirrors {
  readonly bindings: Informer<Binding>;
  readonly works: Informer<Work>;
  readonly clusters: Informer<Cluster>;
  readonly overrides: Informer<OverridePolicy>;
  readonly clusterOverrides: Informer<OverridePolicy>;
  readonly templates: Templates;
}

/**
 * Wakes the bindings whose Works have other overrides, since a policy has changed, or rules of a policy begin or cease to be for a cluster. They have
 * low priority, since a policy may concern all bindings. differs: Karmada renders Works again only for a changed policy.
 */
export function wakeOnOverrides(queue: Pick<WorkQueue, 'addLow'>, mirrors: Mirrors): void {
  const { clusters, overrides, clusterOverrides } = mirrors;
  const waker = new OverrideWaker(queue, mirrors);
  // What exists at the start is rendered with all policies.
  let isStarted = false;
  for (const informer of [overrides, clusterOverrides]) {
    informer.onChange(change => {
      if (!isStarted || !informer.hasSynced || !generationChanged(change)) return;
      for (const state of [change.old, change.new]) if (state) void waker.policyChanged(state);
    });
  }
  clusters.onChange(({ old, new: cluster }) => {
    if (old && cluster && !isSameTarget(old, cluster)) void waker.targetChanged(old, cluster);
  });
  isStarted = true;
}

class OverrideWaker {
  readonly #queue: Pick<WorkQueue, 'addLow'>;
  readonly #mirrors: Mirrors;

  constructor(queue: Pick<WorkQueue, 'addLow'>, mirrors: Mirrors) {
    this.#queue = queue;
    this.#mirrors = mirrors;
  }

  /** Wakes the bindings of the templates that a policy selects. */
  async policyChanged(policy: OverridePolicy): Promise<void> {
    const { bindings } = this.#mirrors;
    const { namespace } = policy.metadata;
    const keys = namespace ? bindings.keysIn(namespace) : bindings.cached.keys();
    for await (const binding of walk(bindings, keys))
      if (this.#selects(policy, binding)) this.#queue.addLow(keyOf(binding));
  }

  /** Wakes the bindings that have a Work in the cluster and a policy with other rules for it. */
  async targetChanged(old: Cluster, cluster: Cluster): Promise<void> {
    const { bindings, works } = this.#mirrors;
    const policies = await this.#policiesWithOtherRules(old, cluster);
    if (policies.size === 0) return;
    for await (const work of walk(works, works.keysIn(executionNamespace(cluster.metadata.name ?? '')))) {
      const binding = bindingOfWork(work, bindings);
      if (!binding) continue;
      const concerned = [...(policies.get('') ?? []), ...(policies.get(binding.metadata.namespace ?? '') ?? [])];
      if (concerned.some(policy => this.#selects(policy, binding))) this.#queue.addLow(keyOf(binding));
    }
  }

  /** Returns the policies by namespace; those of the cluster have the namespace ''. */
  async #policiesWithOtherRules(old: Cluster, cluster: Cluster): Promise<ReadonlyMap<string, OverridePolicy[]>> {
    const found = new Map<string, OverridePolicy[]>();
    for (const informer of [this.#mirrors.clusterOverrides, this.#mirrors.overrides])
      for await (const policy of walk(informer)) {
        if (!hasOtherRules(policy, old, cluster)) continue;
        const { namespace = '' } = policy.metadata;
        const others = found.get(namespace);
        if (others) others.push(policy);
        else found.set(namespace, [policy]);
      }
    return found;
  }

  #selects({ spec: { resourceSelectors = [] } }: OverridePolicy, { spec: { resource } }: Binding): boolean {
    const template = this.#mirrors.templates.get(templateKey(resource));
    return template !== undefined && (resourceSelectors.length === 0 || isSelected(template, resourceSelectors));
  }
}
