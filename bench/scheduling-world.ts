/** Clusters, policies and bindings of a large fleet, for decisions without a server. */
import type { Binding, Cluster, Placement, ReplicaRequirements } from '../api/karmada/types.js';

/** Returns a number below `n`. */
type Below = (n: number) => number;

/** Returns pseudo-random numbers, which are the same in every run. */
function numbers(seed: number): Below {
  let state = seed;
  return n => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 0x8000_0000) * n);
  };
}

const kinds = ['deployments', 'statefulsets', 'daemonsets', 'replicasets', 'jobs', 'cronjobs'];
const apiEnablements = () => [
  ...['v1', 'batch/v1', 'networking.k8s.io/v1', 'policy/v1', 'rbac.authorization.k8s.io/v1'].map(groupVersion => ({
    groupVersion,
    resources: kinds.map(name => ({ name, kind: name })),
  })),
  { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
];

const gibibytes = (n: number): string => `${n}Gi`;

/** Returns clusters in ten regions. Some have taints, some have resource models, and their free capacity differs. */
export function clustersOf(count: number, seed = 1): Cluster[] {
  const below = numbers(seed);
  return Array.from({ length: count }, (_, i) => {
    const size = 1 + below(20);
    return {
      ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster' },
      metadata: { name: `member-${i}`, labels: { tier: i % 3 ? 'silver' : 'gold', env: i % 2 ? 'prod' : 'test' } },
      spec: {
        syncMode: 'Push',
        region: `region-${i % 10}`,
        provider: `provider-${i % 3}`,
        zones: [`zone-${i % 10}-a`],
        ...(i % 7 === 0 && { taints: [{ key: 'maintenance', effect: 'NoSchedule' }] }),
        ...(i % 4 === 0 && {
          resourceModels: [1, 2, 4, 8].map((cpu, grade) => ({
            grade,
            ranges: [
              { name: 'cpu', min: String(cpu), max: String(2 * cpu) },
              { name: 'memory', min: gibibytes(4 * cpu), max: gibibytes(8 * cpu) },
            ],
          })),
        }),
      },
      status: {
        apiEnablements: apiEnablements(),
        resourceSummary: {
          allocatable: { cpu: String(16 * size), memory: gibibytes(64 * size), pods: String(110 * size) },
          allocated: { cpu: `${below(8000 * size)}m`, memory: gibibytes(below(32 * size)), pods: String(below(50)) },
          ...(i % 4 === 0 && { allocatableModelings: [0, 1, 2, 3].map(grade => ({ grade, count: below(size) })) }),
        },
      },
    };
  });
}

const weighted = { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' } as const;
const strategies: readonly Placement['replicaScheduling'][] = [
  { replicaSchedulingType: 'Duplicated' },
  { ...weighted, weightPreference: { dynamicWeight: 'AvailableReplicas' } },
  { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
  {
    ...weighted,
    weightPreference: {
      staticWeightList: [
        { targetCluster: { labelSelector: { matchLabels: { tier: 'gold' } } }, weight: 3 },
        { targetCluster: { labelSelector: { matchLabels: { tier: 'silver' } } }, weight: 1 },
      ],
    },
  },
];
const affinities: readonly Placement[] = [
  {},
  { clusterAffinity: { labelSelector: { matchLabels: { env: 'prod' } } } },
  {
    clusterAffinity: { fieldSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: ['region-1'] }] } },
  },
  {
    clusterAffinities: [
      { affinityName: 'gold', labelSelector: { matchLabels: { tier: 'gold' } } },
      { affinityName: 'any' },
    ],
  },
  { clusterAffinity: { clusterNames: ['member-1', 'member-2', 'member-3', 'member-4', 'member-5'] } },
];
const spreads: readonly Placement[] = [
  {},
  { spreadConstraints: [{ spreadByField: 'cluster', minGroups: 2, maxGroups: 5 }] },
  {
    spreadConstraints: [
      { spreadByField: 'region', minGroups: 2, maxGroups: 3 },
      { spreadByField: 'cluster', minGroups: 2, maxGroups: 6 },
    ],
  },
];

/** Returns the placements of policies. No two are equal. */
const placementsOf = (): readonly Placement[] =>
  strategies.flatMap(replicaScheduling =>
    affinities.flatMap(affinity =>
      spreads.map(spread => ({ ...affinity, ...spread, ...(replicaScheduling && { replicaScheduling }) })),
    ),
  );

const requirementsOf = (): readonly ReplicaRequirements[] =>
  ['100m', '250m', '500m', '1', '2'].flatMap(cpu =>
    ['128Mi', '512Mi', '1Gi', '4Gi'].map(memory => ({ resourceRequest: { cpu, memory } })),
  );

/** Returns bindings of Deployments that were never scheduled. Every one has its own objects, as those that come from a server. */
export function bindingsOf(count: number, seed = 2): Binding[] {
  const below = numbers(seed);
  const [placements, requirements] = [placementsOf(), requirementsOf()];
  return Array.from({ length: count }, (_, i) => ({
    ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
    metadata: { namespace: 'default', name: `web-${i}-deployment`, generation: 1 },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: `web-${i}`, uid: `uid-${i}` },
      replicas: 1 + below(20),
      replicaRequirements: structuredClone(requirements[below(requirements.length)] ?? {}),
      placement: structuredClone(placements[below(placements.length)] ?? {}),
    },
  }));
}
