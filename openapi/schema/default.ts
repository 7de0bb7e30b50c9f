/** Applies the defaults of structural schemas. as apiextensions-apiserver/pkg/apiserver/schema/defaulting */
import { cloneJson, setKey } from '../../lib/json/clone.js';
import { LargeValues } from '../../lib/json/large-values.js';
import { type InSteps, Strides } from '../../lib/time-slice.js';
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

/** Sets the defaults of the properties of an object. Returns false if they exceed the budget, and are not set. */
function setDefaults(object: Plain, plan: Plan, budget: Size): boolean {
  if (plan.defaulted.length > 0 && !take(budget, plan.size)) return false;
  for (const [name, property] of plan.defaulted) {
    if (!Object.hasOwn(object, name) || isForbiddenNull(object[name], property))
      setKey(object, name, cloneJson(property.default));
  }
  return true;
}

/** Returns the schema of a member whose inner defaults are to be applied, after a null that it does not allow was replaced. */
function schemaToFill(object: Plain, name: string, schema: Schema, plan: Plan, budget: Size): Schema | undefined {
  const property = (plan.inner ??= innerOf(schema)).get(name);
  if (property) return property;
  const more = subSchema(schema.additionalProperties);
  if (!more || (schema.properties && Object.hasOwn(schema.properties, name))) return undefined;
  if (isForbiddenNull(object[name], more)) setKey(object, name, defaultOf(more, budget));
  return more;
}

function defaultObject(object: Plain, schema: Schema, plan: Plan, budget: Size): void {
  if (!setDefaults(object, plan, budget)) return;
  for (const name in object) {
    if (!isWithinBudget(budget)) return;
    const inner = schemaToFill(object, name, schema, plan, budget);
    if (inner) fillIn(object[name], inner, budget);
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

/**
 * As `applyDefaults`, in steps, for values that may be large. The first step does nothing: other work may have used up this turn. Small parts are
 * filled at once, by a walk of its own: an object of 2 KiB took 8 times as long in steps.
 */
export function* applyDefaultsSteps(value: unknown, schema: Schema): InSteps<number | undefined> {
  if (typeof value !== 'object' || value === null || !planOf(schema).any) return 0;
  if ((yield) === true) return applyDefaults(value, schema);
  const budget = { ...maxDefaults };
  yield* fillInSteps(value, schema, budget, new LargeValues(maxValuesPerStep));
  return isWithinBudget(budget) ? lengthOf(maxDefaults) - lengthOf(budget) : undefined;
}

/** Values to which defaults are applied in one step, which takes less than a millisecond. */
const maxValuesPerStep = 1000;

function* fillInSteps(value: unknown, schema: Schema, budget: Size, large: LargeValues): InSteps<void> {
  if (typeof value !== 'object' || value === null || !planOf(schema).any) return;
  if (!large.isLarge(value)) return fillIn(value, schema, budget);
  yield;
  yield* Array.isArray(value)
    ? fillItemsSteps(value, schema, budget, large)
    : fillMembersSteps(value as Plain, schema, budget, large);
}

function* fillItemsSteps(list: unknown[], { items }: Schema, budget: Size, large: LargeValues): InSteps<void> {
  if (!items) return;
  const strides = new Strides();
  for (let i = 0; i < list.length && isWithinBudget(budget); i++) {
    if (isForbiddenNull(list[i], items)) list[i] = defaultOf(items, budget);
    if (typeof list[i] === 'object') yield* fillInSteps(list[i], items, budget, large);
    if (strides.isOver) yield;
  }
}

function* fillMembersSteps(object: Plain, schema: Schema, budget: Size, large: LargeValues): InSteps<void> {
  const plan = planOf(schema);
  if (!setDefaults(object, plan, budget)) return;
  const strides = new Strides();
  for (const name of Object.keys(object)) {
    if (!isWithinBudget(budget)) return;
    const inner = schemaToFill(object, name, schema, plan, budget);
    if (inner && typeof object[name] === 'object') yield* fillInSteps(object[name], inner, budget, large);
    if (strides.isOver) yield;
  }
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

type DropNulls = (value: unknown, schema: Schema | undefined) => void;

/** Removes the nulls among some members of an object, and calls `drop` for the others. */
function dropFrom(object: Plain, names: readonly string[], schema: Schema, drop: DropNulls): void {
  for (const name of names) {
    const known = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
    const property = known ? schema.properties[name] : subSchema(schema.additionalProperties);
    if (isForbiddenNull(object[name], property) && property.default == null) delete object[name];
    else drop(object[name], property);
  }
}

/**
 * Removes nulls that the schema neither allows nor replaces by a default, in place.
 * as defaulting/prunenulls.go PruneNonNullableNullsWithoutDefaults
 */
export function dropNulls(value: unknown, schema: Schema | undefined): void {
  if (typeof value !== 'object' || value === null || !schema) return;
  if (Array.isArray(value)) for (const item of value) dropNulls(item, schema.items);
  else dropFrom(value as Plain, Object.keys(value), schema, dropNulls);
}

/** Members or items of a large value that are visited in one step. */
const stride = 32;

/**
 * As `dropNulls`, in steps, for values that may be large. The walk is that of `dropNulls`, but an object of 2 KiB took 1.6 times as long: its size is
 * counted first.
 */
export function* dropNullsSteps(whole: unknown, of: Schema | undefined): InSteps<void> {
  const large = new LargeValues(maxValuesPerStep);
  const pending: { readonly value: object; readonly schema: Schema }[] = [];
  const drop: DropNulls = (value, schema) => {
    if (typeof value !== 'object' || value === null || !schema) return;
    if (large.isLarge(value)) pending.push({ value, schema });
    else dropNulls(value, schema);
  };
  drop(whole, of);
  for (let next = pending.pop(); next; next = pending.pop()) {
    yield;
    const { value, schema } = next;
    const names = Array.isArray(value) ? undefined : large.keysOf(value as Plain);
    const length = names?.length ?? (value as readonly unknown[]).length;
    for (let from = 0; from < length; from += stride) {
      if (names) dropFrom(value as Plain, names.slice(from, from + stride), schema, drop);
      else for (const item of (value as readonly unknown[]).slice(from, from + stride)) drop(item, schema.items);
      yield;
    }
  }
}
