/** Validates expressions in CEL: conditions, variables, messages, mutations. */
// as pkg/apis/admissionregistration/validation validateMatchConditions, validateVariable
import { checkQualifiedName } from '../../../apimachinery/meta/names.js';
import { type Type, bool, dyn } from '../../../lib/cel/types.js';
import { type Scope, compileExpression } from './expressions/compile.js';
import type { InSteps } from '../../../lib/time-slice.js';
import type { Field } from '../../shared/rules/field.js';
import type { MatchCondition, Variable } from '../../../api/kubernetes/admissionregistration.js';

const maxConditions = 64;
const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function'],
  ...['if', 'import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

/** Requires an expression, and checks it; `shown`: the value in error texts. Returns its type. */
export function expression(
  field: Field<string>,
  scope: Scope,
  wanted: readonly Type[],
  { missing = '', shown = field.value ?? '' }: { readonly missing?: string; readonly shown?: string } = {},
): Type | undefined {
  const source = field.value ?? '';
  if (source.trim() === '') {
    field.required(missing);
    return undefined;
  }
  const compiled = compileExpression(source, scope, wanted);
  if (!('error' in compiled)) return compiled.type;
  if (compiled.internal) field.internal(compiled.error);
  else field.invalid(compiled.error, shown);
  return undefined;
}

/** Returns the field with surrounding blanks removed from its value. */
export function trimmed(field: Field<string>): Field<string> {
  return field.holding((field.value ?? '').trim());
}

/** `params`: whether they may refer to parameters. */
export function* matchConditions(list: Field<MatchCondition[]>, params: boolean): InSteps<void> {
  const count = (list.value ?? []).length;
  if (count > maxConditions) list.tooMany(count, maxConditions);
  const seen = new Set<string>();
  for (const condition of list.items()) {
    yield;
    expression(trimmed(condition.at('expression')), { params, authorizer: true }, [bool]);
    const name = condition.at('name');
    if (name.isEmpty) {
      name.required();
      continue;
    }
    name.check(checkQualifiedName);
    if (seen.has(name.value ?? '')) name.duplicate();
    seen.add(name.value ?? '');
  }
}

/** Returns the types of the variables: each may refer to those before it. */
export function* variables(list: Field<Variable[]>, params: boolean): InSteps<ReadonlyMap<string, Type> | undefined> {
  if (list.isEmpty) return undefined;
  const types = new Map<string, Type>();
  for (const variable of list.items()) {
    yield;
    const name = variable.at('name');
    const text = name.value ?? '';
    if (text.trim() === '') name.required('name is not specified');
    else if (!identifier.test(text) || reserved.has(text)) name.invalid('must be a valid CEL identifier');
    const scope: Scope = { params, authorizer: true, variables: types };
    const type = expression(variable.at('expression'), scope, [], { missing: 'expression is not specified' });
    types.set(text, type ?? dyn);
  }
  return types;
}
