import type { Fault } from '../../../apimachinery/interface.js';
import { index, invalidValue, required } from '../../../apimachinery/errors/faults.js';
import { labelSelectorFaults } from '../../../apimachinery/selectors/label-faults.js';
import { selectorOf, type LabelSelector } from '../../../apimachinery/selectors/label-selectors.js';
import type { Validate } from '../../../registry/interface.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import type { ClusterRole } from '../../../api/kubernetes/rbac.js';
import { rbacGroup, rbacStrategy, validClusterRoleRules } from './rules.js';

const path = 'aggregationRule.clusterRoleSelectors';

/** Drafts may lack required fields of selectors; missing ones are validated as ''. */
const selectors = (object: ClusterRole): readonly LabelSelector[] =>
  (object.aggregationRule?.clusterRoleSelectors ?? []).map(({ matchLabels = {}, matchExpressions = [] }) => ({
    matchLabels,
    matchExpressions: matchExpressions.map(({ key = '', operator = '', values = [] }) => ({ key, operator, values })),
  }));

function unusable(selector: LabelSelector): boolean {
  try {
    selectorOf(selector);
    return false;
  } catch {
    return true;
  }
}

// as pkg/apis/rbac/validation/validation.go ValidateClusterRole
const validAggregation: Validate = (object, old) => {
  const role = object as ClusterRole;
  if (!role.aggregationRule) return [];
  if ((role.aggregationRule.clusterRoleSelectors ?? []).length === 0)
    return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  const allowInvalidValues = old !== undefined && selectors(old).some(s => labelSelectorFaults(s, '').length > 0);
  return selectors(role).flatMap((selector, i): Fault[] => [
    ...labelSelectorFaults(selector, index(path, i), { allowInvalidValues }),
    ...(unusable(selector) ? [invalidValue(index(path, i), null, 'invalid label selector.')] : []),
  ]);
};

const rules = [validClusterRoleRules, validAggregation];

export const clusterRole: NativeKind = {
  group: rbacGroup,
  kind: 'ClusterRole',
  strategy: strategy(rbacStrategy, { validateCreate: rules, validateUpdate: rules }),
};
