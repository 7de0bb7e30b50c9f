import { performance } from 'node:perf_hooks';
import { jsonText } from '../../lib/json/json.js';
import { type InSteps, Strides } from '../../lib/time-slice.js';
import type { BindingSpec, Cluster, Placement } from '../../api/karmada/types.js';
import { isWorkload } from '../../kinds/karmada/workload.js';
import { maxInt32 } from '../estimate/resource-summary.js';
import type { Candidate, Estimator, FilterClass, KnownClasses, SchedulingInput } from '../interface.js';
import { type Plugin, pluginsWithout, filterRefusal } from '../plugins/plugins.js';
import { byPreference, overflowOrder, takesResources } from './candidates.js';

/** What fits in every cluster for bindings with the same requirements. */
interface EstimateClass {
  readonly clusters: readonly Cluster[];
  /** By the index of the cluster. */
  readonly candidates: readonly Candidate[];
  /** The indexes in the order of preference. */
  readonly order: readonly number[];
  /** Some clusters have no estimate. */
  readonly isPartial: boolean;
}

interface ClassOptions {
  /** Estimators that read nothing of a binding but its requirements. */
  readonly estimators: readonly Estimator[];
  readonly disabledPlugins?: ReadonlySet<string> | undefined;
}

/** Longer keys are not kept: those bindings are filtered by themselves. */
const maxKeyLength = 16_384;
/** Length of all keys together. */
const maxKeysLength = 4 * 1024 * 1024;
/** Milliseconds for which a result is kept that is not used. */
const unusedMs = 60_000;
/** Results for one cluster that are kept, of all classes together. */
const maxResults = 400_000;

/** Reports whether nothing but the placement, the kind and the requirements of a binding decides about clusters: it has no targets yet. */
export const isUnplaced = ({ clusters, gracefulEvictionTasks, workloadAffinityGroups }: BindingSpec): boolean =>
  !clusters?.length && !gracefulEvictionTasks?.length && !workloadAffinityGroups;

/**
 * The last results by key. The one that was not used for the longest time is dropped first. A result refers to clusters as they were when it was used
 * last, so one that is not used is not kept for long.
 */
class Recent<T> {
  readonly #results = new Map<string, { readonly result: T; readonly usedAt: number }>();
  #keyLength = 0;

  get(key: string): T | undefined {
    const known = this.#results.get(key);
    if (!known) return undefined;
    this.#results.delete(key);
    this.#results.set(key, { result: known.result, usedAt: performance.now() });
    return known.result;
  }

  set(key: string, result: T, max: number): void {
    const now = performance.now();
    this.#delete(key);
    for (const [oldest, { usedAt }] of this.#results) {
      const isFull = this.#results.size >= max || this.#keyLength + key.length > maxKeysLength;
      if (!isFull && now - usedAt < unusedMs) break;
      this.#delete(oldest);
    }
    this.#results.set(key, { result, usedAt: now });
    this.#keyLength += key.length;
  }

  #delete(key: string): void {
    if (this.#results.delete(key)) this.#keyLength -= key.length;
  }
}

/**
 * Remembers which clusters are feasible for bindings with the same placement, and what fits there for bindings with the same requirements: bindings
 * that come from one policy ask the same of every cluster. The results are those of `decide` without it. Of a class that was seen before, only
 * clusters that have changed since are computed again. hot: most decisions about 1,000 clusters take less than half a millisecond.
 */
export class DecisionClasses implements KnownClasses {
  readonly #options: ClassOptions;
  readonly #active: readonly Plugin[];
  readonly #filters = new Recent<FilterClass>();
  readonly #estimates = new Recent<EstimateClass>();
  /** Placements whose keys are too long. A binding is filtered once for each of its terms, of which it may have thousands. */
  readonly #long = new WeakSet<Placement>();

  constructor(options: ClassOptions) {
    this.#options = options;
    this.#active = pluginsWithout(options.disabledPlugins);
  }

