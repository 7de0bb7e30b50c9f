/**
 * Evaluates the rules of a schema (x-kubernetes-validations) for a value.
 * as apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go
 */
import type { Fault } from '../../../apimachinery/interface.js';
import { child, index, invalidValue, key, wholeObject } from '../../../apimachinery/errors/faults.js';
import { isMap } from '../../../lib/json/is-map.js';
import type { Maybe } from '../../../lib/maybe.js';
import { atOnce, type InSteps } from '../../../lib/time-slice.js';
import { inTurns } from '../../cel/in-turns.js';
import { Pace } from '../../../lib/cel/interpreter/pace.js';
import { type Correlation, listMapIndex, listMapKey } from '../../../apimachinery/codec/correlation.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { type RuleBudget, OutOfBudget, RuleRunner, type RuleRun } from './cel-rule-runner.js';
import { type Validator, type Validators, validators as usedValidators } from './cel-validator.js';
import { type Ratchet, below, belowKey } from './ratchet.js';

/** Maximum cost of all rules of one request. */
export const requestRuleBudget = 10_000_000;

export interface RuleOptions {
  /** Path of the value, the prefix of all paths. */
  readonly path?: string;
  /** The old value. */
  readonly old?: unknown;
  /** The correlation with the old value. Faults of unchanged values become warnings. */
  readonly correlation?: Correlation;
  /** The value is a resource, whose kind, apiVersion and name are accessible to rules. */
  readonly root?: boolean;
  /** Remaining cost, from which each evaluation is subtracted. */
  readonly budget?: RuleBudget;
  readonly warn?: (text: string) => void;
  /** Cache of compiled rules; absent for the one of the schemas in use. */
  readonly validators?: Validators;
  /** Time limits of the rules. A caller that evaluates more expressions for the request passes its own. */
  readonly pace?: Pace;
}

type Plain = Readonly<Record<string, unknown>>;

/** Yields when the turn of the event loop may end. */
type Walk = InSteps<void>;

/** One walk over a value and its validator. */
class RuleWalk {
  private readonly run: RuleRun;

  constructor(run: RuleRun) {
    this.run = run;
  }

  *visit(path: string, validator: Validator, value: unknown, old: unknown, ratchet: Ratchet): Walk {
    if (value == null) return;
    if (validator.hasRules) yield* new RuleRunner(this.run, path, validator, { value, old, ratchet }).run();
    // As upstream, the rules in allOf do not use the correlation of the value itself.
    for (const one of validator.allOf) yield* this.visit(path, one, value, old, { enclosing: ratchet.enclosing });
    if (Array.isArray(value)) yield* this.visitItems(path, validator, value as unknown[], old, ratchet);
    else if (isMap(value)) yield* this.visitFields(path, validator, value, isMap(old) ? old : {}, ratchet);
  }

  private *visitItems(
    path: string,
    { items, schema }: Validator,
    value: readonly unknown[],
    old: unknown,
    ratchet: Ratchet,
  ): Walk {
    if (!items) return;
    const keys = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
    const before = keys.length > 0 && Array.isArray(old) ? listMapIndex(old, keys) : undefined;
    for (const [i, item] of value.entries()) {
      const id = before && listMapKey(item, keys);
      const counterpart = id === undefined ? undefined : before?.get(id);
      yield* this.visit(
        index(path, i),
        items,
        item,
        counterpart,
        below(ratchet, from => from.index(i)),
      );
    }
  }

  private *visitFields(
    path: string,
    { more, properties }: Validator,
    value: Plain,
    old: Plain,
    ratchet: Ratchet,
  ): Walk {
    const oldValue = (name: string): unknown => (Object.hasOwn(old, name) ? old[name] : undefined);
    if (more)
      for (const name of Object.keys(value))
        yield* this.visit(key(path, name), more, value[name], oldValue(name), belowKey(ratchet, name));
    if (properties.size === 0) return;
    for (const name of Object.keys(value)) {
      const property = properties.get(name);
      if (property)
        yield* this.visit(child(path, name), property, value[name], oldValue(name), belowKey(ratchet, name));
    }
  }
}

/**
 * Evaluates the rules of a schema for a value that is valid otherwise, and returns the faults. Yields often; the caller must end the turn of
 * the event loop if `pace.isTurnOver`.
 */
export function* ruleSteps(
  value: unknown,
  schema: Schema,
  options: RuleOptions & { readonly pace: Pace },
): InSteps<Fault[]> {
  const { root = false, validators = usedValidators } = options;
  const validator = validators.of(schema, root);
  if (!validator) return [];
  const { path = '', old, correlation, budget = { left: requestRuleBudget }, warn, pace } = options;
  const run: RuleRun = { faults: [], budget, warn, pace };
  try {
    yield* new RuleWalk(run).visit(path, validator, value, old, correlation ? { current: correlation } : {});
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    budget.left = -1;
  }
  return run.faults;
}

/** Returns the faults of the rules for a value that is valid otherwise. For small values, since it blocks the event loop until the end. */
export const ruleFaults = (value: unknown, schema: Schema, options: RuleOptions = {}): Fault[] =>
  atOnce(ruleSteps(value, schema, { ...options, pace: new Pace({ turn: Infinity }) }));

const blocking: ReadonlySet<Fault['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/**
 * Returns the faults of the rules for an object whose other faults are `found`; if these prevent the evaluation, one fault with this reason.
 * Returns a promise if the rules take more than one turn of the event loop. as customresource strategy.go hasBlockingErr
 */
export function furtherRuleFaults(
  found: readonly Fault[],
  value: unknown,
  schema: Schema,
  options: RuleOptions,
): Maybe<Fault[]> {
  const { root = false, validators = usedValidators } = options;
  if (!validators.of(schema, root)) return [];
  if (!found.some(fault => blocking.has(fault.reason))) {
    const { pace = new Pace() } = options;
    return inTurns(ruleSteps(value, schema, { ...options, pace }), pace);
  }
  const text =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return [invalidValue(wholeObject, null, text)];
}
