/** Compiles the rules of a schema. as apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go */
import { type Declared, maxRequest } from './cel-types.js';
import { unlimited } from '../../../lib/cel/cost-model.js';
import { type Compiled, compile } from '../../cel/environment.js';
import { type Type, optional } from '../../../lib/cel/types.js';
import { readFieldPath } from '../field-path.js';
import type { ValidationRule } from '../../../apimachinery/codec/interface.js';
import type { SchemaProps } from '../schema-props.js';

export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Absent if the rule is empty or does not compile. */
  readonly program?: Compiled;
  readonly error?: string;
  readonly usesOldSelf: boolean;
  /** Maximum cost of one evaluation. */
  readonly cost: number;
  readonly message?: Compiled;
  readonly messageError?: string;
  readonly messageCost: number;
  /** The fieldPath of the rule in the form of faults; '' for the value itself. */
  readonly fieldPath: string;
}

/** Compiles an expression with a result type, or returns the error. */
function compileAs(
  source: string,
  variables: ReadonlyMap<string, Type>,
  resultType: 'bool' | 'string',
): Compiled | { readonly error: string } {
  const [prefix, whole] = resultType === 'bool' ? ['', 'cel expression'] : ['messageExpression ', 'messageExpression'];
  const compiled = compile(source, variables);
  if ('issues' in compiled) return { error: `${prefix}compilation failed: ${compiled.issues}` };
  if ('instantiation' in compiled)
    return { error: `${prefix === '' ? 'program ' : prefix}instantiation failed: ${compiled.instantiation}` };
  if (compiled.type.kind !== resultType) return { error: `${whole} must evaluate to a ${resultType}` };
  return compiled;
}

const noRule = { usesOldSelf: false, cost: 0, messageCost: 0, fieldPath: '' };

/** Compiles a rule for values of a declared type. `schema` is used to resolve its fieldPath. */
export function compileRule(rule: ValidationRule, declared: Declared, schema: SchemaProps): CompiledRule {
  if (rule.rule.trim() === '') return { rule, ...noRule };
  const { type, sizes } = declared;
  const variables = new Map([
    ['self', type],
    ['oldSelf', rule.optionalOldSelf ? optional(type) : type],
  ]);
  const program = compileAs(rule.rule, variables, 'bool');
  if ('error' in program) return { rule, ...noRule, error: program.error };
  const usesOldSelf = program.references.has('oldSelf');
  const cost = program.estimate(() => sizes).max;
  const text = rule.messageExpression ?? '';
  const message = text === '' ? undefined : compileAs(text, variables, 'string');
  const found = rule.fieldPath ? readFieldPath(rule.fieldPath, schema) : undefined;
  const fieldPath = found && 'path' in found ? found.path : '';
  const base = { rule, program, usesOldSelf, cost, fieldPath, messageCost: 0 };
  if (!message) return base;
  if ('error' in message) return { ...base, fieldPath: '', messageError: message.error };
  return { ...base, message, messageCost: message.estimate(() => sizes).max };
}

/** Returns the maximum number of values of a type in a request. */
export const maxCardinality = (declared: Declared): number => Math.floor(maxRequest / (declared.minSize + 1));

/** Multiplies costs. The product is at most the unlimited cost. */
export const multiplyCost = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : Math.min(a * b, unlimited));
