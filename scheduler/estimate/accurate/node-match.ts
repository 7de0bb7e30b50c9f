/** Which nodes the pods of a workload may run on. as pkg/estimator MatchNode */
import {
  type LabelOperator,
  type LabelRequirement,
  matchesRequirement,
  requirementFaults,
  selectorOperators,
} from '../../../apimachinery/selectors/label-requirement.js';
import type { NodeClaim } from '../../../api/karmada/types.js';
import { unschedulableTaint } from '../../../api/kubernetes/well-known.js';
import { untoleratedTaint } from '../../../kinds/kubernetes/core/tolerates.js';
import { ownValue } from '../../../lib/collections/own-value.js';
import type { FreeNode } from './node-info.js';

interface NodeSelectorRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

interface NodeSelector {
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
}

export type NodeMatch = (node: FreeNode) => boolean;

const operators: Readonly<Record<string, LabelOperator>> = {
  ...selectorOperators,
  Gt: 'gt',
  Lt: 'lt',
};

/** Returns undefined for a malformed requirement. */
function labelRequirement({
  key = '',
  operator = '',
  values = [],
}: NodeSelectorRequirement): LabelRequirement | undefined {
  const known = ownValue(operators, operator);
  if (!known) return undefined;
  const requirement = { key, operator: known, values };
  return requirementFaults(requirement).length > 0 ? undefined : requirement;
}

/** Returns undefined for a malformed requirement. The only field of a node is its name. */
function fieldMatch({ key, operator, values }: NodeSelectorRequirement): NodeMatch | undefined {
  if ((operator !== 'In' && operator !== 'NotIn') || values?.length !== 1) return undefined;
  const [wanted] = values;
  return ({ name }) => ((key === 'metadata.name' ? name : '') === wanted) === (operator === 'In');
}

/** Returns undefined for a term that matches no node: an empty one, or one with a malformed requirement. */
function termMatch({ matchExpressions, matchFields }: NodeSelectorTerm): NodeMatch | undefined {
  const labels = (matchExpressions ?? []).map(labelRequirement);
  const fields = (matchFields ?? []).map(fieldMatch);
  if (labels.length + fields.length === 0) return undefined;
  return [...labels, ...fields].includes(undefined)
    ? undefined
    : node =>
        labels.every(requirement => requirement && matchesRequirement(requirement, node.labels)) &&
        fields.every(matches => matches?.(node));
}

/** The taint that a node which is cordoned has, even if nothing has added it yet. */
const cordoned = [{ key: unschedulableTaint, effect: 'NoSchedule' }];

/** Compiles a claim. Without one, a node must only be schedulable and have no taints that keep pods away. */
export function nodeMatch({ nodeSelector, hardNodeAffinity, tolerations = [] }: NodeClaim = {}): NodeMatch {
  const selector = Object.entries(nodeSelector ?? {});
  // Karmada's protocol does not tell an affinity without terms from none.
  const terms = (hardNodeAffinity as NodeSelector | undefined)?.nodeSelectorTerms ?? [];
  const matches = terms.map(termMatch).filter(term => term !== undefined);
  const toleratesUnschedulable = untoleratedTaint(cordoned, tolerations) === undefined;
  return node =>
    (!node.unschedulable || toleratesUnschedulable) &&
    selector.every(([key, value]) => node.labels[key] === value) &&
    (terms.length === 0 || matches.some(term => term(node))) &&
    untoleratedTaint(node.taints, tolerations) === undefined;
}
