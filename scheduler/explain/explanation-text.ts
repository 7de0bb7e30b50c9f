import { aligned } from '../../lib/aligned.js';
import type { TargetCluster } from '../../api/karmada/types.js';
import type { ExplainedCluster, ExplainedDecision, SchedulingExplanation } from './explanation.js';

const or = (value: number | string | undefined, absent = ''): string => (value === undefined ? absent : String(value));

/** Returns clusters with their replicas as one line, without replicas where a cluster gets all of them. */
export function targetsText(targets: readonly TargetCluster[]): string {
  if (targets.length === 0) return 'none';
  return targets.map(({ name, replicas }) => (replicas === undefined ? name : `${name}: ${replicas}`)).join(', ');
}

function clusterRow(cluster: ExplainedCluster): string[] {
  const { name, result, plugin, reason, region, score, tier, available, replicas } = cluster;
  const shown = { filtered: 'filtered', notSelected: 'not selected', selected: 'selected' }[result];
  const why = plugin ? `${plugin}: ${or(reason)}` : or(reason);
  return [name, shown, or(replicas), or(available), or(score), or(tier), or(region), why];
}

const clusterHead = ['CLUSTER', 'RESULT', 'REPLICAS', 'AVAILABLE', 'SCORE', 'OVERFLOW', 'REGION', 'REASON'];

/** Returns the rows without the columns that are empty in all of them. */
function withoutEmptyColumns(head: readonly string[], rows: readonly (readonly string[])[]): string[][] {
  const used = head.map((_, i) => rows.some(row => row[i] !== ''));
  return [head, ...rows].map(row => row.filter((_, i) => used[i]));
}

function decisionLines(decision: ExplainedDecision): string[] {
  const { affinityName, type, message, clusters, regions = [], groupedBy, omittedClusters = 0 } = decision;
  const result = type === 'placed' ? 'placed' : `${type}: ${or(message)}`;
  const lines = [
    affinityName === undefined ? `Decision: ${result}` : `Decision with the affinity ${affinityName}: ${result}`,
  ];
  if (regions.length > 0) {
    const rows = regions.map(({ name, score, clusters, selected }) => [
      name,
      selected ? 'selected' : 'not selected',
      `${score}`,
      `${clusters}`,
    ]);
    lines.push(...aligned([[groupedBy ?? 'REGION', 'RESULT', 'SCORE', 'CLUSTERS'], ...rows]));
  }
  if (clusters.length > 0) lines.push(...aligned(withoutEmptyColumns(clusterHead, clusters.map(clusterRow))));
  if (omittedClusters > 0) lines.push(`and ${omittedClusters} more clusters`);
  return lines;
}

function headLines(explanation: SchedulingExplanation): string[] {
  const {
    metadata,
    binding,
    resource,
    replicas,
    division,
    causes,
    current,
    next,
    estimates,
    waitsFor = [],
  } = explanation;
  const name = (namespace: string | undefined, name: string): string => (namespace ? `${namespace}/${name}` : name);
  const { generation, schedulerObservedGeneration: observed, lastScheduledTime } = binding;
  const seen =
    observed === undefined
      ? 'not scheduled yet'
      : `generation ${observed} scheduled${lastScheduledTime ? ` at ${lastScheduledTime}` : ''}`;
  return aligned([
    ['Resource:', `${resource.apiVersion} ${resource.kind} ${name(resource.namespace, resource.name)}`],
    [
      'Binding:',
      `${binding.kind} ${name(metadata.namespace, metadata.name)}${generation === undefined ? '' : `, generation ${generation}`}; ${seen}`,
    ],
    ['Replicas:', replicas === undefined ? division : `${replicas}, ${division}`],
    ['Clusters:', targetsText(current)],
    ...(estimates ? [['Estimates:', `${estimates.answered} of ${estimates.asked} members have answered`]] : []),
    ['Decides:', causes.length > 0 ? causes.join('; ') : 'no: nothing has changed since the last decision'],
    ['Would be:', targetsText(next)],
    ...(waitsFor.length > 0 ? [['Waits for:', waitsFor.join('; ')]] : []),
  ]);
}

/** Returns an explanation for people. */
export function explanationText(explanation: SchedulingExplanation): string {
  const { decisions, omittedDecisions = 0, changes } = explanation;
  const sections = [headLines(explanation), ...decisions.map(decisionLines)];
  if (omittedDecisions > 0) sections.push([`and ${omittedDecisions} more decisions with other affinities`]);
  if (changes.length > 0) {
    const rows = changes.map(({ cluster, from, to, reason }) => [cluster, or(from, '-'), or(to, '-'), reason]);
    sections.push(['Changes:', ...aligned([['CLUSTER', 'FROM', 'TO', 'REASON'], ...rows])]);
  }
  return `${sections.map(lines => lines.join('\n')).join('\n\n')}\n`;
}
