import type { InSteps } from '../../lib/time-slice.js';
import { clusterMatches } from '../../kinds/karmada/cluster-affinity.js';
import type { BindingSpec, BindingStatus, Component, TargetCluster } from '../../api/karmada/types.js';
import type { Candidate, SchedulingInput } from '../interface.js';
import { divideByWeight, type Weighted } from '../../lib/webster.js';

type Assignment =
  | { readonly type: 'assigned'; readonly clusters: TargetCluster[] }
  | { readonly type: 'UnschedulableError' | 'Error'; readonly message: string };

const assigned = (clusters: TargetCluster[]): Assignment => ({ type: 'assigned', clusters });
const sum = (list: readonly { readonly replicas?: number }[]): number =>
  list.reduce((n, { replicas = 0 }) => n + replicas, 0);

/** Returns whether a reschedule was requested since the last one, so that the previous targets are ignored. as pkg/util RescheduleRequired */
export function isRescheduleRequired(spec: BindingSpec, status: BindingStatus): boolean {
  if (!spec.rescheduleTriggeredAt || !status.lastScheduledTime) return false;
  return Date.parse(spec.rescheduleTriggeredAt) > Date.parse(status.lastScheduledTime);
}

/** Reports whether the replicas of a workload are divided among clusters. */
export const isDivisible = ({ replicas = 0, replicaRequirements, components = [] }: BindingSpec): boolean =>
  (replicas > 0 || replicaRequirements !== undefined) && components.length <= 1;

/**
 * Returns the replicas for each selected cluster. Only workloads with replicas and at most one component are divided. `recordsComponents`: the
 * targets of a workload with several components have the replicas of each. as pkg/scheduler/core AssignReplicas
 */
export function* assignReplicas(
  input: SchedulingInput,
  selected: readonly Candidate[],
  { recordsComponents = false } = {},
): InSteps<Assignment> {
  if (selected.length === 0) return { type: 'Error', message: 'no clusters available to schedule' };
  const { spec } = input;
  const { components = [] } = spec;
  if (!isDivisible(spec)) {
    const recorded = recordsComponents && components.length > 1 ? { components: replicasOfEach(components) } : {};
    return assigned(selected.map(({ name }) => ({ name, ...recorded })));
  }
  const overflows = input.term?.overflowAffinities !== undefined;
  return overflows ? yield* assignByTier(input, selected) : yield* assignTo(input, selected, spec.replicas ?? 0);
}

const replicasOfEach = (components: readonly Component[]): NonNullable<TargetCluster['components']> =>
  components.map(({ name, replicas }) => ({ name, replicas }));

/** Assigns tier by tier: the first tier takes what it can, the next one the rest. */
function* assignByTier(input: SchedulingInput, selected: readonly Candidate[]): InSteps<Assignment> {
  const clusters: TargetCluster[] = [];
  let remaining = input.spec.replicas ?? 0;
  for (const order of [...new Set(selected.map(c => c.overflowOrder))].sort((a, b) => a - b)) {
    const tier = selected.filter(c => c.overflowOrder === order);
    const share = Math.min(
      remaining,
      tier.reduce((n, c) => n + c.available, 0),
    );
    const part = yield* assignTo(input, tier, share);
    if (part.type !== 'assigned') return part;
    clusters.push(...part.clusters);
    remaining -= share;
    if (remaining <= 0) break;
  }
  if (remaining <= 0) return assigned(clusters);
  return { type: 'UnschedulableError', message: 'Clusters available replicas are not enough to schedule.' };
}

function* assignTo(input: SchedulingInput, selected: readonly Candidate[], replicas: number): InSteps<Assignment> {
  const result = yield* divided(input, selected, replicas);
  if (result.type !== 'assigned') return result;
  return assigned(result.clusters.filter(({ replicas = 0 }) => replicas > 0));
}

function* divided(input: SchedulingInput, selected: readonly Candidate[], replicas: number): InSteps<Assignment> {
  const strategy = input.spec.placement?.replicaScheduling;
  const { uid = '' } = input.spec.resource;
  if ((strategy?.replicaSchedulingType ?? 'Duplicated') === 'Duplicated')
    return assigned(selected.map(({ name }) => ({ name, replicas })));
  if (strategy?.replicaDivisionPreference === 'Aggregated') return divideDynamically(input, selected, replicas, true);
  if (strategy?.replicaDivisionPreference === 'Weighted') {
    if (strategy.weightPreference?.dynamicWeight) return divideDynamically(input, selected, replicas, false);
    return assigned(divideByWeight(replicas, yield* staticWeights(input.spec, selected), uid));
  }
  const message =
    `unsupported replica scheduling strategy, replicaSchedulingType: ${strategy?.replicaSchedulingType}, ` +
    `replicaDivisionPreference: ${strategy?.replicaDivisionPreference ?? ''}, please try another scheduling strategy`;
  return { type: 'Error', message };
}

