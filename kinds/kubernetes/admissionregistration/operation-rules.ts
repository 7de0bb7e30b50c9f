/** Validates the rules that select requests for webhooks and policies. */
// as pkg/apis/admissionregistration/validation validateRuleWithOperations, validateNamedRuleWithOperations
import { checkPathSegmentName } from '../../../apimachinery/meta/names.js';
import type { InSteps } from '../../../lib/time-slice.js';
import type { Field } from '../../shared/rules/field.js';
import type { NamedRuleWithOperations, RuleWithOperations } from '../../../api/kubernetes/admissionregistration.js';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

/** A star means all, and must be the only item. */
function starAlone(list: Field<string[]>, others: string): void {
  if (list.isEmpty) list.required();
  const all = list.value ?? [];
  if (all.length > 1 && all.includes('*')) list.invalid(`if '*' is present, must not specify other ${others}`);
}

/**
 * Checks one rule in steps, since a rule may name a hundred thousand resources.
 * as pkg/apis/admissionregistration/validation validateRuleWithOperations
 */
export function* ruleWithOperations(rule: Field<RuleWithOperations>): InSteps<void> {
  yield;
  const list = rule.at('operations');
  starAlone(list, 'operations');
  for (const operation of list.items())
    if (!operations.includes(operation.value ?? '')) operation.notSupported(operations);
  starAlone(rule.at('apiGroups'), 'API groups');
  const versions = rule.at('apiVersions');
  starAlone(versions, 'API versions');
  for (const version of versions.items()) if (version.isEmpty) version.required();
  yield;
  resources(rule.at('resources'));
  const scope = rule.at('scope');
  if (scope.isSet && !scopes.includes(scope.value ?? '')) scope.notSupported(scopes);
}

function resources(list: Field<string[]>): void {
  const all = list.value ?? [];
  if (all.length === 0) list.required();
  /** Resources with a star for the subresource, and subresources with a star for the resource. */
  const [whole, everywhere] = [new Set<string>(), new Set<string>()];
  for (const field of list.items()) {
    const text = field.value ?? '';
    const [resource = '', ...rest] = text.split('/');
    if (text === '') field.required();
    if (rest.length === 0) continue;
    const sub = rest.join('/');
    if (whole.has(resource)) field.invalid(`if '${resource}/*' is present, must not specify ${text}`);
    if (everywhere.has(sub)) field.invalid(`if '*/${sub}' is present, must not specify ${text}`);
    if (sub === '*') whole.add(resource);
    if (resource === '*') everywhere.add(sub);
  }
  if (all.length > 1 && all.includes('*/*')) list.invalid("if '*/*' is present, must not specify other resources");
  // Only the last one without a subresource counts, as upstream.
  const last = all.filter(text => text !== '' && !text.includes('/')).at(-1);
  if (all.includes('*') && last !== '*')
    list.invalid("if '*' is present, must not specify other resources without subresources");
}

/** Checks a rule of a policy, which may also name objects, in steps. as pkg/apis/admissionregistration/validation validateNamedRuleWithOperations */
export function* namedRule(rule: Field<NamedRuleWithOperations>): InSteps<void> {
  yield;
  const seen = new Set<string>();
  for (const name of rule.at('resourceNames').items()) {
    name.check(checkPathSegmentName);
    if (seen.has(name.value ?? '')) name.duplicate();
    seen.add(name.value ?? '');
  }
  yield* ruleWithOperations(rule);
}
