/** Compares RBAC rules: which of the wanted rules are not covered, and their text. */
import { quotedList } from '../../lib/go/go-text.js';
import type { PolicyRule } from '../../api/kubernetes/rbac.js';
import { pathCovered } from './rule.js';

type List = readonly string[] | undefined;

const hasAll = (owner: List, wanted: List): boolean => (wanted ?? []).every(item => owner?.includes(item));
const coversAll = (owner: List, wanted: List): boolean => owner?.includes('*') === true || hasAll(owner, wanted);

const resourceCovered = (owner: List, resource: string): boolean => {
  if (owner?.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && owner?.includes(`*${resource.slice(slash)}`) === true;
};

/** Yields the rule in its smallest parts: one verb on one resource of one group, perhaps with a name; or one verb on one path. */
function* atoms(rule: PolicyRule): Generator<PolicyRule> {
  const names = rule.resourceNames?.length ? rule.resourceNames.map(name => [name]) : [undefined];
  for (const group of rule.apiGroups ?? [])
    for (const resource of rule.resources ?? [])
      for (const verb of rule.verbs ?? [])
        for (const resourceNames of names)
          yield { apiGroups: [group], resources: [resource], verbs: [verb], ...(resourceNames && { resourceNames }) };
  for (const url of rule.nonResourceURLs ?? [])
    for (const verb of rule.verbs ?? []) yield { nonResourceURLs: [url], verbs: [verb] };
}

function ruleCovers(owner: PolicyRule, atom: PolicyRule): boolean {
  const ownerNames = owner.resourceNames ?? [];
  const names = atom.resourceNames ?? [];
  return (
    coversAll(owner.verbs, atom.verbs) &&
    coversAll(owner.apiGroups, atom.apiGroups) &&
    (owner.resources?.includes('*') || (atom.resources ?? []).every(r => resourceCovered(owner.resources, r))) &&
    (ownerNames.length === 0 || (names.length > 0 && hasAll(ownerNames, names))) &&
    (atom.nonResourceURLs ?? []).every(url => (owner.nonResourceURLs ?? []).some(own => pathCovered(own, url)))
  );
}

/** Returns the parts of `wanted` that `owned` does not grant, in their smallest form. as component-helpers/auth/rbac/validation Covers */
export const uncovered = (owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] =>
  wanted.flatMap(rule => [...atoms(rule)]).filter(atom => !owned.some(owner => ruleCovers(owner, atom)));

/** Merges rules on the same resource into one with all their verbs. as pkg/registry/rbac/validation/policy_compact.go */
function compacted(rules: readonly PolicyRule[]): PolicyRule[] {
  const simple = new Map<string, PolicyRule>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    if (rule.nonResourceURLs?.length) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const known = simple.get(key);
    if (known === undefined) simple.set(key, { ...rule });
    else known.verbs = [...(known.verbs ?? []), ...(rule.verbs ?? [])];
  }
  return [...others, ...simple.values()];
}

const shownFields = [
  ['APIGroups', 'apiGroups'],
  ['Resources', 'resources'],
  ['NonResourceURLs', 'nonResourceURLs'],
  ['ResourceNames', 'resourceNames'],
  ['Verbs', 'verbs'],
] as const;

/** Returns a rule as `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
function ruleText(rule: PolicyRule): string {
  const parts = shownFields.flatMap(([label, field]) => {
    const list = rule[field] ?? [];
    return list.length === 0 ? [] : [`${label}:${quotedList(list)}`];
  });
  return `{${parts.join(', ')}}`;
}

/** Returns the distinct rules as sorted lines. */
export const rulesText = (rules: readonly PolicyRule[]): string =>
  [...new Set(compacted(rules).map(ruleText))].sort().join('\n');
