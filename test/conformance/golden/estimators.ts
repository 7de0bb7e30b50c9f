import { ClusterTotals, type Node } from '../../../controllers/cluster/summary.js';
import type { Cluster, Component, ReplicaRequirements, ResourceModel } from '../../../api/karmada/types.js';
import { atOnce } from '../../../lib/time-slice.js';
import { accurateReplicas, accurateSets, type MemberState } from '../../../scheduler/estimate/accurate/accurate.js';
import type { EstimatedNode, EstimatedPod, EstimatedQuota } from '../../../scheduler/estimate/accurate/interface.js';
import { NodeSnapshot } from '../../../scheduler/estimate/accurate/node-snapshot.js';
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

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Accurate {
  readonly mode: string;
  readonly nodes: (EstimatedNode & Named)[];
  readonly pods: (EstimatedPod & Named)[];
  readonly quotas: (EstimatedQuota & Named)[];
  readonly requirements?: ReplicaRequirements;
  readonly namespace?: string;
  readonly components?: Component[];
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

export const accurateEstimates = check<Accurate, { replicas: number }>({
  area: 'estimators',
  part: 'accurate',
  covers: ({ mode }) => mode === 'accurate',
  compare: (input, { replicas }) => ({
    want: replicas,
    got: atOnce(accurateReplicas(memberState(input), input.requirements)),
  }),
});

export const accurateComponents = check<Accurate, { sets: number }>({
  area: 'estimators',
  part: 'accurate sets of components',
  covers: ({ mode }) => mode === 'accurateComponents',
  compare(input, { sets }) {
    for (const nodes of orders(input.nodes)) if (setsOf({ ...input, nodes }) === sets) return { want: sets, got: sets };
    return { want: sets, got: setsOf(input) };
  },
});

const setsOf = (input: Accurate): number =>
  atOnce(accurateSets(memberState(input), { namespace: input.namespace ?? '', components: input.components ?? [] }));

/** Yields the list as it is, and then in every other order: the vectors were recorded with nodes in the order of a hash map. */
function* orders<T>(list: readonly T[]): Generator<T[]> {
  if (list.length < 2) yield [...list];
  else for (const [i, first] of list.entries()) for (const rest of orders(list.toSpliced(i, 1))) yield [first, ...rest];
}

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

function memberState({ nodes, pods, quotas }: Accurate): MemberState {
  const snapshot = new NodeSnapshot();
  for (const node of nodes) snapshot.setNode(node.metadata.name, node);
  for (const pod of pods) snapshot.setPod(`${pod.metadata.namespace ?? ''}/${pod.metadata.name}`, pod);
  const quotasIn = (namespace: string): EstimatedQuota[] =>
    quotas.filter(({ metadata }) => metadata.namespace === namespace);
  return { nodes: snapshot.nodes, quotasIn };
}
