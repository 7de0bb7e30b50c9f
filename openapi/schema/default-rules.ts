/** Validates defaults, which must be valid and pruned. as apiextensions-apiserver/pkg/apiserver/schema/defaulting ValidateDefaults */
import { Strides, type InSteps } from '../../lib/time-slice.js';
import type { Fault, ObjectMeta } from '../../apimachinery/interface.js';
import { append } from '../../lib/collections/append.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
import { child, invalidValue, key } from '../../apimachinery/errors/faults.js';
import { sortKeys } from '../../lib/go/go-text.js';
import { faultsText } from '../../apimachinery/errors/status.js';
import type { RuleBudget } from './expressions/cel-rule-runner.js';
import { requestRuleBudget, type RuleOptions, ruleSteps } from './expressions/cel-validate.js';
import { mentionsRules, Validators } from './expressions/cel-validator.js';
import { Pace } from '../../lib/cel/interpreter/pace.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import { coerceEmbedded, embeddedFaults } from './embedded.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { prune } from './prune.js';
import { type SchemaProps, itemSchemaOf, toSchema } from './schema-props.js';
import { validateValue } from './validation/validate.js';
import { preparePlans } from './validation/validation-plan.js';

export interface DefaultRules {
  /** The schema of meta/v1 ObjectMeta. */
  readonly objectMeta: Schema;
  readonly metadataFaults: (metadata: ObjectMeta, path: string) => Fault[];
  /** Allows fields that pruning would remove, as stored definitions have had. */
  readonly allowUnpruned?: boolean;
}

/** The message for a default that pruning would change. */
export const unpruned = 'must not have unknown fields';

/** Builds an object around a default inside of metadata, so that the rules of metadata can check it. */
type Enclose = (value: unknown) => Record<string, unknown>;

const wholeObject: Enclose = value => ({ apiVersion: 'validation/v1', kind: 'Validation', ...(value as object) });

/** Returns the schema, marked as an embedded resource. To be called once for all defaults in an object, since caches are keyed by schema. */
const asEmbedded = (schema: Schema): Schema => ({ ...schema, 'x-kubernetes-embedded-resource': true });

function metadataDefaultFaults(
  value: unknown,
  path: string,
  embedded: Schema,
  enclose: Enclose,
  rules: DefaultRules,
): Fault[] {
  const object = enclose(cloneJson(value));
  const invalid = (text: string): Fault[] => [
    invalidValue(path, sortKeys(value), `must result in valid metadata: ${text}`),
  ];
  try {
    coerceEmbedded(object, embedded, rules);
  } catch (error) {
    if (error instanceof DecodeError) return invalid(error.message);
    throw error;
  }
  const faults = embeddedFaults(object, embedded, rules.metadataFaults);
  return faults.length > 0 ? invalid(faultsText(faults)) : [];
}

function plainDefaultFaults(value: unknown, path: string, schema: Schema, rules: DefaultRules): Fault[] {
  const faults: Fault[] = [];
  if (!rules.allowUnpruned) {
    const pruned = cloneJson(value);
    prune(pruned, schema, { root: schema['x-kubernetes-embedded-resource'] === true });
    if (!deepEqual(pruned, value)) faults.push(invalidValue(path, sortKeys(value), unpruned));
  }
  try {
    coerceEmbedded(cloneJson(value), schema, rules, path);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return [...faults, error.fault ?? invalidValue(path, sortKeys(value), error.message)];
  }
  return [...faults, ...embeddedFaults(value, schema, rules.metadataFaults, path)];
}

/** The position of a schema. */
interface Position {
  readonly path: string;
  /** The schema of the enclosing object. */
  readonly root: Schema;
  /** The schema of the enclosing object, marked as an embedded resource. */
  readonly embedded: Schema;
  readonly enclose: Enclose;
  readonly insideMetadata: boolean;
  /** Remaining cost for the rules of all defaults. */
  readonly budget: RuleBudget;
}

