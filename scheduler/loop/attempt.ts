import { eventBurst } from '../../client/runtime/events/event-budget.js';
import type { Binding, Cluster, TargetCluster } from '../../api/karmada/types.js';
import type { Deciding, Decision, ScheduleOptions, SchedulingInput } from '../interface.js';
import { isRescheduleRequired } from '../place/assign.js';
import { decide } from '../place/schedule.js';

/** The result of one attempt, before anything is written. */
export interface Attempt {
  readonly decision: Decision;
  /** The new targets, which are written with the placement that they were made from; undefined: targets stay. */
  readonly clusters: readonly TargetCluster[] | undefined;
  /** The affinity term of the targets. */
  readonly affinityName: string | undefined;
  /** Messages of the terms that failed before, for Events: as many as the recorder lets through at once. */
  readonly failures: readonly string[];
}

/**
 * Attempts once to schedule a binding. With clusterAffinities the terms are tried from the current one forward, never backward (unless a
 * reschedule was requested). A binding that fits nowhere any more loses its targets; other failures leave them.
 */
export function* attempt(
  binding: Binding,
  clusters: readonly Cluster[],
  peers: SchedulingInput['peers'],
  options: ScheduleOptions,
): Deciding<Attempt> {
  const { spec, status = {} } = binding;
  const group = peers ? { peers } : {};
  const terms = spec.placement?.clusterAffinities;
  if (!terms) {
    options.recorder?.began(undefined);
    const decision = yield* decide({ spec, status, ...group }, clusters, options);
    return { decision, clusters: targets(decision), affinityName: undefined, failures: [] };
  }
  const failures: string[] = [];
  let first: Decision | undefined;
  const current = terms.findIndex(term => term.affinityName === status.schedulerObservingAffinityName);
  for (let index = isRescheduleRequired(spec, status) ? 0 : Math.max(0, current); index < terms.length; index++) {
    const term = terms[index];
    const name = term?.affinityName ?? '';
    const observed = { ...status, schedulerObservingAffinityName: name };
    // A placement may have both: then clusterAffinity replaces all terms.
    const tried = spec.placement?.clusterAffinity ? {} : { term };
    options.recorder?.began(name);
    const decision = yield* decide({ spec, status: observed, ...tried, ...group }, clusters, options);
    if (decision.type === 'placed') return { decision, clusters: decision.clusters, affinityName: name, failures };
    first ??= decision;
    yield;
    if (failures.length < eventBurst)
      failures.push(
        `failed to schedule ${describe(binding)} with clusterAffiliates index(${index}): ${decision.message}`,
      );
  }
  const decision = first ?? { type: 'Error', message: 'no cluster affinity to schedule with' };
  return { decision, clusters: targets(decision), affinityName: undefined, failures };
}

function targets(decision: Decision): readonly TargetCluster[] | undefined {
  if (decision.type === 'placed') return decision.clusters;
  return decision.type === 'FitError' ? [] : undefined;
}

/** Returns `ResourceBinding(ns/name)`. */
function describe({ kind, metadata: { namespace, name } }: Binding): string {
  return `${kind}(${namespace ? `${namespace}/` : ''}${name})`;
}
