import type { InSteps } from '../../lib/time-slice.js';
import type { BindingSpec, Cluster, TargetCluster } from '../../api/karmada/types.js';
import type {
  Candidate,
  Deciding,
  Decision,
  EstimateQuery,
  ScheduleOptions,
  SchedulingInput,
  TimePlugin,
} from '../interface.js';
import { observedTerm } from '../plugins/cluster-affinity.js';
import {
  measuredRefusal,
  measuredScore,
  pluginsWithout,
  filterRefusal,
  refusingPlugin,
  refusingPlugins,
  scoreOf,
} from '../plugins/plugins.js';
import { assignReplicas } from './assign.js';
import { candidates, takesResources } from './candidates.js';
import { isUnplaced, refusalsOf, refusedExamples } from './classes.js';
import { isComponentSet } from './component-set.js';
import { selectClusters } from './select.js';
import { withoutMembers } from './without-members.js';

const untimed = () => (): void => undefined;

/** The feasible clusters of a decision, in order of preference. */
interface Ordered {
  readonly candidates: readonly Candidate[];
  /** To be called when the clusters are selected. */
  readonly ended: () => void;
}

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
  if (options.timedPlugin && clusters[0]) sample(binding, clusters[0], options, options.timedPlugin);
  const isSet = isComponentSet(binding.spec, options);
  const ordered =
    (isSet ? undefined : yield* orderByClass(binding, clusters, options)) ??
    (yield* orderAlone(binding, clusters, options, isSet));
  if ('type' in ordered) return ordered;

  options.recorder?.ranked(ordered.candidates);
  const selected = yield* selectClusters(ordered.candidates, binding.spec, isSet ? 1 : (binding.spec.replicas ?? 0));
  ordered.ended();
  if (typeof selected === 'string') return { type: 'Error', message: `failed to select clusters: ${selected}` };
  options.recorder?.selected(selected);

  const assigned = options.timed?.('AssignReplicas');
  const assignment = yield* assignReplicas(binding, selected, { recordsComponents: isSet });
  assigned?.();
  if (assignment.type !== 'assigned')
    return { type: assignment.type, message: `failed to assign replicas: ${assignment.message}` };
  const empty = options.enableEmptyWorkloadPropagation ? withoutReplicas(selected, assignment.clusters) : [];
  return { type: 'placed', clusters: [...assignment.clusters, ...empty] };
}

/** Measures the plugins for one cluster. To read the clock takes longer than a plugin does. */
function sample(binding: SchedulingInput, cluster: Cluster, options: ScheduleOptions, timed: TimePlugin): void {
  const active = pluginsWithout(options.disabledPlugins);
  if (measuredRefusal(active, binding, cluster, timed) === undefined) measuredScore(active, binding, cluster, timed);
}

/** Uses what is known of bindings of the same class; undefined if this one has a class of its own. */
function* orderByClass(
  binding: SchedulingInput,
  clusters: readonly Cluster[],
  { classes, asksMembers, assumed, recorder, disabledPlugins, timed = untimed }: ScheduleOptions,
): InSteps<Ordered | Decision | undefined> {
  if (!classes || asksMembers || assumed || recorder || !isUnplaced(binding.spec)) return undefined;
  const filtered = timed('Filter');
  const filter = yield* classes.filter(binding, clusters);
  if (!filter) return undefined;
  filtered();
  if (filter.feasible === 0) {
    const refusedBy = refusingPlugins(pluginsWithout(disabledPlugins), binding, refusedExamples(filter));
    return { type: 'FitError', message: fitError(clusters.length, refusalsOf(filter)), refusedBy };
  }
  timed('Score')(); // without targets, all scores are 0
  const ended = timed('Select');
  return { candidates: yield* classes.candidates(binding.spec, filter), ended };
}

/** Filters, scores and estimates for one binding. */
function* orderAlone(
  binding: SchedulingInput,
  clusters: readonly Cluster[],
  options: ScheduleOptions,
  isSet: boolean,
): Deciding<Ordered | Decision> {
  const active = pluginsWithout(options.disabledPlugins);
  const { timed = untimed, recorder } = options;
  const reasons = new Map<string, number>();
  const examples = new Map<string, Cluster>();
  const filtered = timed('Filter');
  const feasible: Cluster[] = [];
  for (const cluster of clusters) {
    const { name = '', deletionTimestamp } = cluster.metadata;
    if (deletionTimestamp) {
      recorder?.filtered(name, '', 'the cluster is being deleted');
      continue;
    }
    const reason = filterRefusal(active, binding, cluster);
    if (reason === undefined) feasible.push(cluster);
    else {
      recorder?.filtered(name, refusingPlugin(active, binding, cluster), reason);
      const count = reasons.get(reason);
      reasons.set(reason, (count ?? 0) + 1);
      if (count === undefined) examples.set(reason, cluster);
    }
    yield;
  }
  filtered();
  if (feasible.length === 0) {
    const refusedBy = refusingPlugins(active, binding, examples);
    return { type: 'FitError', message: fitError(clusters.length, reasons), refusedBy };
  }

  const scored = timed('Score');
  const scores = feasible.map(cluster => ({ cluster, score: scoreOf(active, binding, cluster) }));
  scored();
  const ended = timed('Select');
  const query = options.asksMembers ? queryFor(binding.spec, feasible, isSet) : undefined;
  return { candidates: yield* candidates(binding, scores, options, query && (yield query)), ended };
}

/** Decides by the Cluster objects only. */
export const schedule = (
  binding: SchedulingInput,
  clusters: readonly Cluster[],
  options: ScheduleOptions,
): InSteps<Decision> => withoutMembers(decide(binding, clusters, options));

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
