/** Structural defaulting: the defaults of a schema put into an object. as apiextensions-apiserver/pkg/apiserver/schema/defaulting */
import { cloneJson, setKey } from '../meta/clone.js';
import type { Schema } from './interface.js';

type Plain = Record<string, unknown>;

/** What a schema asks of the objects it describes, found once. */
interface Plan {
  /** Properties with a default. */
  readonly own: readonly (readonly [name: string, schema: Schema])[];
  /** Whether anything at or below has a default. */
  readonly any: boolean;
  /** Properties below which something has a default, once somebody asked. */
  inner?: ReadonlyMap<string, Schema>;
}

const plans = new WeakMap<Schema, Plan>();
const nothing: Plan = Object.freeze({ own: [], any: false });

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
  const plan = { own, any };
  plans.set(schema, plan);
  return plan;
}

const wantsDefault = (value: unknown, schema: Schema | undefined): schema is Schema =>
  value === null && schema !== undefined && schema.nullable !== true;

/** Only when all plans are made: types may contain themselves. */
function innerOf(schema: Schema): ReadonlyMap<string, Schema> {
  return new Map(Object.entries(schema.properties ?? {}).filter(([, property]) => planOf(property).any));
}

function defaultObject(object: Plain, schema: Schema, plan: Plan): void {
  for (const [name, property] of plan.own) {
    if (!Object.hasOwn(object, name) || wantsDefault(object[name], property))
      setKey(object, name, cloneJson(property.default));
  }
  const more = subSchema(schema.additionalProperties);
  const inner = (plan.inner ??= innerOf(schema));
  for (const name in object) {
    const property = inner.get(name);
    if (property) applyDefaults(object[name], property);
    else if (more && !(schema.properties && Object.hasOwn(schema.properties, name))) {
      if (wantsDefault(object[name], more)) setKey(object, name, cloneJson(more.default ?? null));
      applyDefaults(object[name], more);
    }
  }
}

/**
 * Puts defaults into a value that the caller owns, in place: for keys that are absent, and for nulls that the schema does not allow.
 * hot: schemas without defaults cost nothing.
 */
export function applyDefaults(value: unknown, schema: Schema): void {
  if (typeof value !== 'object' || value === null) return;
  const plan = planOf(schema);
  if (!plan.any) return;
  if (!Array.isArray(value)) return defaultObject(value as Plain, schema, plan);
  const { items } = schema;
  if (!items) return;
  for (let i = 0; i < value.length; i++) {
    if (wantsDefault(value[i], items)) value[i] = cloneJson(items.default ?? null);
    applyDefaults(value[i], items);
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
