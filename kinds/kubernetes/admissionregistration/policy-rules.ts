// as pkg/apis/admissionregistration/validation ValidateValidatingAdmissionPolicy, ValidateMutatingAdmissionPolicy and their bindings
import { readApiVersion } from '../../../apimachinery/meta/gvk.js';
import { parseJsonPath } from '../../../apimachinery/jsonpath/jsonpath.js';
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkQualifiedName,
} from '../../../apimachinery/meta/names.js';
import { bool, list, nullType, string } from '../../../lib/cel/types.js';
import type { InSteps } from '../../../lib/time-slice.js';
import { semanticEqual } from '../../../lib/json/equality.js';
import { sameField } from '../../../registry/strategy/same-value.js';
import type { Scope } from './expressions/compile.js';
import { jsonPatchType, objectType } from './expressions/patch-types.js';
import type { Validate } from '../../../registry/interface.js';
import { conditions } from '../../shared/rules/condition-rules.js';
import type { Field } from '../../shared/rules/field.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { labelSelector } from '../../shared/rules/selector-rules.js';
import { validate, validateInSteps } from '../../shared/rules/validate.js';
import type {
  AuditAnnotation,
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  Mutation,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Validation,
} from '../../../api/kubernetes/admissionregistration.js';
import { expression, matchConditions, trimmed, variables } from './expression-rules.js';
import { namedRule } from './operation-rules.js';
import { failurePolicies, matchPolicies, reinvocations } from './webhook-rules.js';

type Policy = Field<ValidatingAdmissionPolicy | MutatingAdmissionPolicy>;

function requiredOneOf(field: Field<string>, supported: readonly string[]): void {
  if (field.isEmpty && field.value !== '') field.required();
  else if (!supported.includes(field.value ?? '')) field.notSupported(supported);
}

function paramKind(field: Field<ParamKind>): void {
  if (!field.isSet) return;
  const [version, kind] = [field.at('apiVersion'), field.at('kind')];
  const text = version.value ?? '';
  const found = readApiVersion(text);
  if (text === '') version.required();
  else if (!found) version.invalid(`unexpected GroupVersion string: ${text}`);
  else {
    const wrongGroup = found.group === '' ? [] : checkDns1123Subdomain(found.group);
    if (wrongGroup.length > 0) version.invalid(wrongGroup.join(','), found.group);
    const wrongVersion = checkDns1035Label(found.version);
    if (found.version === '') version.invalid('version must be specified');
    else if (wrongVersion.length > 0) version.invalid(wrongVersion.join(','), found.version);
  }
  const wrong = checkDns1035Label((kind.value ?? '').toLowerCase());
  if (kind.isEmpty) kind.required();
  else if (wrong.length > 0) kind.invalid(`may have mixed case, but should otherwise match: ${wrong.join(',')}`);
}

function* matchResources(match: Field<MatchResources>): InSteps<void> {
  if (!match.isSet) return;
  requiredOneOf(match.at('matchPolicy'), matchPolicies);
  for (const selector of [match.at('namespaceSelector'), match.at('objectSelector')]) {
    if (selector.isSet) labelSelector(selector);
    else selector.required();
  }
  for (const rule of match.at('resourceRules').items()) yield* namedRule(rule);
  for (const rule of match.at('excludeResourceRules').items()) yield* namedRule(rule);
}

/** Validates the part that policies of both kinds begin with. Returns what their other expressions may refer to. */
function* beginning(
  policy: Policy,
  old: ValidatingAdmissionPolicy | MutatingAdmissionPolicy | undefined,
): InSteps<Scope> {
  const spec = (policy as Field<ValidatingAdmissionPolicy>).at('spec');
  requiredOneOf(spec.at('failurePolicy'), failurePolicies);
  paramKind(spec.at('paramKind'));
  const constraints = spec.at('matchConstraints');
  if (!constraints.isSet) constraints.required();
  else {
    yield* matchResources(constraints);
    if (constraints.at('resourceRules').isEmpty) constraints.at('resourceRules').required();
    if (policy.value?.kind === 'MutatingAdmissionPolicy') changing(constraints);
  }
  const before = old?.spec;
  const isSame =
    before !== undefined &&
    sameField(before.paramKind, spec.value?.paramKind, spec.at('paramKind').type) &&
    semanticEqual(before.matchConditions, spec.value?.matchConditions);
  const params = spec.at('paramKind').isSet;
  if (!isSame) yield* matchConditions(spec.at('matchConditions'), params);
  const types = yield* variables(spec.at('variables'), params);
  return { params, authorizer: true, ...(types && { variables: types }) };
}

const changingOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** Deletions cannot be mutated. */
function changing(match: Field<MatchResources>): void {
  const rules = match.at('resourceRules');
  for (const rule of rules.value ?? [])
    for (const operation of rule.operations ?? [])
      if (!changingOperations.includes(operation))
        rules.as(`${rules.path}.operations`).notSupported(changingOperations, operation);
}

const lineBreak = /[\n\r]/;
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

function validationOf(rule: Field<Validation>, scope: Scope): void {
  expression(rule.at('expression'), scope, [bool], { missing: 'expression is not specified' });
  const [messageExpression, message, reason] = [rule.at('messageExpression'), rule.at('message'), rule.at('reason')];
  const isBlank = (field: Field<string>): boolean => !field.isEmpty && field.value?.trim() === '';
  if (isBlank(messageExpression)) messageExpression.invalid('must be non-empty if specified');
  else if (!messageExpression.isEmpty) expression(messageExpression, { ...scope, authorizer: false }, [string]);
  if (isBlank(message)) message.invalid('must be non-empty if specified');
  else if (lineBreak.test((message.value ?? '').trim())) message.invalid('must not contain line breaks');
  if (reason.isSet && !reasons.includes(reason.value ?? '')) reason.notSupported(reasons);
}

const maxAnnotations = 20;
const maxExpressionLength = 5 * 1024;

function* auditAnnotations(list: Field<AuditAnnotation[]>, name: string, scope: Scope): InSteps<void> {
  if ((list.value ?? []).length > maxAnnotations)
    list.invalid(
      `must not have more than ${maxAnnotations} auditAnnotations`,
      shownInternal('[]AuditAnnotation', list.value),
    );
  const seen = new Set<string>();
  for (const annotation of list.items()) {
    yield;
    const [key, value] = [annotation.at('key'), annotation.at('valueExpression')];
    const text = key.value ?? '';
    if (name === '') key.invalid('requires metadata.name be non-empty', text);
    else for (const wrong of checkQualifiedName(`${name}/${text}`)) key.invalid(wrong, `${name}/${text}`);
    const source = value.value ?? '';
    if (Buffer.byteLength(source.trim()) > maxExpressionLength)
      value.required(`must not exceed ${maxExpressionLength} bytes in length`);
    else
      expression(trimmed(value), scope, [string, nullType], {
        missing: 'valueExpression is not specified',
        shown: source,
      });
    if (seen.has(text)) key.duplicate(text);
    seen.add(text);
  }
}

export const validateValidatingPolicy = validateInSteps<ValidatingAdmissionPolicy>(function* (policy, old) {
  const scope = yield* beginning(policy, old);
  const [validations, annotations] = [policy.at('spec').at('validations'), policy.at('spec').at('auditAnnotations')];
  if (validations.isEmpty && annotations.isEmpty)
    for (const list of [validations, annotations])
      list.required('validations or auditAnnotations must contain at least one item');
  for (const rule of validations.items()) {
    yield;
    validationOf(rule, scope);
  }
  yield* auditAnnotations(annotations, policy.value?.metadata.name ?? '', scope);
});

export const validatingPolicyStatusRules: readonly Validate[] = [
  validate<ValidatingAdmissionPolicy>(policy => {
    const status = policy.at('status');
    for (const warning of status.at('typeChecking').at('expressionWarnings').items()) {
      if (warning.at('warning').isEmpty) warning.at('warning').required();
      const reference = warning.at('fieldRef');
      const text = (reference.value ?? '').trim();
      const error = jsonPathError(text);
      if (text === '') reference.required();
      else if (error !== undefined) reference.invalid(`invalid JSONPath: ${error}`, text);
    }
    conditions(status.at('conditions'));
  }),
];

