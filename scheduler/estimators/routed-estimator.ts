import type { Cluster, ObjectReference } from '../../api/karmada/types.js';
import type { AccurateEstimator, EstimateTable, ReplicaEstimateRequest, SetEstimateRequest } from '../interface.js';

/** An estimator for some of the clusters. */
interface PartialEstimator extends AccurateEstimator {
  /** Resolves when it is known which clusters it has. */
  readonly ready: Promise<void>;
  has(cluster: string): boolean;
}

/** Asks the first estimator about the clusters that it has, and the other one about the rest. */
export class RoutedEstimator implements AccurateEstimator {
  readonly #first: PartialEstimator;
  readonly #rest: AccurateEstimator;

  constructor(first: PartialEstimator, rest: AccurateEstimator) {
    this.#first = first;
    this.#rest = rest;
  }

  maxAvailableReplicas(
    request: ReplicaEstimateRequest,
    clusters: readonly Cluster[],
    signal: AbortSignal,
  ): Promise<EstimateTable> {
    return this.#askBoth(clusters, (estimator, some) => estimator.maxAvailableReplicas(request, some, signal));
  }

  maxAvailableComponentSets(
    request: SetEstimateRequest,
    clusters: readonly Cluster[],
    signal: AbortSignal,
  ): Promise<EstimateTable> {
    return this.#askBoth(clusters, (estimator, some) => estimator.maxAvailableComponentSets(request, some, signal));
  }

  async unschedulableReplicas(
    cluster: string,
    workload: ObjectReference,
    thresholdMs: number,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    await this.#first.ready;
    const estimator = this.#first.has(cluster) ? this.#first : this.#rest;
    return estimator.unschedulableReplicas(cluster, workload, thresholdMs, signal);
  }

  async #askBoth(
    clusters: readonly Cluster[],
    ask: (estimator: AccurateEstimator, some: readonly Cluster[]) => Promise<EstimateTable>,
  ): Promise<EstimateTable> {
    await this.#first.ready;
    const [some, others]: [Cluster[], Cluster[]] = [[], []];
    for (const cluster of clusters) (this.#first.has(cluster.metadata.name ?? '') ? some : others).push(cluster);
    if (some.length === 0) return ask(this.#rest, others);
    if (others.length === 0) return ask(this.#first, some);
    const [first, rest] = await Promise.all([ask(this.#first, some), ask(this.#rest, others)]);
    return new Map([...first, ...rest]);
  }
}
