/** Audit policies, which define what is recorded of which request. as apiserver/pkg/audit/policy */
import type { Attributes } from '../../authn/interface.js';
import type { Fault } from '../../apimachinery/interface.js';
import { invalidValue, notSupported, required } from '../../apimachinery/errors/faults.js';
import { checkDns1123Subdomain } from '../../apimachinery/meta/names.js';
import type { Identity } from '../../apimachinery/identity.js';

export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof levels)[number];

const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type Stage = (typeof stages)[number];

export interface AuditRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly {
    readonly group?: string;
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly Stage[];
  readonly omitManagedFields?: boolean;
}

export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
  readonly omitStages?: readonly Stage[];
  readonly omitManagedFields?: boolean;
}

/** What is recorded of one request. */
export interface AuditScope {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<Stage>;
  readonly omitManagedFields: boolean;
}

/** Returns what is recorded. `user`: undefined when authentication failed. */
type Evaluate = (user: Identity | undefined, attributes: Attributes) => AuditScope;

const has = (list: readonly string[] | undefined, value: string): boolean =>
  list === undefined || list.length === 0 || list.includes(value);

const isSet = (list: readonly unknown[] | undefined): boolean => list !== undefined && list.length > 0;

function pathMatches(path: string, spec: string): boolean {
  if (spec === '*' || spec === path) return true;
  return spec.endsWith('*') && path.startsWith(spec.replace(/\*+$/, ''));
}

type ResourceAttributes = Extract<Attributes, { type: 'resource' }>;
type GroupResources = NonNullable<AuditRule['resources']>[number];

function resourceMatches(
  { group = '', resources = [], resourceNames }: GroupResources,
  requested: ResourceAttributes,
): boolean {
  if (group !== requested.group && group !== '*') return false;
  if (resources.length === 0) return true;
  if (!has(resourceNames, requested.name)) return false;
  const { resource, subresource } = requested;
  const fullName = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    spec =>
      spec === fullName ||
      spec === '*' ||
      (subresource !== '' && spec === `*/${subresource}`) ||
      (spec.endsWith('/*') && spec === `${resource}/*`),
  );
}

// as apiserver/pkg/audit/policy/checker.go ruleMatches
function ruleMatches(rule: AuditRule, user: Identity | undefined, asked: Attributes): boolean {
  if (isSet(rule.users) && !(user && has(rule.users, user.name))) return false;
  if (isSet(rule.userGroups) && !user?.groups.some(group => rule.userGroups?.includes(group))) return false;
  if (!has(rule.verbs, asked.verb)) return false;
  if (isSet(rule.namespaces) || isSet(rule.resources)) {
    if (asked.type !== 'resource' || !has(rule.namespaces, asked.namespace)) return false;
    return !isSet(rule.resources) || (rule.resources ?? []).some(each => resourceMatches(each, asked));
  }
  if (!isSet(rule.nonResourceURLs)) return true;
  return asked.type === 'path' && (rule.nonResourceURLs ?? []).some(spec => pathMatches(asked.path, spec));
}

/** Returns a function that evaluates the policy. The first matching rule decides; a request that no rule matches is not recorded. */
export function evaluator(policy: AuditPolicy): Evaluate {
  const { omitStages = [], omitManagedFields = false } = policy;
  const scopes = policy.rules.map((rule): AuditScope => ({
    level: rule.level,
    omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])]),
    omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
  }));
  const none: AuditScope = { level: 'None', omitStages: new Set(omitStages), omitManagedFields };
  return (user, attributes) => {
    const at = policy.rules.findIndex(rule => ruleMatches(rule, user, attributes));
    return scopes[at] ?? none;
  };
}

// --- validation -------------------------------------------------------------------------------------------------

function stageFaults(path: string, given: readonly string[] = []): Fault[] {
  return given.flatMap((stage, i) =>
    stages.some(known => known === stage)
      ? []
      : [invalidValue(`${path}[${i}]`, stage, `allowed stages are ${stages.join(',')}`)],
  );
}

function ruleFaults(rule: AuditRule, path: string): Fault[] {
  const { level, nonResourceURLs = [], resources = [], namespaces = [] } = rule;
  const faults: Fault[] = [];
  if (!level) faults.push(required(`${path}.level`, ''));
  else if (!levels.includes(level)) faults.push(notSupported(`${path}.level`, level, levels));
  for (const [i, url] of nonResourceURLs.entries()) {
    if (url === '*') continue;
    const at = `${path}.nonResourceURLs[${i}]`;
    if (!url.startsWith('/'))
      faults.push(invalidValue(at, url, "non-resource URL rules must begin with a '/' character"));
    if (url.slice(0, -1).includes('*'))
      faults.push(invalidValue(at, url, "non-resource URL wildcards '*' must be the final character of the rule"));
  }
  for (const { group = '', resources: names = [], resourceNames = [] } of resources) {
    const wrong = group === '' || group === '*' ? [] : checkDns1123Subdomain(group);
    if (wrong.length > 0) faults.push(invalidValue(`${path}.resources.group`, group, wrong.join(',')));
    if (resourceNames.length > 0 && names.length === 0)
      faults.push(
        invalidValue(
          `${path}.resources.resourceNames`,
          resourceNames,
          'using resourceNames requires at least one resource',
        ),
      );
  }
  faults.push(...stageFaults(`${path}.omitStages`, rule.omitStages));
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0))
    faults.push(
      invalidValue(
        `${path}.nonResourceURLs`,
        nonResourceURLs,
        'rules cannot apply to both regular resources and non-resource URLs',
      ),
    );
  return faults;
}

/** as apiserver/pkg/apis/audit/validation/validation.go ValidatePolicy */
export function policyFaults({ rules, omitStages }: AuditPolicy): readonly Fault[] {
  return [...stageFaults('omitStages', omitStages), ...rules.flatMap((rule, i) => ruleFaults(rule, `rules[${i}]`))];
}
