/** Structural defaulting: the defaults of a schema put into an object. as apiextensions-apiserver/pkg/apiserver/schema/defaulting */
import { cloneJson, setKey } from '../../lib/json/clone.js';
import { maxValues } from '../../apimachinery/meta/values.js';
import type { Schema } from '../../apimachinery/codec/interface.js';

type Plain = Record<string, unknown>;

/** What a schema asks of the objects it describes, found once. */
interface Plan {
  /** Properties with a default. */
  readonly own: readonly (readonly [name: string, schema: Schema])[];
  /** What these defaults need. */
  readonly size: Size;
  /** Whether anything at or below has a default. */
  readonly any: boolean;
  /** Properties below which something has a default, once somebody asked. */
  inner?: ReadonlyMap<string, Schema>;
}

const plans = new WeakMap<Schema, Plan>();
const noSize: Size = Object.freeze({ values: 0, characters: 0 });
const nothing: Plan = Object.freeze({ own: [], size: noSize, any: false });

interface Size {
  values: number;
  characters: number;
}

/** What defaults may add to one object: much more than any real one has, and little enough to be added and written at once. */
const roomForDefaults: Size = Object.freeze({ values: maxValues, characters: 4 * 1024 * 1024 });

/** The least number of characters that a value takes in JSON besides its text. */
const leastOfValue = 4;

const lengthOf = ({ values, characters }: Size): number => leastOfValue * values + characters;

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
  const size = { ...noSize };
  for (const value of values) addSize(value, size);
  return size;
}

/** Takes from the room; false when there is too little left. */
function take(room: Size, { values, characters }: Size): boolean {
  room.values -= values;
  room.characters -= characters;
  return isLeft(room);
}

const isLeft = ({ values, characters }: Size): boolean => values >= 0 && characters >= 0;

const subSchema = (value: Schema | boolean | undefined): Schema | undefined =>
  typeof value === 'object' ? value : undefined;

/** Zero values that Go leaves out again are no defaults. */
const hasDefault = ({ default: value, presence }: Schema): boolean =>
  value != null && (presence !== 'omitempty' || (value !== 0 && value !== '' && value !== false));

/** A schema of a type that contains itself counts as without defaults while it is looked at. */
function planOf(schema: Schema): Plan {
  const known = plans.get(schema);
  if (known) return known;
  plans.set(schema, nothing);
  const properties = Object.entries(schema.properties ?? {});
  const own = properties.filter(([, s]) => hasDefault(s));
  const below = [...properties.map(([, s]) => s), subSchema(schema.additionalProperties), schema.items];
  const any = own.length > 0 || below.some(s => s !== undefined && (hasDefault(s) || planOf(s).any));
  const plan = { own, size: own.length === 0 ? noSize : sizeOf(own.map(([, s]) => s.default)), any };
  plans.set(schema, plan);
  return plan;
}

const wantsDefault = (value: unknown, schema: Schema | undefined): schema is Schema =>
  value === null && schema !== undefined && schema.nullable !== true;

/** Only when all plans are made: types may contain themselves. */
function innerOf(schema: Schema): ReadonlyMap<string, Schema> {
  return new Map(Object.entries(schema.properties ?? {}).filter(([, property]) => planOf(property).any));
}

/** The default of a schema, as long as there is room for it. */
function defaultOf({ default: value = null }: Schema, room: Size): unknown {
  if (typeof value === 'object' && value !== null && !take(room, sizeOf([value]))) return null;
  return cloneJson(value);
}

function defaultObject(object: Plain, schema: Schema, plan: Plan, room: Size): void {
  if (plan.own.length > 0 && !take(room, plan.size)) return;
  for (const [name, property] of plan.own) {
    if (!Object.hasOwn(object, name) || wantsDefault(object[name], property))
      setKey(object, name, cloneJson(property.default));
  }
  const more = subSchema(schema.additionalProperties);
  const inner = (plan.inner ??= innerOf(schema));
  for (const name in object) {
    const property = inner.get(name);
    if (!isLeft(room)) return;
    if (property) fillIn(object[name], property, room);
    else if (more && !(schema.properties && Object.hasOwn(schema.properties, name))) {
      if (wantsDefault(object[name], more)) setKey(object, name, defaultOf(more, room));
      fillIn(object[name], more, room);
    }
  }
}

/**
 * Puts defaults into a value that the caller owns, in place: for keys that are absent, and for nulls that the schema does not allow. Returns how
 * many characters of JSON they add, about; undefined when they were too many or too long, and some are missing: a short schema and a short object
 * can ask for gigabytes.
 * hot: schemas without defaults cost nothing.
 */
export function applyDefaults(value: unknown, schema: Schema): number | undefined {
  if (typeof value !== 'object' || value === null || !planOf(schema).any) return 0;
  const room = { ...roomForDefaults };
  fillIn(value, schema, room);
  return isLeft(room) ? lengthOf(roomForDefaults) - lengthOf(room) : undefined;
}

function fillIn(value: unknown, schema: Schema, room: Size): void {
  if (typeof value !== 'object' || value === null) return;
  const plan = planOf(schema);
  if (!plan.any) return;
  if (!Array.isArray(value)) return defaultObject(value as Plain, schema, plan, room);
  const { items } = schema;
  if (!items) return;
  for (let i = 0; i < value.length && isLeft(room); i++) {
    if (wantsDefault(value[i], items)) value[i] = defaultOf(items, room);
    fillIn(value[i], items, room);
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
    if (wantsDefault(object[name], property) && property.default == null) delete object[name];
    else dropNulls(object[name], property);
  }
}
