/** Small worlds for properties of decisions: clusters, and one workload with its policy. The same seed gives the same world. */
import type { Test } from 'tap';
import type {
  Binding,
  BindingSpec,
  Cluster,
  Component,
  Placement,
  SpreadConstraint,
  Taint,
  Toleration,
} from '../../api/karmada/types.js';
import { type Random, random } from '../random.js';
import { binding, cluster } from './objects.js';

export interface World {
  readonly clusters: readonly Cluster[];
  /** It was never placed. */
  readonly binding: Binding;
}

/** What worlds of a property have. */
interface WorldKind {
  readonly strategy?: 'duplicated' | 'aggregated' | 'dynamic' | 'static';
  /** Without spread constraints. */
  readonly isNotSpread?: boolean;
  /** With one affinity at most. */
  readonly hasNoTerms?: boolean;
  /** The workload has components, which are placed as a set in one cluster. */
  readonly isSet?: boolean;
}

const taints: readonly Taint[] = [
  { key: 'maintenance', effect: 'NoSchedule' },
  { key: 'gpu', value: 'a100', effect: 'NoSchedule' },
  { key: 'lost', effect: 'NoExecute' },
  { key: 'old', effect: 'PreferNoSchedule' },
];
const tolerations: readonly Toleration[] = [
  { key: 'maintenance', operator: 'Exists' },
  { key: 'gpu', operator: 'Equal', value: 'a100' },
  { key: 'gpu', operator: 'Equal', value: 'other' },
  { effect: 'NoExecute', operator: 'Exists' },
];
const zones = ['z0', 'z1', 'z2', 'z3'];
const racks = ['r0', 'r1', 'r2'];

function clusterOf(i: number, { below, chance, pick }: Random): Cluster {
  const region = below(4);
  const made = cluster(
    `m${i}`,
    {
      ...(chance(0.9) && { region: `region-${region}` }),
      ...(chance(0.9) && { zones: chance(0.2) ? [pick(zones), pick(zones)] : [pick(zones)] }),
      provider: `provider-${below(2)}`,
      ...(chance(0.3) && { taints: [pick(taints)] }),
    },
    { labels: { tier: chance(0.6) ? 'gold' : 'silver', ...(chance(0.9) && { rack: pick(racks) }) } },
  );
  return withFree(made, chance(0.1) ? 0 : below(12));
}

/** Returns the cluster with room for so many Pods of one CPU. */
export const withFree = (of: Cluster, cpu: number): Cluster => ({
  ...of,
  status: { ...of.status, resourceSummary: { allocatable: { cpu: String(cpu), pods: '1000' } } },
});

/** Returns the cluster in which so many CPUs less are free. */
export const withLess = (of: Cluster, cpu: number): Cluster =>
  withFree(of, Number(of.status?.resourceSummary?.allocatable?.['cpu'] ?? 0) - cpu);

/**
 * Karmada selects at least one cluster of each region, even if that is more than `maxGroups` of clusters. So the maximum of clusters is the larger
 * one.
 */
function spreadOf({ below, chance, pick }: Random): readonly SpreadConstraint[] {
  const limits = (most: number) => {
    const minGroups = 1 + below(most);
    return { minGroups, maxGroups: minGroups + below(3) };
  };
  if (chance(0.3)) return [{ spreadByField: 'cluster', ...limits(4) }];
  const others: readonly SpreadConstraint[] = [
    { spreadByField: 'region', ...limits(3) },
    { spreadByField: 'zone', ...limits(2) },
    { spreadByLabel: 'rack', ...limits(3) },
  ];
  const chosen = chance(0.5) ? [pick(others)] : others.filter(() => chance(0.6));
  const most = Math.max(1, ...chosen.map(({ maxGroups = 1 }) => maxGroups));
  const least = 1 + below(3);
  return [...chosen, { spreadByField: 'cluster', minGroups: least, maxGroups: Math.max(most, least) + below(4) }];
}

/** Returns constraints that demand one cluster, and perhaps one group of some groupings. */
function spreadOfSet({ chance }: Random): readonly SpreadConstraint[] {
  const others: readonly SpreadConstraint[] = [
    { spreadByField: 'region', minGroups: 1, maxGroups: 1 },
    { spreadByField: 'zone', minGroups: 1, maxGroups: 1 },
    { spreadByLabel: 'rack', minGroups: 1, maxGroups: 1 },
  ];
  return [...others.filter(() => chance(0.3)), { spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }];
}

const componentsOf = ({ below }: Random): Component[] =>
  Array.from({ length: 1 + below(3) }, (_, i) => ({
    ...{ name: `component-${i}`, replicas: 1 + below(3) },
    replicaRequirements: { resourceRequest: { cpu: String(1 + below(2)) } },
  }));

