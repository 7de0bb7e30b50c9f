import { ClusterTotals, type Node } from '../../../controllers/cluster/summary.js';
import type { Cluster, Component, ReplicaRequirements, ResourceModel } from '../../../api/karmada/types.js';
import { atOnce } from '../../../lib/time-slice.js';
import { generalSetEstimator } from '../../../scheduler/estimate/component-sets.js';
import { estimateReplicas } from '../../../scheduler/estimate/general.js';
import { check } from './check.js';

interface General {
  readonly mode: string;
  readonly cluster: Cluster;
  readonly requirements?: ReplicaRequirements;
}

interface Components {
  readonly mode: string;
  readonly cluster: Cluster;
  readonly components?: Component[];
}

interface Modeling {
  readonly mode: string;
  readonly models: ResourceModel[];
  readonly nodes: Node[];
}

export const generalEstimates = check<General, { replicas: number }>({
  area: 'estimators',
  part: 'general',
  covers: ({ mode }) => mode === 'general',
  compare: ({ cluster, requirements }, { replicas }) => ({
    want: replicas,
    got: estimateReplicas(cluster, requirements),
  }),
});

export const generalComponents = check<Components, { sets: number }>({
  area: 'estimators',
  part: 'sets of components',
  covers: ({ mode }) => mode === 'generalComponents',
  compare: ({ cluster, components = [] }, { sets }) => ({
    want: sets,
    got: atOnce(generalSetEstimator(components)(cluster)),
  }),
});

export const modeling = check<Modeling, { counts: number[] }>({
  area: 'estimators',
  part: 'modeling',
  covers: ({ mode }) => mode === 'modeling',
  compare: async ({ models, nodes }, { counts }) => ({
    want: counts,
    got: await countByModel(models, nodes),
  }),
});

async function countByModel(models: ResourceModel[], nodes: readonly Node[]): Promise<number[]> {
  const totals = new ClusterTotals();
  for (const [i, node] of nodes.entries()) totals.setNode(String(i), node);
  const { allocatableModelings = [] } = await totals.summary(models);
  return allocatableModelings.map(({ count }) => count);
}
