import type { Cluster, TargetCluster } from '../../api/karmada/types.js';
import type { Case, Decision, ScheduleOptions } from '../interface.js';
import { plugins } from '../plugins/plugins.js';
import { assignReplicas } from './assign.js';
import { candidates } from './candidates.js';
import { selectClusters } from './select.js';

const untimed = <T>(_step: unknown, work: () => T): T => work();

/**
 * Runs the whole algorithm: filter, score, select by spread constraints, divide the replicas. Pure: the same input gives the same targets.
 * Clusters that are being deleted are skipped silently. Error texts are Karmada's.
 */
export function schedule(binding: Case, clusters: readonly Cluster[], options: ScheduleOptions): Decision {
  const active = plugins.filter(plugin => !options.disabledPlugins?.has(plugin.name));
  const { timed = untimed } = options;
  const reasons = new Map<string, number>();
  const feasible = timed('Filter', () =>
    clusters.filter(cluster => {
      if (cluster.metadata.deletionTimestamp) return false;
      const reason = firstRefusal(binding, cluster);
      if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      return reason === undefined;
    }),
  );
  if (feasible.length === 0) return { type: 'FitError', message: fitError(clusters.length, reasons) };

  const scored = timed('Score', () =>
    feasible.map(cluster => ({
      cluster,
      score: active.reduce((sum, { score }) => sum + (score?.(binding, cluster) ?? 0), 0),
    })),
  );
  const selected = timed('Select', () => {
    const ordered = candidates(binding, scored, options.estimators);
    return selectClusters(ordered, binding.spec, binding.spec.replicas ?? 0);
  });
  if (typeof selected === 'string') return { type: 'Error', message: `failed to select clusters: ${selected}` };

  const assignment = timed('AssignReplicas', () => assignReplicas(binding, selected));
  if (assignment.type !== 'assigned')
    return { type: assignment.type, message: `failed to assign replicas: ${assignment.message}` };
  const empty = options.enableEmptyWorkloadPropagation ? withoutReplicas(selected, assignment.clusters) : [];
  return { type: 'placed', clusters: [...assignment.clusters, ...empty] };

  function firstRefusal(binding: Case, cluster: Cluster): string | undefined {
    for (const { filter } of active) {
      const reason = filter?.(binding, cluster);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }
}

function withoutReplicas(
  selected: readonly { readonly name: string }[],
  targets: readonly TargetCluster[],
): TargetCluster[] {
  const placed = new Set(targets.map(({ name }) => name));
  return selected.filter(({ name }) => !placed.has(name)).map(({ name }) => ({ name }));
}

/** Returns `0/3 clusters are available: 1 reason, 2 other reason.` */
function fitError(total: number, reasons: ReadonlyMap<string, number>): string {
  if (total === 0 || reasons.size === 0) return `0/${total} clusters are available: no cluster exists.`;
  const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${total} clusters are available: ${parts.join(', ')}.`;
}