function strategyOf(kind: NonNullable<WorldKind['strategy']>, { below }: Random): Placement['replicaScheduling'] {
  if (kind === 'duplicated') return { replicaSchedulingType: 'Duplicated' };
  if (kind === 'aggregated') return { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' };
  const weighted = { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' } as const;
  if (kind === 'dynamic') return { ...weighted, weightPreference: { dynamicWeight: 'AvailableReplicas' } };
  const staticWeightList = ['gold', 'silver'].map(tier => ({
    targetCluster: { labelSelector: { matchLabels: { tier } } },
    weight: 1 + below(5),
  }));
  staticWeightList.push(
    ...['m0', 'm1', 'm2'].map(name => ({
      targetCluster: { clusterNames: [name] } as never,
      weight: 1 + below(9),
    })),
  );
  return { ...weighted, weightPreference: { staticWeightList } };
}

function affinityOf(hasNoTerms: boolean, { chance, pick }: Random): Placement {
  if (chance(0.4)) return {};
  const gold = { labelSelector: { matchLabels: { tier: 'gold' } } };
  if (hasNoTerms || chance(0.5))
    return { clusterAffinity: pick([gold, { exclude: ['m1'] }, { clusterNames: ['m0', 'm1', 'm2', 'm3'] }]) };
  return {
    clusterAffinities: [
      { affinityName: 'first', ...gold },
      { affinityName: 'second', exclude: ['m0'] },
    ],
  };
}

function worldOf(seed: number, kind: WorldKind = {}): World {
  const numbers = random(seed);
  const { below, chance, pick } = numbers;
  const clusters = Array.from({ length: 1 + below(9) }, (_, i) => clusterOf(i, numbers));
  const strategy = kind.strategy ?? pick(['duplicated', 'aggregated', 'dynamic', 'static'] as const);
  const replicaScheduling = strategyOf(strategy, numbers);
  const placement: Placement = {
    ...affinityOf(kind.hasNoTerms ?? false, numbers),
    ...(chance(0.5) && { clusterTolerations: tolerations.filter(() => chance(0.4)) }),
    ...(kind.isSet && { spreadConstraints: [...spreadOfSet(numbers)] }),
    ...(!kind.isSet && !kind.isNotSpread && chance(0.6) && { spreadConstraints: [...spreadOf(numbers)] }),
    ...(replicaScheduling && { replicaScheduling }),
  };
  const workload: Partial<BindingSpec> = kind.isSet
    ? { components: componentsOf(numbers) }
    : { replicas: 1 + below(20), replicaRequirements: { resourceRequest: { cpu: '1' } } };
  const spec = { placement, ...workload };
  const made = binding(spec, undefined, { generation: 1 });
  return {
    clusters,
    binding: { ...made, spec: { ...made.spec, resource: { ...made.spec.resource, uid: `uid-${seed}` } } },
  };
}

/** Returns worlds that have one thing less. */
function* simpler({ clusters, binding }: World): Generator<World> {
  const withSpec = (spec: Partial<Binding['spec']>): World => ({
    clusters,
    binding: { ...binding, spec: { ...binding.spec, ...spec } },
  });
  for (const i of clusters.keys()) yield { clusters: clusters.toSpliced(i, 1), binding };
  const { placement = {}, replicas = 0, components = [] } = binding.spec;
  for (const i of components.keys())
    if (components.length > 1) yield withSpec({ components: components.toSpliced(i, 1) });
  for (const part of ['clusterAffinity', 'clusterAffinities', 'clusterTolerations', 'spreadConstraints'] as const) {
    const { [part]: dropped, ...rest } = placement;
    if (dropped) yield withSpec({ placement: rest });
  }
  for (const i of (placement.spreadConstraints ?? []).keys())
    yield withSpec({
      placement: { ...placement, spreadConstraints: placement.spreadConstraints?.toSpliced(i, 1) ?? [] },
    });
  for (const fewer of [Math.floor(replicas / 2), replicas - 1]) if (fewer > 0) yield withSpec({ replicas: fewer });
}

/** Returns what is wrong in a world, '' if nothing is; undefined if the property says nothing about it. */
type Property = (world: World) => string | undefined;

/** Removes what a fault does not need. */
function shrunk(world: World, property: Property): World {
  for (const less of simpler(world)) if (property(less)) return shrunk(less, property);
  return world;
}

const worlds = 1500;

/** Checks a property in the worlds of many seeds. Tells the seed and the smallest world of the first fault. */
export function holds(t: Test, property: Property, kind: WorldKind = {}): void {
  let judged = 0;
  for (let seed = 1; seed <= worlds; seed++) {
    const world = worldOf(seed, kind);
    const fault = property(world);
    if (fault !== undefined) judged++;
    if (!fault) continue;
    const small = shrunk(world, property);
    t.fail(`seed ${seed}: ${property(small)}`, { world: JSON.stringify(small, undefined, 1) });
    return;
  }
  t.ok(judged > worlds / 5, `${judged} worlds of ${worlds} are judged`);
}
