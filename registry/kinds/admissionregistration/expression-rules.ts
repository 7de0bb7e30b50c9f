/** Expressions in CEL: conditions, variables, messages, changes. */
// as pkg/apis/admissionregistration/validation validateMatchConditions, validateVariable
import { checkQualifiedName } from '../../../openapi/meta/names.js';
import type { Field } from '../shared/field.js';
import type { MatchCondition, Variable } from '../types/admissionregistration.js';

const mostConditions = 64;
const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function'],
  ...['if', 'import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

/** There is one. What it says is not compiled. */
export function expression(field: Field<string>, missing = ''): void {
  if ((field.value ?? '').trim() === '') field.required(missing);
}

export function matchConditions(list: Field<MatchCondition[]>): void {
  const count = (list.value ?? []).length;
  if (count > mostConditions) list.tooMany(count, mostConditions);
  const seen = new Set<string>();
  for (const condition of list.items()) {
    expression(condition.at('expression'));
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

export function variables(list: Field<Variable[]>): void {
  for (const variable of list.items()) {
    const name = variable.at('name');
    const text = name.value ?? '';
    if (text.trim() === '') name.required('name is not specified');
    else if (!identifier.test(text) || reserved.has(text)) name.invalid('must be a valid CEL identifier');
    expression(variable.at('expression'), 'expression is not specified');
  }
}