function jsonPathError(text: string): string | undefined {
  try {
    parseJsonPath(`{${text}}`);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const patchTypes = ['ApplyConfiguration', 'JSONPatch'];

function mutation(change: Field<Mutation>, scope: Scope): void {
  const [type, json, apply] = [change.at('patchType'), change.at('jsonPatch'), change.at('applyConfiguration')];
  if (type.isEmpty) type.required();
  else if (!patchTypes.includes(type.value ?? '')) type.notSupported(patchTypes);
  else {
    const [wanted, other] = type.value === 'JSONPatch' ? [json, apply] : [apply, json];
    const gives = type.value === 'JSONPatch' ? list(jsonPatchType) : objectType;
    if (wanted.isSet) expression(trimmed(wanted.at('expression')), { ...scope, patches: true }, [gives]);
    else wanted.required(`must be specified when patchType is ${type.value}`);
    const name = other === json ? '{jsonPatch}' : '{applyConfiguration}';
    if (other.isSet) other.invalid(`must not be specified when patchType is ${type.value}`, name);
  }
}

export const validateMutatingPolicy = validateInSteps<MutatingAdmissionPolicy>(function* (policy, old) {
  const scope = yield* beginning(policy, old);
  const spec = policy.at('spec');
  if (spec.at('mutations').isEmpty) spec.at('mutations').required('mutations must contain at least one item');
  for (const change of spec.at('mutations').items()) {
    yield;
    mutation(change, scope);
  }
  const policyOfReinvocation = spec.at('reinvocationPolicy');
  if (policyOfReinvocation.isEmpty) policyOfReinvocation.required();
  else if (!reinvocations.includes(policyOfReinvocation.value ?? '')) policyOfReinvocation.notSupported(reinvocations);
});

const notFoundActions = ['Deny', 'Allow'];

function paramRef(reference: Field<ParamRef>): void {
  if (!reference.isSet) return;
  const [name, selector, action] = [
    reference.at('name'),
    reference.at('selector'),
    reference.at('parameterNotFoundAction'),
  ];
  const exclusive = 'name and selector are mutually exclusive';
  if (!name.isEmpty) name.check(checkPathSegmentName);
  if (!name.isEmpty && selector.isSet) name.forbidden(exclusive);
  labelSelector(selector);
  if (!name.isEmpty && selector.isSet) selector.forbidden(exclusive);
  if (name.isEmpty && !selector.isSet) reference.required('one of name or selector must be specified');
  if (action.isEmpty) action.required();
  else if (!notFoundActions.includes(action.value ?? '')) action.notSupported(notFoundActions);
}

const actions = ['Audit', 'Deny', 'Warn'];

function validationActions(list: Field<string[]>): void {
  const seen = new Set<string>();
  for (const action of list.items()) {
    if (!actions.includes(action.value ?? '')) action.notSupported(actions);
    if (seen.has(action.value ?? '')) action.duplicate();
    seen.add(action.value ?? '');
  }
  if (seen.has('Deny') && seen.has('Warn'))
    list.invalid(
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    );
  if (seen.size === 0) list.required('at least one validation action is required');
}

function* binding(object: Field<ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding>): InSteps<void> {
  const spec = (object as Field<ValidatingAdmissionPolicyBinding>).at('spec');
  if (spec.at('policyName').isEmpty) spec.at('policyName').required();
  else spec.at('policyName').check(checkDns1123Subdomain);
  paramRef(spec.at('paramRef'));
  yield* matchResources(spec.at('matchResources'));
}

export const validateValidatingBinding = validateInSteps<ValidatingAdmissionPolicyBinding>(function* (object) {
  yield* binding(object);
  validationActions(object.at('spec').at('validationActions'));
});

export const validateMutatingBinding = validateInSteps<MutatingAdmissionPolicyBinding>(function* (object) {
  yield* binding(object);
  changing(object.at('spec').at('matchResources'));
});