/** Returns the largest weight of the matching rules for each cluster; clusters without one are left out, unless none would be left. */
function* staticWeights(spec: BindingSpec, selected: readonly Candidate[]): InSteps<Weighted[]> {
  const preference = spec.placement?.replicaScheduling?.weightPreference;
  const equal = selected.map(({ name }) => ({ name, weight: 1 }));
  if (!preference) return equal;
  const weighted: Weighted[] = [];
  for (const { name, cluster } of selected) {
    let weight = 0;
    for (const rule of preference.staticWeightList ?? [])
      if (clusterMatches(cluster, rule.targetCluster)) weight = Math.max(weight, Number(rule.weight));
    if (weight > 0) weighted.push({ name, weight });
    yield;
  }
  return weighted.length > 0 ? weighted : equal;
}

/** Divides by available replicas. Moves as few placed replicas as possible, or all of them when a reschedule is requested. */
function divideDynamically(
  input: SchedulingInput,
  selected: readonly Candidate[],
  replicas: number,
  aggregated: boolean,
): Assignment {
  const { spec, status } = input;
  const names = new Set(selected.map(c => c.name));
  // Replicas in clusters that are no longer candidates are placed again.
  const scheduled = (spec.clusters ?? []).filter(target => names.has(target.name));
  const held = new Map(scheduled.map(({ name, replicas = 0 }) => [name, replicas]));
  const capacities = (withPlaced: boolean): Weighted[] =>
    selected.map(c => ({ name: c.name, weight: c.allocatable + (withPlaced ? (held.get(c.name) ?? 0) : 0) }));
  if (isRescheduleRequired(spec, status)) return divide('fresh scale', replicas, capacities(true), []);
  const placed = sum(scheduled);
  if (placed > replicas) {
    const current = scheduled.map(({ name, replicas: weight = 0 }) => ({ name, weight }));
    return divide('scale down', replicas, current, []);
  }
  if (placed < replicas) return divide('scale up', replicas - placed, capacities(false), scheduled);
  return assigned(scheduled.map(({ name, replicas: held = 0 }) => ({ name, replicas: held })));

  function divide(
    action: string,
    target: number,
    pool: readonly Weighted[],
    base: readonly TargetCluster[],
  ): Assignment {
    let weights = [...pool].sort((a, b) => b.weight - a.weight);
    const total = weights.reduce((n, { weight }) => n + weight, 0);
    if (total < target) {
      const message = `failed to ${action === 'fresh scale' ? 'do fresh scale' : action}: Clusters available replicas ${total} are not enough to schedule.`;
      return { type: 'UnschedulableError', message };
    }
    if (aggregated) weights = fewestClusters(target, weights, base).sort((a, b) => b.weight - a.weight);
    return assigned(merge(base, divideByWeight(target, contenders(target, weights), spec.resource.uid ?? '')));
  }
}

/**
 * Returns those that may get a replica. Everyone's first replica comes before the second one of the same weight, so that with N replicas only the N
 * largest weights count, and those that equal the last of them. hot: most workloads have fewer replicas than there are clusters.
 */
function contenders(replicas: number, descending: readonly Weighted[]): readonly Weighted[] {
  const last = descending[Math.max(0, replicas - 1)];
  if (!last) return descending;
  const end = descending.findIndex(({ weight }) => weight < last.weight);
  return end < 0 ? descending : descending.slice(0, end);
}

/** Returns the shortest prefix with enough capacity, beginning with clusters that have replicas already. */
function fewestClusters(target: number, pool: readonly Weighted[], base: readonly TargetCluster[]): Weighted[] {
  const holding = new Set(base.filter(({ replicas = 0 }) => replicas > 0).map(({ name }) => name));
  const ordered = [...pool.filter(c => holding.has(c.name)), ...pool.filter(c => !holding.has(c.name))];
  let capacity = 0;
  const enough = ordered.findIndex(({ weight }) => (capacity += weight) >= target);
  return enough < 0 ? ordered : ordered.slice(0, enough + 1);
}

function merge(base: readonly TargetCluster[], more: readonly TargetCluster[]): TargetCluster[] {
  const total = new Map<string, number>();
  for (const { name, replicas = 0 } of [...more, ...base]) total.set(name, (total.get(name) ?? 0) + replicas);
  return [...total].map(([name, replicas]) => ({ name, replicas })).sort((a, b) => (a.name < b.name ? -1 : 1));
}
