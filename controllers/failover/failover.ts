import { ExpectedError } from '../../lib/logging/cause.js';
import { parseJsonPath } from '../../apimachinery/jsonpath/jsonpath.js';
import type { Binding, Failover, PurgeMode, StatePreservation } from '../../api/karmada/types.js';
import type { Eviction } from '../eviction/evict.js';
import type { UnhealthySince } from './unhealthy-since.js';

type ApplicationBehavior = NonNullable<Failover['application']>;

export interface FailoverGates {
  readonly GracefulEviction: boolean;
  readonly StatefulFailoverInjection: boolean;
}

/** Returns the target clusters that report Unhealthy and have no eviction task yet. */
export function unhealthyClusters({ spec, status }: Binding): string[] {
  const leaving = new Set(spec.gracefulEvictionTasks?.map(({ fromCluster }) => fromCluster));
  const targets = new Set(spec.clusters?.map(({ name }) => name));
  return (status?.aggregatedStatus ?? [])
    .filter(({ health }) => health === 'Unhealthy')
    .map(({ clusterName }) => clusterName)
    .filter(cluster => targets.has(cluster) && !leaving.has(cluster));
}

/**
 * Returns the target clusters that do not report that the application has recovered. The time since when it is unhealthy there goes on.
 * as pkg/controllers/applicationfailover workloadUnhealthyMap.deleteIrrelevantClusters
 */
export function unrecoveredClusters({ spec, status }: Binding): string[] {
  const recovered = new Set(
    status?.aggregatedStatus
      ?.filter(({ health }) => health === 'Healthy' || health === 'Unknown')
      .map(({ clusterName }) => clusterName),
  );
  return (spec.clusters ?? []).map(({ name }) => name).filter(cluster => !recovered.has(cluster));
}

/** Returns the clusters that have been unhealthy for `toleration` or longer, and when the next one will be. Times in milliseconds. */
export function overdue(
  since: UnhealthySince,
  now: number,
  toleration: number,
): { evict: string[]; againAfter: number | undefined } {
  const evict: string[] = [];
  let againAfter: number | undefined;
  for (const [cluster, time] of since) {
    const left = time + toleration - now;
    if (left <= 0) evict.push(cluster);
    else againAfter = Math.min(againAfter ?? Infinity, left);
  }
  return { evict, againAfter };
}

/** Returns the eviction task that the policy asks for. Throws ExpectedError if that is not possible (yet). */
export function evictionOf(
  binding: Binding,
  cluster: string,
  behavior: ApplicationBehavior,
  producer: string,
  gates: FailoverGates,
): Eviction {
  const { purgeMode, gracePeriodSeconds } = behavior;
  if (purgeMode === 'Gracefully' && !gates.GracefulEviction)
    throw new ExpectedError(`GracefulEviction featureGate must be enabled when purgeMode is ${purgeMode}`);
  return {
    ...(purgeMode ? { purgeMode } : {}),
    reason: 'ApplicationFailure',
    producer,
    ...(purgeMode === 'Gracefully' && gracePeriodSeconds !== undefined ? { gracePeriodSeconds } : {}),
    ...(purgeMode === 'Never' ? { suppressDeletion: true } : {}),
    ...(gates.StatefulFailoverInjection ? applicationState(binding, cluster, behavior) : {}),
  };
}

/** Returns the eviction task for a cluster with a taint. Throws ExpectedError if the state to preserve has not been reported (yet). */
export function taintEvictionOf(
  binding: Binding,
  cluster: string,
  defaultPurgeMode: PurgeMode,
  gates: Pick<FailoverGates, 'StatefulFailoverInjection'>,
): Eviction {
  const behavior = binding.spec.failover?.cluster;
  const state = gates.StatefulFailoverInjection ? preservedState(binding, cluster, behavior) : undefined;
  return {
    purgeMode: behavior ? (behavior.purgeMode ?? 'Gracefully') : defaultPurgeMode,
    ...{ reason: 'TaintUntolerated', producer: 'TaintManager' },
    ...(state && { preservedLabelState: state }),
  };
}

function applicationState(
  binding: Binding,
  cluster: string,
  behavior: ApplicationBehavior,
): Pick<Eviction, 'preservedLabelState' | 'clustersBeforeFailover'> {
  const preservedLabelState = preservedState(binding, cluster, behavior);
  if (!preservedLabelState) return {};
  return { preservedLabelState, clustersBeforeFailover: (binding.spec.clusters ?? []).map(({ name }) => name) };
}

/** Returns the state to preserve from the application's status in the cluster, as labels for its next copy; undefined if there are no rules. */
function preservedState(
  { status }: Binding,
  cluster: string,
  behavior: { readonly statePreservation?: StatePreservation } | undefined,
): Record<string, string> | undefined {
  const { rules } = behavior?.statePreservation ?? {};
  if (!rules?.length) return undefined;
  const reported = status?.aggregatedStatus?.find(({ clusterName }) => clusterName === cluster)?.status;
  if (!reported) throw new ExpectedError(`the application status has not yet been collected from Cluster(${cluster})`);
  return Object.fromEntries(rules.map(({ aliasLabelName, jsonPath }) => [aliasLabelName, valueAt(reported, jsonPath)]));
}

/** Throws ExpectedError for a path that cannot be parsed, too: admission does not validate it. as pkg/util/helper parseJSONValue */
function valueAt(status: Record<string, unknown>, path: string): string {
  const template = parsed(path);
  try {
    return template.print(status);
  } catch (error) {
    throw new ExpectedError(`failed to execute jsonpath ${JSON.stringify(path)}: ${(error as Error).message}`);
  }
}

function parsed(path: string): ReturnType<typeof parseJsonPath> {
  try {
    return parseJsonPath(path);
  } catch (error) {
    throw new ExpectedError((error as Error).message);
  }
}
