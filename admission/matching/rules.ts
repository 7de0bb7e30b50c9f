/** Matches the rules of webhooks and policies with places. */
// as apiserver/pkg/admission/plugin/webhook/predicates/rules, plugin/policy/matching
import type { Catalogue } from '../../registry/interface.js';
import type { NamedRuleWithOperations } from '../../api/kubernetes/admissionregistration.js';
import { type Place, equivalentsOf } from './place.js';

/** A match of a rule, with the place in the rule's version. */
export interface Match {
  readonly place: Place;
  /** The resourceNames of the rule; absent for all names. */
  readonly names?: ReadonlySet<string>;
}

const has = (list: readonly string[] | undefined, wanted: string): boolean =>
  list?.some(item => item === '*' || item === wanted) ?? false;

function hasResource(list: readonly string[] | undefined, { definition, subresource }: Place): boolean {
  return (list ?? []).some(item => {
    const slash = item.indexOf('/');
    const [resource, part] = slash < 0 ? [item, ''] : [item.slice(0, slash), item.slice(slash + 1)];
    return (resource === '*' || resource === definition.plural) && (part === '*' || part === subresource);
  });
}

function isAbout(rule: NamedRuleWithOperations, place: Place): boolean {
  const { definition, version, operation } = place;
  const { scope = '*' } = rule;
  if (scope !== '*' && (scope === 'Namespaced') !== definition.namespaced) return false;
  return (
    has(rule.operations, operation) &&
    has(rule.apiGroups, definition.group) &&
    has(rule.apiVersions, version) &&
    hasResource(rule.resources, place)
  );
}

function matchOf(rule: NamedRuleWithOperations, place: Place): Match {
  const { resourceNames = [] } = rule;
  return resourceNames.length > 0 ? { place, names: new Set(resourceNames) } : { place };
}

/**
 * Returns the matches of rules with a place: those of the place itself, then, with the policy `Equivalent`, those of its equivalents.
 * The first match counts.
 */
export function matchesOf(
  rules: readonly NamedRuleWithOperations[],
  matchPolicy: string | undefined,
  place: Place,
  catalogue: Catalogue,
): readonly Match[] {
  const found = rules.filter(rule => isAbout(rule, place)).map(rule => matchOf(rule, place));
  if (matchPolicy !== 'Equivalent' || found.some(({ names }) => !names)) return found;
  const others = equivalentsOf(catalogue, place);
  for (const rule of rules) for (const other of others) if (isAbout(rule, other)) found.push(matchOf(rule, other));
  return found;
}

/** Returns the first match for an object's name. */
export const firstFor = (matches: readonly Match[], name: string): Match | undefined =>
  matches.find(({ names }) => names?.has(name) ?? true);
