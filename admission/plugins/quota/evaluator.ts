/** How objects of a kind use up what a ResourceQuota limits. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Amounts } from '../../../apimachinery/quantity/amounts.js';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../../api/kubernetes/core.js';
import type { AdmissionRequest } from '../../../registry/admission-plugin.js';

export interface Evaluator {
  /** Can the request change what is used? */
  handles(request: AdmissionRequest): boolean;
  /** Is it this kind that uses up the limited resource? */
  counts(resource: string): boolean;
  usage(object: KubeObject, now: Date): Amounts;
  /** Absent: in no scope. */
  isIn?(scope: ScopedResourceSelectorRequirement, object: KubeObject): boolean;
  /** What the object must say, and does not, when these resources are limited: `must specify requests.cpu for: c`. */
  missing?(limited: readonly string[], object: KubeObject): string | undefined;
}

/** `count/deployments.apps` */
export const countOf = (group: string, plural: string): string => `count/${plural}${group && `.${group}`}`;

export const onCreate = ({ operation, subresource }: AdmissionRequest): boolean =>
  subresource === '' && operation === 'CREATE';
export const onChange = ({ operation, subresource }: AdmissionRequest): boolean =>
  subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');

// as apiserver/pkg/admission/plugin/resourcequota getScopeSelectorsFromQuota
function scopesOf({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] {
  const plain = (spec?.scopes ?? []).map(scopeName => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** Of something that has these names, or none. */
// as pkg/apis/core/v1/helper ScopedResourceSelectorRequirementsAsSelector
export function selects(
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

/** Does the quota limit anything that the object uses, and is the object in all its scopes? */
// as apiserver/pkg/quota/v1/generic Matches
export function concerns(quota: ResourceQuota, evaluator: Evaluator, object: KubeObject): boolean {
  if (!Object.keys(quota.status?.hard ?? {}).some(name => evaluator.counts(name))) return false;
  return scopesOf(quota).every(scope => evaluator.isIn?.(scope, object) ?? false);
}
