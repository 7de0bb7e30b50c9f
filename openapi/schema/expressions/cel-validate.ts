/**
 * The rules of a schema (x-kubernetes-validations) applied to a value.
 * as apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go
 */
import type { Fault } from '../../interface.js';
import {
  bareFault,
  child,
  forbiddenField,
  index,
  invalidValue,
  key,
  omitted,
  required,
  valueFault,
  wholeObject,
} from '../../meta/faults.js';
import type { CompiledRule } from './cel-rules.js';
import { once } from '../../meta/once.js';
import { celValue } from './cel-types.js';
import { type Validator, validatorOf } from './cel-validator.js';
import { callLimit } from '../cel/environment.js';
import type { Outcome } from '../cel/evaluate.js';
import { Optional, type Value, none } from '../cel/values.js';
import { type Correlation, listMapIndex, listMapKey } from '../correlation.js';
import type { Schema } from '../interface.js';
import { isMap } from '../../meta/is-map.js';

/** What all rules of one request may cost. */
export const requestBudget = 10_000_000;

export interface Budget {
  left: number;
}

export interface RuleOptions {
  /** Where the value stands: faults have this path in front. */
  readonly path?: string;
  /** The value before. */
  readonly old?: unknown;
  /** Asked whether values changed: faults of rules about what did not are warnings. */
  readonly correlation?: Correlation;
  /** Whether the value is a resource: then rules see its kind, apiVersion and name. */
  readonly root?: boolean;
  /** What is left to spend; taken from. */
  readonly budget?: Budget;
  readonly warn?: (text: string) => void;
}

/** What is known of the value before. */
interface Ratchet {
  readonly current?: Correlation | undefined;
  /** The nearest value around that has a counterpart. */
  readonly around?: Correlation | undefined;
}

const unchanged = ({ current, around }: Ratchet): boolean => (current ?? around)?.unchanged() ?? false;

function below(ratchet: Ratchet, find: (from: Correlation) => Correlation | undefined): Ratchet {
  const { current } = ratchet;
  return current ? { current: find(current), around: current } : ratchet;
}

function belowKey(ratchet: Ratchet, name: string): Ratchet {
  // Not seen by rules: both are converted to the version that is asked for.
  if (ratchet.current && !ratchet.around && (name === 'apiVersion' || name === 'kind')) return {};
  return below(ratchet, from => from.key(name));
}

interface Run {
  readonly faults: Fault[];
  readonly budget: Budget;
  readonly warn: ((text: string) => void) | undefined;
}

/** Stops all rules: the budget is spent. */
class OutOfBudget extends Error {}

const blame = (path: string): string => (path === '' ? wholeObject : path);

function reasonFault(rule: CompiledRule, path: string, value: unknown, detail: string): Fault {
  switch (rule.rule.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      return valueFault('FieldValueDuplicate', path, value, '');
    default:
      return value === omitted ? bareFault('FieldValueInvalid', path, detail) : invalidValue(path, value, detail);
  }
}

const shownText = ({ rule }: CompiledRule): string => (rule.message ? rule.message.trim() : rule.rule.trim());

const exceeded = 'operation cancelled: actual cost limit exceeded';

/** The text about a rule that could not be evaluated; whether the others still are. */
function errorText(error: string, rule: CompiledRule): { readonly text: string; readonly last: boolean } {
  const what = shownText(rule);
  if (error.startsWith('no such overload')) {
    const text = 'call arguments did not match a supported operator, function or macro signature for rule';
    return { text: `'${error}': ${text}: ${what}`, last: false };
  }
  if (error.startsWith(exceeded)) {
    const text = 'no further validation rules will be run due to call cost exceeds limit for rule';
    return { text: `'${error}': ${text}: ${what}`, last: true };
  }
  return { text: `${error} evaluating rule: ${what}`, last: false };
}

const maxMessage = 5 * 1024;

