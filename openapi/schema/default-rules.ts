/** Defaults must be valid, and already pruned. as apiextensions-apiserver/pkg/apiserver/schema/defaulting ValidateDefaults */
import type { Fault, ObjectMeta } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
import { child, invalidValue, key } from '../../apimachinery/errors/faults.js';
import { sortKeys } from '../../lib/go/go-text.js';
import { faultsText } from '../../apimachinery/errors/status.js';
import type { Budget } from './expressions/cel-place.js';
import { requestBudget, ruleFaults } from './expressions/cel-validate.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import { coerceEmbedded, embeddedFaults } from './embedded.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { prune } from './prune.js';
import { type SchemaProps, itemsOf, toSchema } from './schema-props.js';
import { validateValue } from './validate.js';

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

const asEmbedded = (schema: Schema): Schema => ({ ...schema, 'x-kubernetes-embedded-resource': true });

function metadataDefaultFaults(
  value: unknown,
  path: string,
  root: Schema,
  around: Around,
  rules: DefaultRules,
): Fault[] {
  const object = around(cloneJson(value));
  const invalid = (text: string): Fault[] => [
    invalidValue(path, sortKeys(value), `must result in valid metadata: ${text}`),
  ];
  try {
    coerceEmbedded(object, asEmbedded(root), rules);
  } catch (error) {
    if (error instanceof DecodeError) return invalid(error.message);
    throw error;
  }
  const faults = embeddedFaults(object, asEmbedded(root), rules.metadataFaults);
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
  readonly around: Around;
  readonly insideMetadata: boolean;
  /** What the rules of all defaults may cost. */
  readonly budget: Budget;
}

/** A default must be valid both where it is new and where it was there before. */
function validDefaultFaults(value: unknown, schema: Schema, path: string, place: Place): Fault[] {
  const faults = validateValue(value, schema, { path });
  if (faults.length > 0 || place.budget.left < 0) return faults;
  const { budget } = place;
  const options = { path, root: schema === place.root };
  const before = { left: budget.left };
  const kept = ruleFaults(value, schema, { ...options, budget, old: value });
  if (kept.length > 0) return kept;
  const fresh = ruleFaults(value, schema, { ...options, budget: before });
  budget.left = Math.min(budget.left, before.left);
  return fresh;
}

function visit(props: SchemaProps | undefined, place: Place, rules: DefaultRules): Fault[] {
  if (!props) return [];
  const schema = toSchema(props);
  const embedded = props['x-kubernetes-embedded-resource'] === true;
  const here: Place = embedded ? { ...place, root: schema, around: wholeObject, insideMetadata: false } : place;
  const faults: Fault[] = [];
  if (props.default != null) {
    const at = child(place.path, 'default');
    let found = here.insideMetadata
      ? metadataDefaultFaults(props.default, at, here.root, here.around, rules)
      : plainDefaultFaults(props.default, at, schema, rules);
    const bad = found.some(f => !f.message.endsWith(unpruned));
    if (!bad) found = [...found, ...validDefaultFaults(props.default, schema, at, here)];
    faults.push(...found);
  }
  const items = { ...here, path: child(place.path, 'items'), around: (v: unknown) => here.around([v]) };
  faults.push(...visit(itemsOf(props), items, rules));
  for (const [name, property] of Object.entries(props.properties ?? {})) {
    const meta = embedded && ['metadata', 'apiVersion', 'kind'].includes(name);
    const within: Place = {
      ...here,
      path: key(child(place.path, 'properties'), name),
      around: v => here.around({ [name]: v }),
      insideMetadata: here.insideMetadata || meta,
    };
    faults.push(...visit(property, within, rules));
  }
  return faults;
}

/** What is wrong with the defaults of a structural schema. */
export function defaultFaults(props: SchemaProps, path: string, rules: DefaultRules): Fault[] {
  const root: SchemaProps = { ...props, 'x-kubernetes-embedded-resource': true };
  const budget = { left: requestBudget };
  return visit(root, { path, root: toSchema(root), around: wholeObject, insideMetadata: false, budget }, rules);
}
