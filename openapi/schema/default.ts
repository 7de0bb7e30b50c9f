/** Applies the defaults of structural schemas. as apiextensions-apiserver/pkg/apiserver/schema/defaulting */
import { cloneJson, setKey } from '../../lib/json/clone.js';
import { maxObjectValues } from '../../apimachinery/meta/values.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { isLeaf } from '../../apimachinery/codec/some-schema.js';

type Plain = Record<string, unknown>;

/** The defaults of a schema, which are collected once. */
interface Plan {
  /** Properties with a default. */
  readonly defaulted: readonly (readonly [name: string, schema: Schema])[];
  /** The size of these defaults. */
  readonly size: Size;
  /** Whether the schema or a schema below has a default. */
  readonly any: boolean;
  /** Properties with a default at or below, computed on first use. */
  inner?: ReadonlyMap<string, Schema>;
}

const plans = new WeakMap<Schema, Plan>();
const zeroSize: Size = Object.freeze({ values: 0, characters: 0 });
const emptyPlan: Plan = Object.freeze({ defaulted: [], size: zeroSize, any: false });

interface Size {
  values: number;
  characters: number;
}

/** The maximum that defaults may add to one object: much more than real ones need, and few enough to be added and encoded in one turn. */
const maxDefaults: Size = Object.freeze({ values: maxObjectValues, characters: 4 * 1024 * 1024 });

/** Minimum number of characters of a value in JSON besides its text. */
const minValueLength = 4;

const lengthOf = ({ values, characters }: Size): number => minValueLength * values + characters;

function addSize(value: unknown, size: Size): void {
  size.values++;
  if (typeof value === 'string') size.characters += value.length;
  else if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) {
      size.characters += name.length;
      addSize(part, size);
    }
}

function sizeOf(values: readonly unknown[]): Size {
  const size = { ...zeroSize };
  for (const value of values) addSize(value, size);
  return size;
}

/** Subtracts a size from the budget. Returns false if the budget is exceeded. */
function take(budget: Size, { values, characters }: Size): boolean {
  budget.values -= values;
  budget.characters -= characters;
  return isWithinBudget(budget);
}

const isWithinBudget = ({ values, characters }: Size): boolean => values >= 0 && characters >= 0;

const subSchema = (value: Schema | boolean | undefined): Schema | undefined =>
  typeof value === 'object' ? value : undefined;

/** Reports whether a schema has a default. A zero value that Go omits on encoding is none. */
const hasDefault = ({ default: value, presence }: Schema): boolean =>
  value != null && (presence !== 'omitempty' || (value !== 0 && value !== '' && value !== false));

/** Returns the plan of a schema. While it is computed, a recursive type has no defaults. */
function planOf(schema: Schema): Plan {
  if (isLeaf(schema)) return emptyPlan;
  const known = plans.get(schema);
  if (known) return known;
  plans.set(schema, emptyPlan);
  const defaulted: [string, Schema][] = [];
  const below = [subSchema(schema.additionalProperties), schema.items];
  // hot: schemas may have thousands of properties.
  for (const name of Object.keys(schema.properties ?? {})) {
    const property = schema.properties?.[name] as Schema;
    if (hasDefault(property)) defaulted.push([name, property]);
    else if (!isLeaf(property)) below.push(property);
  }
  const any = defaulted.length > 0 || below.some(s => s !== undefined && (hasDefault(s) || planOf(s).any));
  const plan = {
    defaulted,
    size: defaulted.length === 0 ? zeroSize : sizeOf(defaulted.map(([, s]) => s.default)),
    any,
  };
  plans.set(schema, plan);
  return plan;
}

const isForbiddenNull = (value: unknown, schema: Schema | undefined): schema is Schema =>
  value === null && schema !== undefined && schema.nullable !== true;

/** Returns the properties with a default at or below. Called after all plans are computed, since types may contain themselves. */
function innerOf(schema: Schema): ReadonlyMap<string, Schema> {
  return new Map(Object.entries(schema.properties ?? {}).filter(([, property]) => planOf(property).any));
}

/** Returns the default of a schema; null if it exceeds the budget. */
function defaultOf({ default: value = null }: Schema, budget: Size): unknown {
  if (typeof value === 'object' && value !== null && !take(budget, sizeOf([value]))) return null;
  return cloneJson(value);
}

function defaultObject(object: Plain, schema: Schema, plan: Plan, budget: Size): void {
  if (plan.defaulted.length > 0 && !take(budget, plan.size)) return;
  for (const [name, property] of plan.defaulted) {
    if (!Object.hasOwn(object, name) || isForbiddenNull(object[name], property))
      setKey(object, name, cloneJson(property.default));
  }
  const more = subSchema(schema.additionalProperties);
  const inner = (plan.inner ??= innerOf(schema));
  for (const name in object) {
    const property = inner.get(name);
    if (!isWithinBudget(budget)) return;
    if (property) fillIn(object[name], property, budget);
    else if (more && !(schema.properties && Object.hasOwn(schema.properties, name))) {
      if (isForbiddenNull(object[name], more)) setKey(object, name, defaultOf(more, budget));
      fillIn(object[name], more, budget);
    }
  }
}

/** Reports whether a schema has a default, at any depth. */
export const hasDefaults = (schema: Schema): boolean => hasDefault(schema) || planOf(schema).any;

/**
 * Applies defaults to a value in place: to absent keys, and to nulls that the schema does not allow. Returns about how many characters of
 * JSON they add; undefined if they exceed the limit, and some are missing: a short schema and a short object can require gigabytes.
 * hot: schemas without defaults return at once.
 */
export function applyDefaults(value: unknown, schema: Schema): number | undefined {
  if (typeof value !== 'object' || value === null || !planOf(schema).any) return 0;
  const budget = { ...maxDefaults };
  fillIn(value, schema, budget);
  return isWithinBudget(budget) ? lengthOf(maxDefaults) - lengthOf(budget) : undefined;
}

function fillIn(value: unknown, schema: Schema, budget: Size): void {
  if (typeof value !== 'object' || value === null) return;
  const plan = planOf(schema);
  if (!plan.any) return;
  if (!Array.isArray(value)) return defaultObject(value as Plain, schema, plan, budget);
  const { items } = schema;
  if (!items) return;
  for (let i = 0; i < value.length && isWithinBudget(budget); i++) {
    if (isForbiddenNull(value[i], items)) value[i] = defaultOf(items, budget);
    fillIn(value[i], items, budget);
  }
}

/**
 * Removes nulls that the schema neither allows nor replaces by a default, in place.
 * as defaulting/prunenulls.go PruneNonNullableNullsWithoutDefaults
 */
export function dropNulls(value: unknown, schema: Schema | undefined): void {
  if (typeof value !== 'object' || value === null || !schema) return;
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item, schema.items);
    return;
  }
  const object = value as Plain;
  for (const name of Object.keys(object)) {
    const known = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
    const property = known ? schema.properties[name] : subSchema(schema.additionalProperties);
    if (isForbiddenNull(object[name], property) && property.default == null) delete object[name];
    else dropNulls(object[name], property);
  }
}
