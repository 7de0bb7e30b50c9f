import { changedByKarmada, specificationChanged } from '../../../controllers/policy/change.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { amountsText } from '../../../apimachinery/quantity/amounts.js';
import { bindingUsage } from '../../../kinds/karmada/quota/binding-usage.js';
import { clusterMatches } from '../../../kinds/karmada/cluster-affinity.js';
import { implicitPriority } from '../../../kinds/karmada/resource-selector.js';
import type { Binding, Cluster, ClusterAffinity, ResourceList, ResourceSelector } from '../../../api/karmada/types.js';
import { check } from './check.js';

interface Selection {
  readonly object?: KubeObject;
  readonly selector?: ResourceSelector;
}

interface Change {
  readonly old?: KubeObject;
  readonly new?: KubeObject;
}

interface Affinity {
  readonly cluster?: Cluster;
  readonly affinity?: ClusterAffinity;
}

export const selectors = check<Selection, { implicitPriority: number }>({
  area: 'matching',
  part: 'resource selectors',
  covers: ({ selector }) => selector !== undefined,
  compare: ({ object, selector }, output) => ({
    want: output.implicitPriority,
    got: object && selector && implicitPriority(object, selector),
  }),
});

export const affinities = check<Affinity, { matches: boolean }>({
  area: 'matching',
  part: 'cluster affinities',
  covers: ({ affinity }) => affinity !== undefined,
  compare: ({ cluster, affinity }, { matches }) => ({
    want: matches,
    got: cluster && affinity && clusterMatches(cluster, affinity),
  }),
});

export const changes = check<Change, { specificationChanged: boolean; changedByKarmada: boolean }>({
  area: 'matching',
  part: 'changes of templates',
  covers: input => input.new !== undefined,
  compare: (input, want) => ({
    want,
    got: input.old &&
      input.new && {
        specificationChanged: specificationChanged(input.old, input.new),
        changedByKarmada: changedByKarmada(input.old, input.new),
      },
  }),
});

export const usage = check<{ readonly binding?: Binding }, { usage: ResourceList }>({
  area: 'matching',
  part: 'usage of quotas',
  covers: ({ binding }) => binding !== undefined,
  compare: ({ binding }, { usage }) => ({ want: usage, got: binding && amountsText(bindingUsage(binding.spec)) }),
});
