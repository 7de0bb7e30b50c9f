/** Validates rules of roles. */
import type { Fault } from '../../../apimachinery/interface.js';
import { child, index, invalidValue, required } from '../../../apimachinery/errors/faults.js';
import { checkPathSegmentName } from '../../../apimachinery/meta/names.js';
import type { Strategy, Validate } from '../../../registry/interface.js';
import type { PolicyRule, Role } from '../../../api/kubernetes/rbac.js';

export const rbacGroup = 'rbac.authorization.k8s.io';

/** Common to all kinds of the group: names are path segments, a PUT may create. */
export const rbacStrategy = {
  nameFaults: name => checkPathSegmentName(name),
  createOnUpdate: true,
  metadataRepeats: ['change', 'whole'],
} as const satisfies Partial<Strategy>;

const empty = (list: readonly string[] | null | undefined): boolean => (list ?? []).length === 0;

// as pkg/apis/rbac/validation/validation.go ValidatePolicyRule
function ruleFaults(rule: PolicyRule, namespaced: boolean, path: string): Fault[] {
  const faults = empty(rule.verbs) ? [required(child(path, 'verbs'), 'verbs must contain at least one value')] : [];
  if (!empty(rule.nonResourceURLs)) {
    const refuse = (text: string): Fault => invalidValue(child(path, 'nonResourceURLs'), rule.nonResourceURLs, text);
    if (namespaced) faults.push(refuse('namespaced rules cannot apply to non-resource URLs'));
    if (!empty(rule.apiGroups) || !empty(rule.resources) || !empty(rule.resourceNames))
      faults.push(refuse('rules cannot apply to both regular resources and non-resource URLs'));
    return faults;
  }
  if (empty(rule.apiGroups))
    faults.push(required(child(path, 'apiGroups'), 'resource rules must supply at least one api group'));
  if (empty(rule.resources))
    faults.push(required(child(path, 'resources'), 'resource rules must supply at least one resource'));
  return faults;
}

const ruleListFaults = (object: Role, namespaced: boolean): Fault[] =>
  (object.rules ?? []).flatMap((rule, i) => ruleFaults(rule, namespaced, index('rules', i)));

/** Returns the faults of the rules of a Role, which may not name paths that are not resources. as pkg/apis/rbac/validation ValidateRole */
export const validRoleRules: Validate = object => ruleListFaults(object, true);
/** Returns the faults of the rules of a ClusterRole. as pkg/apis/rbac/validation ValidateClusterRole */
export const validClusterRoleRules: Validate = object => ruleListFaults(object, false);