/**
 * Evaluates the rules of a default's schema, in steps. They have the time limits of the rules of one object, and yield when a turn of the
 * event loop is over.
 */
function* defaultRuleFaults(value: unknown, schema: Schema, options: RuleOptions): InSteps<Fault[]> {
  const pace = new Pace();
  const rules = ruleSteps(value, schema, { ...options, pace });
  for (let next = rules.next(); ; next = rules.next()) {
    if (next.done) return next.value;
    if (!pace.isTurnOver) continue;
    yield undefined;
    pace.beginTurn();
  }
}

function* validDefaultFaults(
  value: unknown,
  schema: Schema,
  path: string,
  position: Position,
): InSteps<readonly Fault[]> {
  yield* preparePlans(schema);
  const faults = validateValue(value, schema, { path });
  const { budget } = position;
  if (faults.length > 0 || budget.left < 0 || !mentionsRules(schema)) return faults;
  // Defaults are validated once, so their compiled rules are not cached.
  const options = { path, root: schema === position.root, validators: new Validators() };
  // The default must be valid both as an unchanged and as a new value.
  const freshBudget = { left: budget.left };
  yield undefined;
  const unchanged = yield* defaultRuleFaults(value, schema, { ...options, budget, old: value });
  if (unchanged.length > 0) return unchanged;
  const fresh = yield* defaultRuleFaults(value, schema, { ...options, budget: freshBudget });
  budget.left = Math.min(budget.left, freshBudget.left);
  return fresh;
}

/** Validates the default of one schema. */
function* checkDefault(value: unknown, schema: Schema, here: Position, walk: Walk): InSteps<void> {
  const { rules, faults } = walk;
  const at = child(here.path, 'default');
  const found = here.insideMetadata
    ? metadataDefaultFaults(value, at, here.embedded, here.enclose, rules)
    : plainDefaultFaults(value, at, schema, rules);
  append(faults, found);
  yield undefined;
  if (found.every(f => f.message.endsWith(unpruned)))
    append(faults, yield* validDefaultFaults(value, schema, at, here));
}

/** The state of one walk over a schema. */
interface Walk {
  readonly rules: DefaultRules;
  readonly faults: Fault[];
  readonly strides: Strides;
}

const metaFields: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind']);

function* visit(props: SchemaProps | undefined, position: Position, walk: Walk): InSteps<void> {
  if (!props) return;
  if (walk.strides.isOver) yield undefined;
  const schema = toSchema(props);
  const isEmbedded = props['x-kubernetes-embedded-resource'] === true;
  const here: Position = isEmbedded
    ? { ...position, root: schema, embedded: asEmbedded(schema), enclose: wholeObject, insideMetadata: false }
    : position;
  if (props.default != null) yield* checkDefault(props.default, schema, here, walk);
  const items = itemSchemaOf(props);
  if (items) {
    const enclose = (v: unknown): Record<string, unknown> => here.enclose([v]);
    yield* visit(items, { ...here, path: child(position.path, 'items'), enclose }, walk);
  }
  const { properties } = props;
  if (!properties) return;
  const at = child(position.path, 'properties');
  for (const name of Object.keys(properties)) {
    const within: Position = {
      ...here,
      path: key(at, name),
      enclose: v => here.enclose({ [name]: v }),
      insideMetadata: here.insideMetadata || (isEmbedded && metaFields.has(name)),
    };
    yield* visit(properties[name], within, walk);
  }
}

/** Validates the defaults of a structural schema, in steps. */
export function* defaultFaults(props: SchemaProps, path: string, rules: DefaultRules): InSteps<Fault[]> {
  const root: SchemaProps = { ...props, 'x-kubernetes-embedded-resource': true };
  const schema = toSchema(root);
  const walk: Walk = { rules, faults: [], strides: new Strides() };
  const budget = { left: requestRuleBudget };
  const position = { path, root: schema, embedded: schema, enclose: wholeObject, insideMetadata: false, budget };
  yield* visit(root, position, walk);
  return walk.faults;
}
