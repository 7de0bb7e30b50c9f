import type { ExplainedDecision } from './explanation.js';

/** What may make a cluster fit that a plugin filters out, by the name of the plugin. */
const byPlugin: Readonly<Record<string, string>> = {
  APIEnablement: 'a cluster that begins to serve the kind',
  TaintToleration: 'taints of clusters',
  ClusterAffinity: 'labels and fields of clusters',
  SpreadConstraint: 'labels, regions, zones and providers of clusters',
  ClusterEviction: 'the end of its eviction from a cluster',
  WorkloadAffinity: 'the clusters of other members of its affinity group',
  WorkloadAntiAffinity: 'the clusters of other members of its anti-affinity group',
};

/** Returns what may help a binding that could not be placed: changes of any of these schedule it again. */
export function waitsFor(decisions: readonly ExplainedDecision[]): string[] {
  const clusters = decisions.flatMap(decision => decision.clusters);
  const plugins = new Set(clusters.flatMap(({ plugin }) => plugin ?? []));
  const fits = clusters.some(({ result }) => result !== 'filtered');
  return [
    ...Object.entries(byPlugin).flatMap(([name, text]) => (plugins.has(name) ? [text] : [])),
    ...(fits ? ['room in clusters'] : []),
    ...(clusters.length === 0 ? ['a cluster that joins'] : []),
    'a change of its policy',
  ];
}
