/** Defaults must be valid, and already pruned. as apiextensions-apiserver/pkg/apiserver/schema/defaulting ValidateDefaults */
import { Strides, type InSteps } from '../../lib/time-slice.js';
import type { Fault, ObjectMeta } from '../../apimachinery/interface.js';
import { append } from '../../lib/collections/append.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
import { child, invalidValue, key } from '../../apimachinery/errors/faults.js';
import { sortKeys } from '../../lib/go/go-text.js';
import { faultsText } from '../../apimachinery/errors/status.js';
import type { Budget } from './expressions/cel-place.js';
import { requestBudget, type RuleOptions, ruleSteps } from './expressions/cel-validate.js';
import { mentionsRules, Validators } from './expressions/cel-validator.js';
import { Pace } from '../../lib/cel/pace.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import { coerceEmbedded, embeddedFaults } from './embedded.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { prune } from './prune.js';
import { type SchemaProps, itemsOf, toSchema } from './schema-props.js';
import { validateValue } from './validate.js';
import { preparePlans } from './validation-plan.js';

export interface DefaultRules {
  /** The schema of meta/v1 ObjectMeta. */
  readonly objectMeta: Schema;
  readonly metadataFaults: (metadata: ObjectMeta, path: string) => Fault[];
  /** Whether defaults may hold fields that pruning would remove: for definitions that were stored when they could. */
  readonly allowUnpruned?: boolean;
}

/** What faults say of a default that pruning would change. */
export const unpruned = 'must not have unknown fields';

/** Builds an object around a default inside of metadata, so that its rules can be asked. */
type Around = (value: unknown) => Record<string, unknown>;

const wholeObject: Around = value => ({ apiVersion: 'validation/v1', kind: 'Validation', ...(value as object) });

/** To be called once for all defaults in an object: caches are keyed by schema. */
const asEmbedded = (schema: Schema): Schema => ({ ...schema, 'x-kubernetes-embedded-resource': true });

function metadataDefaultFaults(
  value: unknown,
  path: string,
  embedded: Schema,
  around: Around,
  rules: DefaultRules,
): Fault[] {
  const object = around(cloneJson(value));
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

interface Place {
  readonly path: string;
  /** The schema of the object that the place lies in. */
  readonly root: Schema;
  /** The schema of the object, marked as an embedded resource. */
  readonly embedded: Schema;
  readonly around: Around;
  readonly insideMetadata: boolean;
  /** What the rules of all defaults may cost. */
  readonly budget: Budget;
}

/**
 * Judges a default by the rules of its schema, in steps: it must be valid both where it is new and where it was there before. They have the
 * time of an object's rules, with turns for others in between.
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

function* validDefaultFaults(value: unknown, schema: Schema, path: string, place: Place): InSteps<readonly Fault[]> {
  yield* preparePlans(schema);
  const faults = validateValue(value, schema, { path });
  const { budget } = place;
  if (faults.length > 0 || budget.left < 0 || !mentionsRules(schema)) return faults;
  // Defaults are judged once: nothing is kept of their rules.
  const options = { path, root: schema === place.root, validators: new Validators() };
  const before = { left: budget.left };
  yield undefined;
  const kept = yield* defaultRuleFaults(value, schema, { ...options, budget, old: value });
  if (kept.length > 0) return kept;
  const fresh = yield* defaultRuleFaults(value, schema, { ...options, budget: before });
  budget.left = Math.min(budget.left, before.left);
  return fresh;
}

/** Judges the default of one schema. */
function* ownFaults(value: unknown, schema: Schema, here: Place, walk: Walk): InSteps<void> {
  const { rules, faults } = walk;
  const at = child(here.path, 'default');
  const found = here.insideMetadata
    ? metadataDefaultFaults(value, at, here.embedded, here.around, rules)
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

function* visit(props: SchemaProps | undefined, place: Place, walk: Walk): InSteps<void> {
  if (!props) return;
  if (walk.strides.isOver) yield undefined;
  const schema = toSchema(props);
  const isEmbedded = props['x-kubernetes-embedded-resource'] === true;
  const here: Place = isEmbedded
    ? { ...place, root: schema, embedded: asEmbedded(schema), around: wholeObject, insideMetadata: false }
    : place;
  if (props.default != null) yield* ownFaults(props.default, schema, here, walk);
  const items = itemsOf(props);
  if (items) {
    const around = (v: unknown): Record<string, unknown> => here.around([v]);
    yield* visit(items, { ...here, path: child(place.path, 'items'), around }, walk);
  }
  const { properties } = props;
  if (!properties) return;
  const at = child(place.path, 'properties');
  for (const name of Object.keys(properties)) {
    const within: Place = {
      ...here,
      path: key(at, name),
      around: v => here.around({ [name]: v }),
      insideMetadata: here.insideMetadata || (isEmbedded && metaFields.has(name)),
    };
    yield* visit(properties[name], within, walk);
  }
}

/** Finds what is wrong with the defaults of a structural schema, in steps. */
export function* defaultFaults(props: SchemaProps, path: string, rules: DefaultRules): InSteps<Fault[]> {
  const root: SchemaProps = { ...props, 'x-kubernetes-embedded-resource': true };
  const schema = toSchema(root);
  const walk: Walk = { rules, faults: [], strides: new Strides() };
  const budget = { left: requestBudget };
  const place = { path, root: schema, embedded: schema, around: wholeObject, insideMetadata: false, budget };
  yield* visit(root, place, walk);
  return walk.faults;
}
