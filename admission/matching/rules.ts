/** Matches the rules of webhooks and policies with targets. */
// as apiserver/pkg/admission/plugin/webhook/predicates/rules, plugin/policy/matching
import type { Catalogue } from '../../registry/interface.js';
import type { NamedRuleWithOperations } from '../../api/kubernetes/admissionregistration.js';
import { type RequestTarget, equivalentsOf } from './request-target.js';

/** A match of a rule, with the target in the rule's version. */
export interface Match {
  readonly target: RequestTarget;
  /** The resourceNames of the rule; absent for all names. */
  readonly names?: ReadonlySet<string>;
}

const has = (list: readonly string[] | undefined, value: string): boolean =>
  list?.some(item => item === '*' || item === value) ?? false;

function hasResource(list: readonly string[] | undefined, { definition, subresource }: RequestTarget): boolean {
  return (list ?? []).some(item => {
    const slash = item.indexOf('/');
    const [resource, part] = slash < 0 ? [item, ''] : [item.slice(0, slash), item.slice(slash + 1)];
    return (resource === '*' || resource === definition.plural) && (part === '*' || part === subresource);
  });
}

function matchesTarget(rule: NamedRuleWithOperations, target: RequestTarget): boolean {
  const { definition, version, operation } = target;
  const { scope = '*' } = rule;
  if (scope !== '*' && (scope === 'Namespaced') !== definition.namespaced) return false;
  return (
    has(rule.operations, operation) &&
    has(rule.apiGroups, definition.group) &&
    has(rule.apiVersions, version) &&
    hasResource(rule.resources, target)
  );
}

function matchOf(rule: NamedRuleWithOperations, target: RequestTarget): Match {
  const { resourceNames = [] } = rule;
  return resourceNames.length > 0 ? { target, names: new Set(resourceNames) } : { target };
}

/**
 * Returns the matches of rules with a target: those of the target itself, then, with the policy `Equivalent`, those of its equivalents.
 * The first match counts.
 */
export function matchesOf(
  rules: readonly NamedRuleWithOperations[],
  matchPolicy: string | undefined,
  target: RequestTarget,
  catalogue: Catalogue,
): readonly Match[] {
  const found = rules.filter(rule => matchesTarget(rule, target)).map(rule => matchOf(rule, target));
  if (matchPolicy !== 'Equivalent' || found.some(({ names }) => !names)) return found;
  const others = equivalentsOf(catalogue, target);
  for (const rule of rules)
    for (const other of others) if (matchesTarget(rule, other)) found.push(matchOf(rule, other));
  return found;
}

/** Returns the first match for an object's name. */
export const firstFor = (matches: readonly Match[], name: string): Match | undefined =>
  matches.find(({ names }) => names?.has(name) ?? true);
