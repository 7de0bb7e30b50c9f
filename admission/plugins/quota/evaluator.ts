/** Computes the usage of objects of a kind in a ResourceQuota. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Amounts } from '../../../apimachinery/quantity/amounts.js';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../../api/kubernetes/core.js';
import type { AdmissionRequest } from '../../../registry/admission-plugin.js';

export interface Evaluator {
  /** Reports whether the request may change the usage. */
  handles(request: AdmissionRequest): boolean;
  /** Reports whether objects of this kind use the resource of a quota. */
  counts(resource: string): boolean;
  usage(object: KubeObject, now: Date): Amounts;
  /** Reports whether the object is in a scope; absent if it is in none. */
  isIn?(scope: ScopedResourceSelectorRequirement, object: KubeObject): boolean;
  /** Returns the text for missing fields that a quota of these resources requires, such as `must specify requests.cpu for: c`. */
  missing?(limited: readonly string[], object: KubeObject): string | undefined;
}

/** Returns the resource name of an object count, such as `count/deployments.apps`. */
export const objectCountName = (group: string, plural: string): string => `count/${plural}${group && `.${group}`}`;

/** Reports whether a request creates an object, for kinds whose usage does not change afterwards. Subresources use nothing. */
export const onCreate = ({ operation, subresource }: AdmissionRequest): boolean =>
  subresource === '' && operation === 'CREATE';
/** Reports whether a request creates or updates an object, for kinds whose usage depends on their fields. */
export const onChange = ({ operation, subresource }: AdmissionRequest): boolean =>
  subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');

// as apiserver/pkg/admission/plugin/resourcequota getScopeSelectorsFromQuota
function scopesOf({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] {
  const plain = (spec?.scopes ?? []).map(scopeName => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** Reports whether a scope selector matches an object with these names. */
// as pkg/apis/core/v1/helper ScopedResourceSelectorRequirementsAsSelector
export function selectsScopes(
  { operator, values = [] }: ScopedResourceSelectorRequirement,
  names: readonly string[],
): boolean {
  switch (operator) {
    case 'In':
      return names.some(name => values.includes(name));
    case 'NotIn':
      return names.length === 0 || names.some(name => !values.includes(name));
    case 'Exists':
      return names.length > 0;
    case 'DoesNotExist':
      return names.length === 0;
    default:
      return false;
  }
}

/** Reports whether the quota limits a resource that the object uses, and the object is in all its scopes. */
// as apiserver/pkg/quota/v1/generic Matches
export function quotaMatches(quota: ResourceQuota, evaluator: Evaluator, object: KubeObject): boolean {
  if (!Object.keys(quota.status?.hard ?? {}).some(name => evaluator.counts(name))) return false;
  return scopesOf(quota).every(scope => evaluator.isIn?.(scope, object) ?? false);
}