  /** Returns the class of a binding that is not placed; undefined if it must be filtered by itself. */
  *filter(binding: SchedulingInput, clusters: readonly Cluster[]): InSteps<FilterClass | undefined> {
    const { spec, term } = binding;
    if (!isUnplaced(spec)) return undefined;
    const { placement = {} } = spec;
    if (this.#long.has(placement)) return undefined;
    const { apiVersion, kind } = spec.resource;
    const index = term ? (placement.clusterAffinities?.indexOf(term) ?? -1) : -1;
    if (term && index < 0) return undefined;
    const key = `${index} ${isWorkload(spec)} ${apiVersion} ${kind} ${jsonText(placement)}`;
    if (key.length > maxKeyLength) {
      this.#long.add(placement);
      return undefined;
    }
    const known = this.#filters.get(key);
    if (known?.clusters === clusters) return known;
    const made = yield* filterAll(binding, clusters, this.#active, known);
    this.#filters.set(key, made, maxOf(clusters));
    return made;
  }

  /** Returns the feasible clusters in order of preference. */
  *candidates(spec: BindingSpec, { clusters, verdicts, hasTiers }: FilterClass): InSteps<Candidate[]> {
    const { candidates, order, isPartial } = yield* this.#estimate(spec, clusters);
    const made: Candidate[] = [];
    const unknown = isPartial ? (spec.replicas ?? 0) : undefined;
    for (const index of order) {
      const tier = verdicts[index];
      const candidate = candidates[index];
      if (typeof tier !== 'number' || !candidate) continue;
      if (unknown !== undefined && candidate.allocatable === maxInt32)
        made.push({ ...candidate, overflowOrder: tier, allocatable: unknown, available: unknown });
      else made.push(tier === 0 ? candidate : { ...candidate, overflowOrder: tier });
    }
    return hasTiers || isPartial ? made.sort(byPreference) : made;
  }

  *#estimate(spec: BindingSpec, clusters: readonly Cluster[]): InSteps<EstimateClass> {
    const key = takesResources(spec) ? jsonText(spec.replicaRequirements ?? null) : '';
    const known = key.length > maxKeyLength ? undefined : this.#estimates.get(key);
    if (known?.clusters === clusters) return known;
    const made = yield* estimateAll(spec, clusters, this.#options.estimators, known);
    if (key.length <= maxKeyLength) this.#estimates.set(key, made, maxOf(clusters));
    return made;
  }
}

/** Returns the maximum number of classes of each kind. */
const maxOf = (clusters: readonly Cluster[]): number =>
  Math.max(16, Math.floor(maxResults / (2 * clusters.length + 1)));

function* filterAll(
  binding: SchedulingInput,
  clusters: readonly Cluster[],
  active: readonly Plugin[],
  before: FilterClass | undefined,
): InSteps<FilterClass> {
  const verdicts: (number | string | undefined)[] = [];
  let feasible = 0;
  let hasTiers = false;
  for (let i = 0; i < clusters.length; i++) {
    const cluster = clusters[i] as Cluster;
    let verdict: number | string | undefined;
    if (before?.clusters[i] === cluster) verdict = before.verdicts[i];
    else {
      if (!cluster.metadata.deletionTimestamp)
        verdict = filterRefusal(active, binding, cluster) ?? overflowOrder(binding, cluster);
      yield;
    }
    verdicts.push(verdict);
    if (typeof verdict !== 'number') continue;
    feasible++;
    hasTiers ||= verdict > 0;
  }
  return { clusters, verdicts, feasible, hasTiers };
}

/** Returns how many clusters were refused, by reason. */
export function refusalsOf({ verdicts }: FilterClass): Map<string, number> {
  const reasons = new Map<string, number>();
  for (const verdict of verdicts)
    if (typeof verdict === 'string') reasons.set(verdict, (reasons.get(verdict) ?? 0) + 1);
  return reasons;
}

/** Returns a cluster that was refused for each reason. */
export function refusedExamples({ clusters, verdicts }: FilterClass): Map<string, Cluster> {
  const examples = new Map<string, Cluster>();
  for (const [i, verdict] of verdicts.entries())
    if (typeof verdict === 'string' && !examples.has(verdict)) examples.set(verdict, clusters[i] as Cluster);
  return examples;
}

function* estimateAll(
  spec: BindingSpec,
  clusters: readonly Cluster[],
  estimators: readonly Estimator[],
  before: EstimateClass | undefined,
): InSteps<EstimateClass> {
  const takes = takesResources(spec);
  const strides = new Strides();
  const candidates: Candidate[] = [];
  for (let i = 0; i < clusters.length; i++) {
    const cluster = clusters[i] as Cluster;
    const known = before?.clusters[i] === cluster ? before.candidates[i] : undefined;
    if (known) {
      candidates.push(known);
      continue;
    }
    if (strides.isOver) yield;
    let allocatable = maxInt32;
    for (const estimate of takes ? estimators : []) {
      const given = estimate(cluster, spec);
      allocatable = Math.min(allocatable, (typeof given === 'object' ? yield* given : given) ?? maxInt32);
    }
    const name = cluster.metadata.name ?? '';
    candidates.push({ name, cluster, score: 0, overflowOrder: 0, allocatable, available: allocatable });
  }
  // The order of an earlier state is nearly sorted.
  const order =
    before?.candidates.length === candidates.length ? [...before.order] : Array.from(candidates, (_, index) => index);
  order.sort((a, b) => byPreference(candidates[a] as Candidate, candidates[b] as Candidate));
  const isPartial = takes && candidates.some(({ allocatable }) => allocatable === maxInt32);
  return { clusters, candidates, order, isPartial };
}
