/**
 * The rules of a schema (x-kubernetes-validations) applied to a value.
 * as apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go
 */
import type { Fault } from '../../../apimachinery/interface.js';
import { child, index, invalidValue, key, wholeObject } from '../../../apimachinery/errors/faults.js';
import { isMap } from '../../../lib/json/is-map.js';
import type { Maybe } from '../../../lib/maybe.js';
import { atOnce, type InSteps } from '../../../lib/time-slice.js';
import { inTurns } from '../../cel/in-turns.js';
import { Pace } from '../../../lib/cel/pace.js';
import { type Correlation, listMapIndex, listMapKey } from '../../../apimachinery/codec/correlation.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { type Budget, OutOfBudget, Place, type Run } from './cel-place.js';
import { type Validator, type Validators, validators as usedValidators } from './cel-validator.js';
import { type Ratchet, below, belowKey } from './ratchet.js';

/** What all rules of one request may cost. */
export const requestBudget = 10_000_000;

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
  /** Caches the compiled rules. Absent: the cache of the schemas that are in use. */
  readonly validators?: Validators;
  /** The time that the rules have; the caller's own where it evaluates more expressions for one request. */
  readonly pace?: Pace;
}

type Plain = Readonly<Record<string, unknown>>;

/** Yields where others may get their turn. */
type Walk = InSteps<void>;

function* visit(at: Run, path: string, validator: Validator, value: unknown, old: unknown, ratchet: Ratchet): Walk {
  if (value == null) return;
  if (validator.hasRules) yield* new Place(at, path, validator, value, old, ratchet).run();
  // as upstream: allOf does not ratchet by its own place.
  for (const one of validator.allOf) yield* visit(at, path, one, value, old, { around: ratchet.around });
  if (Array.isArray(value)) yield* visitItems(at, path, validator, value as unknown[], old, ratchet);
  else if (isMap(value)) yield* visitFields(at, path, validator, value, isMap(old) ? old : {}, ratchet);
}

function* visitItems(
  at: Run,
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
    yield* visit(
      at,
      index(path, i),
      items,
      item,
      counterpart,
      below(ratchet, from => from.index(i)),
    );
  }
}

function* visitFields(
  at: Run,
  path: string,
  { more, properties }: Validator,
  value: Plain,
  old: Plain,
  ratchet: Ratchet,
): Walk {
  const was = (name: string): unknown => (Object.hasOwn(old, name) ? old[name] : undefined);
  if (more)
    for (const name of Object.keys(value))
      yield* visit(at, key(path, name), more, value[name], was(name), belowKey(ratchet, name));
  if (properties.size === 0) return;
  for (const name of Object.keys(value)) {
    const property = properties.get(name);
    if (property) yield* visit(at, child(path, name), property, value[name], was(name), belowKey(ratchet, name));
  }
}

/**
 * Finds what the rules of a schema have against a value that is valid otherwise. Yields where others may get their turn, which is due when
 * `pace.isTurnOver`.
 */
export function* ruleSteps(
  value: unknown,
  schema: Schema,
  options: RuleOptions & { readonly pace: Pace },
): InSteps<Fault[]> {
  const { root = false, validators = usedValidators } = options;
  const validator = validators.of(schema, root);
  if (!validator) return [];
  const { path = '', old, correlation, budget = { left: requestBudget }, warn, pace } = options;
  const at: Run = { faults: [], budget, warn, pace };
  try {
    yield* visit(at, path, validator, value, old, correlation ? { current: correlation } : {});
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    budget.left = -1;
  }
  return at.faults;
}

/** What the rules of a schema find wrong with a value that is valid otherwise. For small values: others do not get their turn before all is done. */
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
 * The faults of rules for an object in which others were found already: rules are not asked when those are of a kind that expressions
 * could not cope with, which is a fault of its own. A promise where they take so long that others get their turn in between. as customresource strategy.go hasBlockingErr
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
