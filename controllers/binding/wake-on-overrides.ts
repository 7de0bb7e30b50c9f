import type { Binding, Cluster, OverridePolicy, Work } from '../../api/karmada/types.js';
import { executionNamespace } from '../../api/karmada/names.js';
import { keyOf } from '../../client/key.js';
import { generationChanged } from '../../client/runtime/generation.js';
import type { Informer, Key, WorkQueue } from '../../client/runtime/interface.js';
import { walk } from '../../client/runtime/mirrors/walk.js';
import { keysOfSelectorsFor, selectorKey } from '../../kinds/karmada/policies-by-selector.js';
import { isSelected } from '../../kinds/karmada/resource-selector.js';
import { hasOtherRules, isSameTarget } from '../override/cluster-targets.js';
import type { MirroredOverrides } from '../override/mirrored-overrides.js';
import { templateKey, type Templates } from '../policy/templates.js';
import { bindingId } from './works-of-binding.js';

/** Index of bindings by the selectors that may select their templates; `wakeOnOverrides` needs an informer with it. */
export const bindingIndexers = {
  selectors: ({ spec: { resource } }: Binding): string[] => {
    const { apiVersion, kind, namespace = '', name } = resource;
    return keysOfSelectorsFor({ apiVersion, kind, namespace, name });
  },
};

interface Mirrors {
  readonly bindings: Informer<Binding>;
  readonly works: Informer<Work>;
  readonly clusters: Informer<Cluster>;
  readonly policies: MirroredOverrides;
  readonly templates: Templates;
}

/**
 * Wakes the bindings whose Works have other overrides, since a policy has changed, or rules of a policy begin or cease to be for a cluster. They have
 * low priority, since a policy may concern all bindings. differs: Karmada renders Works again only for a changed policy.
 */
export function wakeOnOverrides(queue: Pick<WorkQueue, 'addLow'>, mirrors: Mirrors): void {
  const { clusters, policies } = mirrors;
  const waker = new OverrideWaker(queue, mirrors);
  // What exists at the start is rendered with all policies.
  for (const informer of [policies.overrides, policies.clusterOverrides]) {
    informer.onLaterChange(change => {
      if (!informer.hasSynced || !generationChanged(change)) return;
      for (const state of [change.old, change.new]) if (state) void waker.policyChanged(state);
    });
  }
  clusters.onLaterChange(({ old, new: cluster }) => {
    if (old && cluster && !isSameTarget(old, cluster)) void waker.targetChanged(old, cluster);
  });
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
    for await (const binding of this.#bindingsOf(policy)) this.#queue.addLow(keyOf(binding));
  }

  /** Wakes the bindings that have a Work in the cluster and a policy with other rules for it. */
  async targetChanged(old: Cluster, cluster: Cluster): Promise<void> {
    const { overrides, clusterOverrides } = this.#mirrors.policies;
    for (const informer of [clusterOverrides, overrides])
      for await (const policy of walk(informer)) {
        if (!hasOtherRules(policy, old, cluster)) continue;
        for await (const binding of this.#bindingsOf(policy))
          if (this.#hasWorkIn(cluster, binding)) this.#queue.addLow(keyOf(binding));
      }
  }

  /** Reports whether a binding has a Work in a cluster. Parses no Work. */
  #hasWorkIn({ metadata: { name = '' } }: Cluster, binding: Binding): boolean {
    const prefix = `${executionNamespace(name)}/`;
    for (const key of this.#mirrors.works.keysByIndex('bindingId', bindingId(binding)))
      if (key.startsWith(prefix)) return true;
    return false;
  }

  /** Yields the bindings of the templates that a policy selects. */
  async *#bindingsOf(policy: OverridePolicy): AsyncGenerator<Binding, void> {
    const { resourceSelectors = [] } = policy.spec;
    for await (const binding of walk(this.#mirrors.bindings, this.#mayBeSelected(policy))) {
      const template = this.#mirrors.templates.get(templateKey(binding.spec.resource));
      if (template && (resourceSelectors.length === 0 || isSelected(template, resourceSelectors))) yield binding;
    }
  }

  /** Yields the keys of the bindings whose templates a policy selects, apart from labels. Parses nothing. */
  *#mayBeSelected({ metadata, spec: { resourceSelectors = [] } }: OverridePolicy): Generator<Key, void> {
    const { bindings } = this.#mirrors;
    const own = metadata.namespace;
    if (resourceSelectors.length === 0) yield* own ? bindings.keysIn(own) : bindings.cached.keys();
    for (const selector of resourceSelectors) {
      const namespace = selector.namespace || own;
      // A policy of a namespace selects nothing in others.
      if (own && namespace !== own) continue;
      yield* bindings.keysByIndex('selectors', selectorKey({ ...selector, ...(namespace && { namespace }) }));
    }
  }
}
