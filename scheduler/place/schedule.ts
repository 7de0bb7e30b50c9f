import type { InSteps } from '../../lib/time-slice.js';
import type { BindingSpec, Cluster, TargetCluster } from '../../api/karmada/types.js';
import type { Deciding, Decision, EstimateQuery, ScheduleOptions, SchedulingInput } from '../interface.js';
import { observedTerm } from '../plugins/cluster-affinity.js';
import { measuredRefusal, measuredScore, pluginsWithout, refusal, refusingPlugin, scoreOf } from '../plugins/plugins.js';
import { assignReplicas } from './assign.js';
import { candidates, takesResources } from './candidates.js';
import { isComponentSet } from './component-set.js';
import { selectClusters } from './select.js';
import { unasked } from './unasked.js';

const untimed = () => (): void => undefined;

/**
 * Runs the whole algorithm: filter, score, estimate, select by spread constraints, divide the replicas. Pure: the same input and the same answers
 * give the same targets. Clusters that are being deleted are skipped silently. Error texts are Karmada's. A placement may have fifty thousand
 * terms, names and tolerations, so each cluster is a step of its own.
 */
export function* decide(
  given: SchedulingInput,
  clusters: readonly Cluster[],
  options: ScheduleOptions,
): Deciding<Decision> {
  const decision = yield* decideInSteps(given, clusters, options);
  options.recorder?.ended(decision);
  return decision;
}

function* decideInSteps(
  given: SchedulingInput,
  clusters: readonly Cluster[],
  options: ScheduleOptions,
): Deciding<Decision> {
  const binding = { ...given, term: given.term ?? observedTerm(given.spec, given.status) };
  const active = pluginsWithout(options.disabledPlugins);
  const { timed = untimed, timedPlugin, recorder } = options;
  const reasons = new Map<string, number>();
  const filtered = timed('Filter');
  const feasible: Cluster[] = [];
  for (const cluster of clusters) {
    const { name = '', deletionTimestamp } = cluster.metadata;
    if (deletionTimestamp) {
      recorder?.filtered(name, '', 'the cluster is being deleted');
      continue;
    }
    // The first cluster of a decision is a sample: to read the clock takes longer than a plugin does.
    const isSample = timedPlugin !== undefined && feasible.length === 0 && reasons.size === 0;
    const reason = isSample
      ? measuredRefusal(active, binding, cluster, timedPlugin)
      : refusal(active, binding, cluster);
    if (reason === undefined) feasible.push(cluster);
    else {
      recorder?.filtered(name, refusingPlugin(active, binding, cluster), reason);
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    yield;
  }
  filtered();
  if (feasible.length === 0) return { type: 'FitError', message: fitError(clusters.length, reasons) };

  const scored = timed('Score');
  const scores = feasible.map((cluster, i) => ({
    cluster,
    score:
      timedPlugin && i === 0 ? measuredScore(active, binding, cluster, timedPlugin) : scoreOf(active, binding, cluster),
  }));
  scored();

  const ended = timed('Select');
  const isSet = isComponentSet(binding.spec, options);
  const query = options.asksMembers ? queryFor(binding.spec, feasible, isSet) : undefined;
  const ordered = yield* candidates(binding, scores, options, query && (yield query));
  recorder?.ranked(ordered);
  const selected = selectClusters(ordered, binding.spec, isSet ? 1 : (binding.spec.replicas ?? 0));
  ended();
  if (typeof selected === 'string') return { type: 'Error', message: `failed to select clusters: ${selected}` };
  recorder?.selected(selected);

  const assigned = timed('AssignReplicas');
  const assignment = yield* assignReplicas(binding, selected, { recordsComponents: isSet });
  assigned();
  if (assignment.type !== 'assigned')
    return { type: assignment.type, message: `failed to assign replicas: ${assignment.message}` };
  const empty = options.enableEmptyWorkloadPropagation ? withoutReplicas(selected, assignment.clusters) : [];
  return { type: 'placed', clusters: [...assignment.clusters, ...empty] };
}

/** Decides by the Cluster objects only. */
export const schedule = (
  binding: SchedulingInput,
  clusters: readonly Cluster[],
  options: ScheduleOptions,
): InSteps<Decision> => unasked(decide(binding, clusters, options));

/** Returns what members are asked; undefined for what takes no resources. */
function queryFor(spec: BindingSpec, clusters: readonly Cluster[], isSet: boolean): EstimateQuery | undefined {
  if (!takesResources(spec)) return undefined;
  return { clusters, spec, ...(isSet && { components: spec.components ?? [] }) };
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
