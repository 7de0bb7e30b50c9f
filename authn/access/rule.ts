/** Decides whether one rule of a role allows a request. */
import type { PolicyRule } from '../../api/kubernetes/rbac.js';
import type { Attributes } from '../interface.js';

const all = '*';
const includes = (list: readonly string[] | undefined, value: string): boolean =>
  list !== undefined && (list.includes(value) || list.includes(all));

/** Returns the path without the `*` at its end, which matches any rest; several count as one. Takes time linear in the length. */
export function stem(path: string): string {
  let { length } = path;
  while (path[length - 1] === all) length--;
  return path.slice(0, length);
}

const pathCovered = (rule: string, path: string): boolean =>
  rule === path || (rule.endsWith(all) && path.startsWith(stem(rule)));

function resourceMatches(resources: readonly string[] | undefined, resource: string, subresource: string): boolean {
  if (resources === undefined) return false;
  if (subresource === '') return resources.includes(resource) || resources.includes(all);
  return (
    resources.includes(all) ||
    resources.includes(`${resource}/${subresource}`) ||
    resources.includes(`*/${subresource}`)
  );
}

/** hot: once per rule that may apply to a request. as plugin/pkg/auth/authorizer/rbac/rbac.go RuleAllows */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!includes(rule.verbs, attributes.verb)) return false;
  if (attributes.type === 'path') return (rule.nonResourceURLs ?? []).some(url => pathCovered(url, attributes.path));
  const names = rule.resourceNames ?? [];
  return (
    includes(rule.apiGroups, attributes.group) &&
    resourceMatches(rule.resources, attributes.resource, attributes.subresource) &&
    (names.length === 0 || names.includes(attributes.name))
  );
}
