/** Evaluates the rules of one schema for one value, and makes the faults. */
// as apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go
import type { InSteps } from '../../../lib/time-slice.js';
import type { Fault } from '../../../apimachinery/interface.js';
import {
  faultWithoutValue,
  child,
  forbiddenField,
  invalidValue,
  omitted,
  required,
  valueFault,
  wholeObject,
} from '../../../apimachinery/errors/faults.js';
import { once } from '../../../lib/collections/once.js';
import type { EvaluationOutcome } from '../../../lib/cel/interpreter/program.js';
import { outcomeOf } from '../../cel/in-turns.js';
import type { Pace } from '../../../lib/cel/interpreter/pace.js';
import { Optional, type Value, none } from '../../../lib/cel/values.js';
import type { CompiledRule } from './cel-rules.js';
import { celValue } from './cel-types.js';
import type { Validator } from './cel-validator.js';
import { type Ratchet, unchanged } from './ratchet.js';

export interface RuleBudget {
  left: number;
}

/** The state of one walk over a value. */
export interface RuleRun {
  readonly faults: Fault[];
  readonly budget: RuleBudget;
  readonly warn: ((text: string) => void) | undefined;
  readonly pace: Pace;
}

/** Thrown when the cost budget is exceeded; no further rules are evaluated. */
export class OutOfBudget extends Error {}

const faultPath = (path: string): string => (path === '' ? wholeObject : path);

function reasonFault(rule: CompiledRule, path: string, value: unknown, detail: string): Fault {
  switch (rule.rule.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      return valueFault('FieldValueDuplicate', path, value, '');
    default:
      return value === omitted
        ? faultWithoutValue('FieldValueInvalid', path, detail)
        : invalidValue(path, value, detail);
  }
}

const shownText = ({ rule }: CompiledRule): string => (rule.message ? rule.message.trim() : rule.rule.trim());

/** Returns the message for a rule that could not be evaluated. `last`: no further rules are evaluated. */
function errorText(
  error: string,
  cancelled: boolean,
  rule: CompiledRule,
): { readonly text: string; readonly last: boolean } {
  const what = shownText(rule);
  if (error.startsWith('no such overload')) {
    const text = 'call arguments did not match a supported operator, function or macro signature for rule';
    return { text: `'${error}': ${text}: ${what}`, last: false };
  }
  if (cancelled) {
    const text = 'no further validation rules will be run due to call cost exceeds limit for rule';
    return { text: `'${error}': ${text}: ${what}`, last: true };
  }
  return { text: `${error} evaluating rule: ${what}`, last: false };
}

const maxMessage = 5 * 1024;

/** Returns the result of a rule's messageExpression; undefined without a usable result; a fault if a cost limit is exceeded. */
function* messageOf(
  rule: CompiledRule,
  variables: (name: string) => Value | undefined,
  run: RuleRun,
): InSteps<string | Fault | undefined> {
  const { message } = rule;
  if (!message) return undefined;
  const outcome = yield* outcomeOf(message, variables, run.pace);
  const quoted = JSON.stringify(rule.rule.messageExpression);
  const stop = (text: string): Fault => ({ reason: 'FieldValueInvalid', path: '', message: text });
  if (outcome.cost > run.budget.left)
    return stop(
      'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    );
  if (outcome.cancelled)
    return stop(
      `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quoted}`,
    );
  run.budget.left -= outcome.cost;
  if (typeof outcome.value !== 'string') return undefined;
  const text = outcome.value.trim();
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > maxMessage ? undefined : text;
}

/** A value to validate. */
interface RuleTarget {
  readonly value: unknown;
  /** The value in the old object; undefined or null if there is none. */
  readonly old: unknown;
  readonly ratchet: Ratchet;
}

/** Evaluates the rules of one schema for one value. */
export class RuleRunner {
  private readonly state: RuleRun;
  private readonly path: string;
  private readonly validator: Validator;
  private readonly ratchet: Ratchet;
  private readonly value: unknown;
  private readonly self: () => Value;
  private readonly before: (() => Value) | undefined;

  constructor(run: RuleRun, path: string, validator: Validator, { value, old, ratchet }: RuleTarget) {
    this.state = run;
    this.path = path;
    this.validator = validator;
    this.ratchet = ratchet;
    this.value = value;
    const { schema, root } = validator;
    this.self = once(() => celValue(value, schema, root));
    this.before = old == null ? undefined : once(() => celValue(old, schema, root));
  }

  /** Evaluates the rules. Yields between two rules when the turn of the event loop is over. */
  *run(): InSteps<void> {
    const { rules, broken } = this.validator;
    if (broken) {
      const text = 'failed to convert to declType for CEL validation rules';
      this.fail(`rule compiler initialization error: ${text}`);
      return;
    }
    if (rules.length === 0) return;
    if (this.state.budget.left <= 0) this.outOfBudget();
    for (const rule of rules) {
      if (this.state.pace.isTurnOver) yield;
      yield* this.apply(rule.compiled(this.state.pace));
    }
  }

  /** Adds a fault that shows the type of the value instead of the value. */
  private fail(text: string): void {
    this.state.faults.push(invalidValue(faultPath(this.path), this.validator.schema.type ?? '', text));
  }

  private outOfBudget(): never {
    this.fail('validation failed due to running out of cost budget, no further validation rules will be run');
    throw new OutOfBudget();
  }

  /** Returns a variable. `oldSelf` is undefined if no rule of the schema uses it. */
  private variable(name: string, optional: boolean): Value | undefined {
    if (name === 'self') return this.self();
    if (name !== 'oldSelf' || !this.validator.usesOldSelf()) return undefined;
    if (optional) return this.before ? new Optional(this.before()) : none;
    return this.before?.();
  }

  private *apply(rule: CompiledRule): InSteps<void> {
    if (rule.error !== undefined) {
      this.fail(`rule compile error: ${rule.error}`);
      return;
    }
    const optional = rule.rule.optionalOldSelf === true;
    if (!rule.program || (rule.usesOldSelf && !this.before && !optional)) return;
    const { budget, pace } = this.state;
    const outcome = yield* outcomeOf(rule.program, name => this.variable(name, optional), pace);
    if (outcome.cost > budget.left) this.outOfBudget();
    budget.left -= outcome.cost;
    if (outcome.value !== true) yield* this.failed(rule, outcome);
  }

  private *failed(rule: CompiledRule, outcome: EvaluationOutcome): InSteps<void> {
    if (outcome.error !== undefined) {
      const { text, last } = errorText(outcome.error, outcome.cancelled === true, rule);
      this.fail(text);
      if (last) throw new OutOfBudget();
      return;
    }
    const path = faultPath(rule.fieldPath === '' ? this.path : child(this.path, rule.fieldPath));
    const { schema } = this.validator;
    const detail = yield* messageOf(rule, name => this.variable(name, false), this.state);
    if (typeof detail === 'object') {
      this.add(rule, invalidValue(path, schema.type ?? '', detail.message));
      throw new OutOfBudget();
    }
    const text = detail ?? (rule.rule.message ? rule.rule.message.trim() : `failed rule: ${shownText(rule)}`);
    const value = schema.type === 'object' || schema.type === 'array' ? omitted : this.value;
    this.add(rule, reasonFault(rule, path, value, text));
  }

  /** Adds a fault. It becomes a warning if the value is unchanged and the rule does not use oldSelf. */
  private add(rule: CompiledRule, fault: Fault): void {
    if (rule.usesOldSelf || !unchanged(this.ratchet)) this.state.faults.push(fault);
    else this.state.warn?.(`${fault.path}: ${fault.message}`);
  }
}
