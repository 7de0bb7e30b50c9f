import type { Cluster } from '../../api/karmada/types.js';
import type { Filter, SchedulingInput, Score, TimePlugin } from '../interface.js';
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
  /** What may make a cluster fit that the filter refuses, in words. Changes of it schedule the binding again. */
  readonly helpedBy?: string;
}

/**
 * All plugins. The first filter that refuses gives the reason, so the order is visible in messages. It is the order of Karmada's plugins (as
 * pkg/scheduler/framework/plugins NewInTreeRegistry).
 */
export const plugins: readonly Plugin[] = Object.freeze([
  { name: 'APIEnablement', filter: apiEnablement, helpedBy: 'a cluster that begins to serve the kind' },
  { name: 'TaintToleration', filter: taintToleration, helpedBy: 'taints of clusters' },
  { name: 'ClusterAffinity', filter: clusterAffinity, helpedBy: 'labels and fields of clusters' },
  { name: 'SpreadConstraint', filter: spreadConstraint, helpedBy: 'labels, regions, zones and providers of clusters' },
  { name: 'ClusterLocality', score: clusterLocality },
  { name: 'ClusterEviction', filter: clusterEviction, helpedBy: 'the end of its eviction from a cluster' },
  {
    name: 'WorkloadAffinity',
    filter: workloadAffinity,
    helpedBy: 'the clusters of other members of its affinity group',
  },
  {
    name: 'WorkloadAntiAffinity',
    filter: workloadAntiAffinity,
    helpedBy: 'the clusters of other members of its anti-affinity group',
  },
]);

/** Returns the plugins without those that are disabled by name. */
export const pluginsWithout = (disabled: ReadonlySet<string> | undefined): readonly Plugin[] =>
  plugins.filter(({ name }) => !disabled?.has(name));

/**
 * Returns the plugins that a list such as `*,-TaintToleration` disables. Names that do not exist have no effect.
 * as pkg/scheduler/framework/runtime Registry.Filter
 */
export function disabledBy(list: readonly string[]): ReadonlySet<string> {
  const enabled = new Set(list.includes('*') ? plugins.map(({ name }) => name) : []);
  for (const entry of list) {
    if (plugins.some(({ name }) => name === entry)) enabled.add(entry);
    else if (entry.startsWith('-')) enabled.delete(entry.replace(/^-+/, ''));
  }
  return new Set(plugins.map(({ name }) => name).filter(name => !enabled.has(name)));
}

/** Returns why a filter refuses the cluster; undefined if it is feasible. */
export function filterRefusal(
  active: readonly Plugin[],
  binding: SchedulingInput,
  cluster: Cluster,
): string | undefined {
  for (const { filter } of active) {
    const reason = filter?.(binding, cluster);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Returns the name of the plugin that refuses the cluster; '' if it is feasible. For explanations, which are rare. */
export const refusingPlugin = (active: readonly Plugin[], binding: SchedulingInput, cluster: Cluster): string =>
  active.find(({ filter }) => filter?.(binding, cluster) !== undefined)?.name ?? '';

/** Refusals of a decision whose plugins are searched for. */
const maxExamples = 20;

/** Returns the names of the plugins that have refused clusters: one for each reason, up to a limit. For failures, which are rare. */
export function refusingPlugins(
  active: readonly Plugin[],
  binding: SchedulingInput,
  examples: ReadonlyMap<string, Cluster>,
): readonly string[] {
  const names = new Set<string>();
  let left = maxExamples;
  for (const cluster of examples.values()) {
    if (left-- === 0) break;
    names.add(refusingPlugin(active, binding, cluster));
  }
  return active.flatMap(({ name }) => (names.has(name) ? [name] : []));
}

/** Returns what may help a binding whose clusters these plugins have refused, in words. */
export const helpAgainst = (names: ReadonlySet<string>): string[] =>
  plugins.flatMap(({ name, helpedBy }) => (helpedBy !== undefined && names.has(name) ? [helpedBy] : []));

/** As `filterRefusal`, and measures each filter. */
export function measuredRefusal(
  active: readonly Plugin[],
  binding: SchedulingInput,
  cluster: Cluster,
  timed: TimePlugin,
): string | undefined {
  const all = timed('Filter');
  for (const { name, filter } of active) {
    if (!filter) continue;
    const one = timed('Filter', name);
    const reason = filter(binding, cluster);
    const result = reason === undefined ? 'Success' : 'Unschedulable';
    one(result);
    if (reason === undefined) continue;
    all(result);
    return reason;
  }
  all('Success');
  return undefined;
}

/** Returns the score of a cluster: the sum of the scores of all plugins. */
export const scoreOf = (active: readonly Plugin[], binding: SchedulingInput, cluster: Cluster): number =>
  active.reduce((sum, { score }) => sum + (score?.(binding, cluster) ?? 0), 0);

/** As `scoreOf`, and measures each score. */
export function measuredScore(
  active: readonly Plugin[],
  binding: SchedulingInput,
  cluster: Cluster,
  timed: TimePlugin,
): number {
  const all = timed('Score');
  let sum = 0;
  for (const { name, score } of active) {
    if (!score) continue;
    const one = timed('Score', name);
    sum += score(binding, cluster);
    one('Success');
  }
  all('Success');
  return sum;
}