/** The text that a rule has for its failure. */
function messageOf(
  rule: CompiledRule,
  variables: (name: string) => Value | undefined,
  at: Run,
): string | Fault | undefined {
  const { message } = rule;
  if (!message) return undefined;
  const outcome = message.run(variables, callLimit);
  const quoted = JSON.stringify(rule.rule.messageExpression);
  const stop = (text: string): Fault => ({ reason: 'FieldValueInvalid', path: '', message: text });
  if (outcome.cost > at.budget.left)
    return stop(
      'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    );
  if (outcome.error?.startsWith(exceeded))
    return stop(
      `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quoted}`,
    );
  at.budget.left -= outcome.cost;
  if (typeof outcome.value !== 'string') return undefined;
  const text = outcome.value.trim();
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > maxMessage ? undefined : text;
}

/** Applies the rules that stand at one place. */
class Place {
  private readonly at: Run;
  private readonly path: string;
  private readonly validator: Validator;
  private readonly ratchet: Ratchet;
  private readonly value: unknown;
  private readonly self: () => Value;
  private readonly before: (() => Value) | undefined;

  constructor(at: Run, path: string, validator: Validator, value: unknown, old: unknown, ratchet: Ratchet) {
    this.at = at;
    this.path = path;
    this.validator = validator;
    this.ratchet = ratchet;
    this.value = value;
    const { schema, root } = validator;
    this.self = once(() => celValue(value, schema, root));
    this.before = old == null ? undefined : once(() => celValue(old, schema, root));
  }

  run(): void {
    const { rules, broken } = this.validator;
    if (broken) {
      const text = 'failed to convert to declType for CEL validation rules';
      this.fail(`rule compiler initialization error: ${text}`);
      return;
    }
    if (rules.length === 0) return;
    if (this.at.budget.left <= 0) this.outOfBudget();
    for (const rule of rules) this.apply(rule);
  }

  /** A fault that shows the type of the value in its place. */
  private fail(text: string): void {
    this.at.faults.push(invalidValue(blame(this.path), this.validator.schema.type ?? '', text));
  }

  private outOfBudget(): never {
    this.fail('validation failed due to running out of cost budget, no further validation rules will be run');
    throw new OutOfBudget();
  }

  /** A variable: `oldSelf` is there when a rule of the place asks for it. */
  private variable(name: string, optional: boolean): Value | undefined {
    if (name === 'self') return this.self();
    if (name !== 'oldSelf' || !this.validator.usesOldSelf) return undefined;
    if (optional) return this.before ? new Optional(this.before()) : none;
    return this.before?.();
  }

  private apply(rule: CompiledRule): void {
    if (rule.error !== undefined) {
      this.fail(`rule compile error: ${rule.error}`);
      return;
    }
    const optional = rule.rule.optionalOldSelf === true;
    if (!rule.program || (rule.usesOldSelf && !this.before && !optional)) return;
    const outcome = rule.program.run(name => this.variable(name, optional), callLimit);
    const { budget } = this.at;
    if (outcome.cost > budget.left) this.outOfBudget();
    budget.left -= outcome.cost;
    if (outcome.value !== true) this.failed(rule, outcome);
  }

  private failed(rule: CompiledRule, outcome: Outcome): void {
    if (outcome.error !== undefined) {
      const { text, last } = errorText(outcome.error, rule);
      this.fail(text);
      if (last) throw new OutOfBudget();
      return;
    }
    const path = blame(rule.fieldPath === '' ? this.path : child(this.path, rule.fieldPath));
    const { schema } = this.validator;
    const detail = messageOf(rule, name => this.variable(name, false), this.at);
    if (typeof detail === 'object') {
      this.add(rule, invalidValue(path, schema.type ?? '', detail.message));
      throw new OutOfBudget();
    }
    const text = detail ?? (rule.rule.message ? rule.rule.message.trim() : `failed rule: ${shownText(rule)}`);
    const value = schema.type === 'object' || schema.type === 'array' ? omitted : this.value;
    this.add(rule, reasonFault(rule, path, value, text));
  }

  /** Faults about what did not change are warnings, unless the rule is about changes. */
  private add(rule: CompiledRule, fault: Fault): void {
    if (rule.usesOldSelf || !unchanged(this.ratchet)) this.at.faults.push(fault);
    else this.at.warn?.(`${fault.path}: ${fault.message}`);
  }
}

type Plain = Readonly<Record<string, unknown>>;

function visit(at: Run, path: string, validator: Validator, value: unknown, old: unknown, ratchet: Ratchet): void {
  if (value == null) return;
  new Place(at, path, validator, value, old, ratchet).run();
  // as upstream: allOf does not ratchet by its own place.
  for (const one of validator.allOf) visit(at, path, one, value, old, { around: ratchet.around });
  if (Array.isArray(value)) visitItems(at, path, validator, value as unknown[], old, ratchet);
  else if (isMap(value)) visitFields(at, path, validator, value, isMap(old) ? old : {}, ratchet);
}

function visitItems(
  at: Run,
  path: string,
  { items, schema }: Validator,
  value: readonly unknown[],
  old: unknown,
  ratchet: Ratchet,
): void {
  if (!items) return;
  const keys = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
  const before = keys.length > 0 && Array.isArray(old) ? listMapIndex(old, keys) : undefined;
  for (const [i, item] of value.entries()) {
    const id = before && listMapKey(item, keys);
    const counterpart = id === undefined ? undefined : before?.get(id);
    visit(
      at,
      index(path, i),
      items,
      item,
      counterpart,
      below(ratchet, from => from.index(i)),
    );
  }
}

function visitFields(
  at: Run,
  path: string,
  { more, properties }: Validator,
  value: Plain,
  old: Plain,
  ratchet: Ratchet,
): void {
  const was = (name: string): unknown => (Object.hasOwn(old, name) ? old[name] : undefined);
  if (more)
    for (const name of Object.keys(value))
      visit(at, key(path, name), more, value[name], was(name), belowKey(ratchet, name));
  if (properties.size === 0) return;
  for (const name of Object.keys(value)) {
    const property = properties.get(name);
    if (property) visit(at, child(path, name), property, value[name], was(name), belowKey(ratchet, name));
  }
}

/** What the rules of a schema find wrong with a value that is valid otherwise. */
export function ruleFaults(value: unknown, schema: Schema, options: RuleOptions = {}): Fault[] {
  const validator = validatorOf(schema, options.root ?? false);
  if (!validator) return [];
  const { path = '', old, correlation, budget = { left: requestBudget }, warn } = options;
  const at: Run = { faults: [], budget, warn };
  try {
    visit(at, path, validator, value, old, correlation ? { current: correlation } : {});
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    budget.left = -1;
  }
  return at.faults;
}

const blocking: ReadonlySet<Fault['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/**
 * The faults of rules for an object in which others were found already: rules are not asked when those are of a kind that expressions
 * could not cope with, which is a fault of its own. as customresource strategy.go hasBlockingErr
 */
export function furtherRuleFaults(
  found: readonly Fault[],
  value: unknown,
  schema: Schema,
  options: RuleOptions,
): Fault[] {
  if (!validatorOf(schema, options.root ?? false)) return [];
  if (!found.some(fault => blocking.has(fault.reason))) return ruleFaults(value, schema, options);
  const text =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return [invalidValue(wholeObject, null, text)];
}
