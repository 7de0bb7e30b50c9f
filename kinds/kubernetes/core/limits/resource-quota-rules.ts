// as pkg/apis/core/validation ValidateResourceQuota*
import { compareQuantities, parseQuantity, quantityText } from '../../../../apimachinery/quantity/quantity.js';
import type { Validate } from '../../../../registry/interface.js';
import type { Field } from '../../../shared/rules/field.js';
import { shownInternal } from '../../../shared/go-text/internal-json.js';
import { isStandardQuotaResource, checkQuotaResourceName } from '../../../shared/rules/resource-names.js';
import { validate, validateChange } from '../../../shared/rules/validate.js';
import { warningsOfNew } from '../../../shared/rules/warnings.js';
import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from '../../../../api/kubernetes/core.js';
import { resourceQuantity } from '../shared/resource-rules.js';

type Amounts = Field<Record<string, string | number>>;

/** Validates the resources that a quota limits, and the amounts. */
export function quotaAmounts(hard: Amounts): void {
  for (const [name, amount] of hard.entries()) {
    checkQuotaResourceName(name, amount);
    resourceQuantity(name, amount);
  }
}

const podResources = ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];

/** Scope -> the resources that it applies to. */
const scopes: ReadonlyMap<string, readonly string[]> = new Map([
  ['Terminating', podResources],
  ['NotTerminating', podResources],
  ['NotBestEffort', podResources],
  ['PriorityClass', podResources],
  ['CrossNamespacePodAffinity', podResources],
  ['BestEffort', ['pods']],
  ['VolumeAttributesClass', ['persistentvolumeclaims', 'requests.storage']],
]);
const exclusive = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
/** Scopes that a selector can only require to exist. */
const plain = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];

/**
 * Returns a function that says how many of the limits are for resources that a scope does not apply to. A quota may name a scope thousands of times, and
 * have thousands of limits.
 */
function misfitsOf(spec: ResourceQuotaSpec | undefined): (scope: string) => number {
  let standard: readonly string[] | undefined;
  const counts = new Map<string, number>();
  return scope => {
    const fitting = scopes.get(scope);
    if (!fitting) return 0;
    const known = counts.get(scope);
    if (known !== undefined) return known;
    standard ??= Object.keys(spec?.hard ?? {}).filter(isStandardQuotaResource);
    const count = standard.filter(name => !fitting.includes(name)).length;
    counts.set(scope, count);
    return count;
  };
}

function conflicts(named: readonly string[], tell: () => void): void {
  for (const [a, b] of exclusive) if (named.includes(a) && named.includes(b)) tell();
}

function scopeList(spec: Field<ResourceQuotaSpec>): void {
  const list = spec.at('scopes');
  const named = list.value ?? [];
  const misfits = misfitsOf(spec.value);
  for (const scope of named) {
    if (!scopes.has(scope)) list.invalid('unsupported scope');
    for (let i = misfits(scope); i > 0; i--) list.invalid('unsupported scope applied to resource');
  }
  conflicts(named, () => list.invalid('conflicting scopes'));
}

function scopeSelector(spec: Field<ResourceQuotaSpec>): void {
  const expressions = spec.at('scopeSelector').at('matchExpressions');
  const misfits = misfitsOf(spec.value);
  let shown: ReturnType<typeof shownInternal> | undefined;
  for (const { value } of expressions.items()) {
    const expression = expressions.holding(value); // Upstream's paths have no indexes.
    const at = <K extends keyof ScopedResourceSelectorRequirement>(name: K) => expression.at(name);
    const { scopeName = '', operator = '', values = [] } = value ?? {};
    if (!scopes.has(scopeName)) at('scopeName').invalid('unsupported scope', scopeName);
    for (let i = misfits(scopeName); i > 0; i--) {
      shown ??= shownInternal('*ScopeSelector', spec.value?.scopeSelector);
      expressions.invalid('unsupported scope applied to resource', shown);
    }
    if (plain.includes(scopeName) && operator !== 'Exists')
      at('operator').invalid(
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        operator,
      );
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0)
        at('values').required("must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0)
        at('values').invalid(
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
          values,
        );
    } else at('operator').invalid('not a valid selector operator', operator);
  }
  const named = (expressions.value ?? []).map(e => e.scopeName ?? '');
  conflicts(named, () => expressions.invalid('conflicting scopes', spec.value?.scopes ?? null));
}

function specRules(spec: Field<ResourceQuotaSpec>): void {
  quotaAmounts(spec.at('hard'));
  scopeList(spec);
  scopeSelector(spec);
}

function statusRules(quota: Field<ResourceQuota>): void {
  const status = quota.at('status');
  quotaAmounts(status.at('hard'));
  quotaAmounts(status.at('used'));
}

export const resourceQuotaRules: readonly Validate[] = [validate<ResourceQuota>(quota => specRules(quota.at('spec')))];

export const resourceQuotaChangeRules: readonly Validate[] = [
  ...resourceQuotaRules,
  validateChange<ResourceQuota>((quota, old) => {
    const list = quota.at('spec').at('scopes');
    const [now, before] = [new Set(list.value), new Set(old.spec?.scopes)];
    if (now.size !== before.size || [...now].some(scope => !before.has(scope))) list.invalid('field is immutable');
  }),
];

export const resourceQuotaStatusRules: readonly Validate[] = [validate<ResourceQuota>(statusRules)];

/** Warns if requests above the limits can never be used. */
// as pkg/registry/core/resourcequota WarningsOnCreate
export const resourceQuotaWarnings = warningsOfNew<ResourceQuota>((quota, warn) => {
  const hard = quota.value?.spec?.hard ?? {};
  for (const resource of ['cpu', 'memory', 'storage', 'ephemeral-storage']) {
    const bare = resource === 'cpu' || resource === 'memory';
    const name = [`requests.${resource}`, ...(bare ? [resource] : [])].find(key => hard[key] !== undefined);
    const limitName = `limits.${resource}`;
    if (name === undefined || hard[limitName] === undefined) continue;
    const [request, limit] = [parseQuantity(hard[name] ?? 0), parseQuantity(hard[limitName])];
    if (compareQuantities(request, limit) > 0)
      warn(
        `ResourceQuota ${name} (${quantityText(request)}) should be less than ${limitName} (${quantityText(limit)})`,
      );
  }
});
