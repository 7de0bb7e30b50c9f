/** The actions that Remedies demand for a cluster. as pkg/controllers/remediation calculateActions */
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Cluster, Condition } from '../../api/karmada/types.js';
import { findCondition } from '../../kinds/karmada/conditions.js';

interface DecisionMatch {
  clusterConditionMatch?: { conditionType: string; operator: 'Equal' | 'NotEqual'; conditionStatus: string };
}

export interface Remedy extends KubeObject {
  spec: {
    clusterAffinity?: { clusterNames?: string[] };
    decisionMatches?: DecisionMatch[];
    actions?: string[];
  };
}

/** Returns the actions of all Remedies that apply to the cluster, each once, in alphabetical order. */
export function remedyActions(remedies: readonly Remedy[], { metadata, status }: Cluster): string[] {
  const actions = remedies
    .filter(({ spec }) => !spec.clusterAffinity || spec.clusterAffinity.clusterNames?.includes(metadata.name ?? ''))
    .filter(({ spec }) => applies(spec, status?.conditions ?? []))
    .flatMap(({ spec }) => spec.actions ?? []);
  return [...new Set(actions)].sort();
}

/**
 * Reports whether one of the conditions is met, or none is asked for.
 *
 * differs: in Karmada, an empty list matches never, although its documentation says always; only a missing one does.
 */
function applies({ decisionMatches = [] }: Remedy['spec'], conditions: readonly Condition[]): boolean {
  return decisionMatches.length === 0 || decisionMatches.some(match => isMet(match, conditions));
}

/** A condition that the cluster does not have is never met. */
function isMet({ clusterConditionMatch: match }: DecisionMatch, conditions: readonly Condition[]): boolean {
  const condition = match && findCondition(conditions, match.conditionType);
  return condition !== undefined && (condition.status === match?.conditionStatus) === (match?.operator === 'Equal');
}
