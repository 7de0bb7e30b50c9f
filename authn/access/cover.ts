/** Compares RBAC rules: which of the wanted rules are not covered, and their text. */
import { maxStatusMessageLength, shortened } from '../../apimachinery/errors/limits.js';
import { append } from '../../lib/collections/append.js';
import { quotedList } from '../../lib/go/go-text.js';
import type { PolicyRule } from '../../api/kubernetes/rbac.js';
import type { InSteps } from '../../lib/time-slice.js';
import { OwnedRule, type RulePart, wantedRule } from './owned-rule.js';

/** Comparisons after which other work may run. */
const stepsBetweenYields = 2000;
/** Parts that are not granted and are reported; the others after these are not looked for. */
const maxUncovered = 5000;
/**
 * Characters of these parts, after which the others are not looked for, either. A part has all values of its rule, so that one long verb for thousands
 * of resources is thousands of long texts.
 */
const maxUncoveredCharacters = 1 << 20;

/** The comparison of rules takes more steps than its caller allows. */
export class TooManyComparisons extends Error {}

/** Yields the smallest parts of a rule. */
function* partsOf(rule: PolicyRule): Generator<RulePart> {
  const { verbs = [], apiGroups = [], resources = [], nonResourceURLs = [] } = rule;
  const names = rule.resourceNames?.length ? rule.resourceNames : [undefined];
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs) for (const name of names) yield { group, resource, verb, name };
  for (const url of nonResourceURLs) for (const verb of verbs) yield { url, verb };
}

function ruleOf(part: RulePart): PolicyRule {
  if ('url' in part) return { nonResourceURLs: [part.url], verbs: [part.verb] };
  const { group, resource, verb, name } = part;
  return {
    apiGroups: [group],
    resources: [resource],
    verbs: [verb],
    ...(name !== undefined && { resourceNames: [name] }),
  };
}

const lengthOf = (part: RulePart): number =>
  part.verb.length +
  ('url' in part ? part.url.length : part.group.length + part.resource.length + (part.name?.length ?? 0));

/**
 * Returns the parts of `wanted` that `owned` does not grant, in their smallest form: all of them up to 5,000, and to a million characters. Throws
 * TooManyComparisons after `maxSteps` comparisons, which are reached only if many rules together grant what a very large rule wants.
 * as component-helpers/auth/rbac/validation Covers
 */
export function* uncovered(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  maxSteps = Infinity,
): InSteps<PolicyRule[]> {
  const owners: OwnedRule[] = [];
  for (const rule of owned) {
    owners.push(new OwnedRule(rule));
    yield;
  }
  let spent = 0;
  let yielded = 0;
  const isCovered = (covers: (owner: OwnedRule) => boolean): boolean =>
    owners.some(owner => {
      const before = owner.steps;
      const result = covers(owner);
      spent += 1 + owner.steps - before;
      return result;
    });
  const missing: PolicyRule[] = [];
  let characters = 0;
  for (const rule of wanted) {
    const sets = wantedRule(rule);
    const parts = isCovered(owner => owner.coversWhole(sets)) ? [] : partsOf(rule);
    yield;
    for (const part of parts) {
      if (!isCovered(owner => owner.covers(part))) {
        missing.push(ruleOf(part));
        characters += lengthOf(part);
      }
      if (missing.length >= maxUncovered || characters > maxUncoveredCharacters) return missing;
      if (spent > maxSteps) throw new TooManyComparisons('the rules are too many to be compared');
      if (spent - yielded < stepsBetweenYields) continue;
      yielded = spent;
      yield;
    }
  }
  return missing;
}

/** Merges rules on the same resource into one with all their verbs. as pkg/registry/rbac/validation/policy_compact.go */
function compacted(rules: readonly PolicyRule[]): PolicyRule[] {
  const simple = new Map<string, PolicyRule & { verbs: string[] }>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    if (rule.nonResourceURLs?.length) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const known = simple.get(key);
    if (known === undefined) simple.set(key, { ...rule, verbs: [...(rule.verbs ?? [])] });
    else append(known.verbs, rule.verbs ?? []);
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

/** Returns a value of a rule, or as much of it as an answer can have. */
const shown = (value: string): string => shortened(value, maxStatusMessageLength);

/** Returns a rule as `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
function ruleText(rule: PolicyRule): string {
  const parts = shownFields.flatMap(([label, field]) => {
    const list = rule[field] ?? [];
    return list.length === 0 ? [] : [`${label}:${quotedList(list.map(shown))}`];
  });
  return `{${parts.join(', ')}}`;
}

/** Returns the distinct rules as sorted lines. */
export const rulesText = (rules: readonly PolicyRule[]): string =>
  [...new Set(compacted(rules).map(ruleText))].sort().join('\n');
