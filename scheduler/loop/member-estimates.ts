import type { AccurateEstimator, AssumedWorkload, EstimateQuery, EstimateTable } from '../interface.js';

interface Asking {
  readonly estimators: readonly AccurateEstimator[];
  readonly assumed: (cluster: string) => readonly AssumedWorkload[];
  readonly signal: AbortSignal;
}

/**
 * Asks all accurate estimators, and returns the smallest estimate of each cluster. As in Karmada, no Event tells of members that have not answered; a
 * line of the log does. as pkg/scheduler/core calAvailableReplicas
 * differs: Karmada uses no answer of an estimator if one member has not answered.
 */
export async function memberEstimates(
  query: EstimateQuery,
  { estimators, assumed, signal }: Asking,
): Promise<EstimateTable> {
  const { spec, clusters, components } = query;
  const { kind, namespace = '', name } = spec.resource;
  const about = { namespace, object: `kind=${kind}, name=${namespace}/${name}`, assumed };
  const tables = await Promise.all(
    estimators.map(estimator =>
      components
        ? estimator.maxAvailableComponentSets({ ...about, components }, clusters, signal)
        : estimator.maxAvailableReplicas({ ...about, requirements: spec.replicaRequirements }, clusters, signal),
    ),
  );
  const smallest = new Map<string, number>();
  for (const table of tables)
    for (const [cluster, estimate] of table)
      smallest.set(cluster, Math.min(smallest.get(cluster) ?? estimate, estimate));
  return smallest;
}
