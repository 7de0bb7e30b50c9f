import type { Cluster } from '../../api/karmada/types.js';
import type { Filter, SchedulingInput, Score } from '../interface.js';
import { apiEnablement } from './api-enablement.js';
import { clusterAffinity } from './cluster-affinity.js';
import { clusterEviction } from './cluster-eviction.js';
import { clusterLocality } from './cluster-locality.js';
import { spreadConstraint } from './spread-constraint.js';
import { taintToleration } from './taint-toleration.js';
import { workloadAffinity, workloadAntiAffinity } from './workload-affinity.js';

export interface Plugin {
  /** The name for `--plugins`. */
  readonly name: string;
  readonly filter?: Filter;
  readonly score?: Score;
}

/**
 * All plugins. The first filter that refuses gives the reason, so the order is visible in messages. It is the order of Karmada's plugins (as
 * pkg/scheduler/framework/plugins NewInTreeRegistry).
 */
export const plugins: readonly Plugin[] = Object.freeze([
  { name: 'APIEnablement', filter: apiEnablement },
  { name: 'TaintToleration', filter: taintToleration },
  { name: 'ClusterAffinity', filter: clusterAffinity },
  { name: 'SpreadConstraint', filter: spreadConstraint },
  { name: 'ClusterLocality', score: clusterLocality },
  { name: 'ClusterEviction', filter: clusterEviction },
  { name: 'WorkloadAffinity', filter: workloadAffinity },
  { name: 'WorkloadAntiAffinity', filter: workloadAntiAffinity },
]);

/** Returns the plugins without those that are disabled by name. */
export const pluginsWithout = (disabled: ReadonlySet<string> | undefined): readonly Plugin[] =>
  plugins.filter(({ name }) => !disabled?.has(name));

/** Returns why a filter refuses the cluster; undefined if it is feasible. */
export function refusal(active: readonly Plugin[], binding: SchedulingInput, cluster: Cluster): string | undefined {
  for (const { filter } of active) {
    const reason = filter?.(binding, cluster);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
