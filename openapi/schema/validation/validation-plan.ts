/** Schemas prepared for validation. */
import { Strides, type InSteps } from '../../../lib/time-slice.js';
import { type GoRegexp, goRegexp } from '../../../lib/regexp/go-regexp.js';
import { goJson, sortKeys } from '../../../lib/go/go-text.js';
import { effectiveFormat, formatCheck } from '../../formats.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';

export interface Plan {
  readonly types: readonly string[];
  readonly format: string;
  readonly formatCheck: ReturnType<typeof formatCheck>;
  readonly junctors: boolean;
  readonly enum: Enum | undefined;
  /** The type if values are scalars that `quickScore` can check; otherwise undefined. */
  readonly plain: 'string' | 'integer' | 'number' | 'boolean' | undefined;
  readonly regexp: GoRegexp | undefined;
}

/** The values of an enum, in sets, so that large enums are not searched for each value. */
export interface Enum {
  readonly scalars: ReadonlySet<unknown>;
  /** Lists and objects, as JSON. */
  readonly others: ReadonlySet<string>;
  /** The values in the form of faults. */
  readonly texts: readonly string[];
  readonly list: string;
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
const jsonOf = (value: unknown): string => goJson(sortKeys(value));

function enumOf(allowed: readonly unknown[]): Enum {
  const texts = allowed.map(one => (typeof one === 'string' ? one : jsonOf(one)));
  return {
    scalars: new Set(allowed.filter(isScalar)),
    others: new Set(allowed.filter(value => !isScalar(value)).map(jsonOf)),
    texts,
    list: `[${texts.join(' ')}]`,
  };
}

const plainTypes: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean']);

function plainType(schema: Schema, types: readonly string[], format: string, junctors: boolean): Plan['plain'] {
  const [type = ''] = types;
  if (types.length !== 1 || !plainTypes.has(type) || format !== '' || junctors) return undefined;
  const bounded = schema.minimum !== undefined || schema.maximum !== undefined || schema.multipleOf !== undefined;
  return bounded ? undefined : (type as Plan['plain']);
}

const plans = new WeakMap<Schema, Plan>();

/** Shared plans of schemas with only a type: most schemas are such, and a definition may have tens of thousands. */
const typePlans = new Map<string, Plan>();

/** Returns the shared plan if the schema has only a type, otherwise the given one. */
function shared(plan: Plan): Plan {
  const [type = ''] = plan.types;
  if (plan.types.length > 1 || plan.format !== '' || plan.junctors || plan.enum || plan.regexp) return plan;
  const id = plan.plain ?? `not plain: ${type}`;
  const known = typePlans.get(id) ?? plan;
  typePlans.set(id, known);
  return known;
}

/** Returns the plan of a schema, which is made once. */
export function planOf(schema: Schema): Plan {
  let plan = plans.get(schema);
  if (plan) return plan;
  const types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const format = effectiveFormat(types.length === 1 ? types[0] : undefined, schema.format);
  const junctors = Boolean(schema.allOf ?? schema.anyOf ?? schema.oneOf ?? schema.not);
  const regexp = schema.pattern ? goRegexp(schema.pattern) : undefined;
  const isBroken = regexp !== undefined && 'error' in regexp;
  plan = shared({
    types,
    format,
    formatCheck: format === '' ? undefined : formatCheck(format),
    junctors,
    enum: schema.enum?.length ? enumOf(schema.enum) : undefined,
    plain: isBroken ? undefined : plainType(schema, types, format, junctors),
    regexp: isBroken ? undefined : regexp,
  });
  plans.set(schema, plan);
  return plan;
}

/** Yields the schemas directly below one. */
function* schemasOf({ properties, additionalProperties: more, items, ...others }: Schema): Generator<Schema, void> {
  if (properties) yield* Object.values(properties);
  if (typeof more === 'object') yield more;
  if (items) yield items;
  for (const each of [others.allOf, others.anyOf, others.oneOf]) if (each) yield* each;
  if (others.not) yield others.not;
}

/** Schemas whose plans, including those of all schemas below, are made. */
const prepared = new WeakSet<Schema>();

/**
 * Makes the plans of a schema and of all schemas below, in steps, once. Otherwise the first validation would compile all patterns of the
 * schema, which may be thousands.
 */
export function* preparePlans(schema: Schema): InSteps<void> {
  if (prepared.has(schema)) return;
  const strides = new Strides();
  const seen = new Set<Schema>();
  function* prepare(one: Schema): InSteps<void> {
    if (prepared.has(one) || seen.has(one)) return;
    seen.add(one);
    planOf(one).regexp?.prepare();
    if (strides.isOver || one.pattern !== undefined || one.enum !== undefined) yield undefined;
    for (const below of schemasOf(one)) yield* prepare(below);
  }
  yield* prepare(schema);
  // Set at the end, since another request may prepare the same schema concurrently.
  for (const one of seen) prepared.add(one);
}

/** Drops the plans of a schema and of all schemas below, since compiled patterns take much memory. They are made again on demand. */
export function forgetPlans(schema: Schema): void {
  if (!plans.delete(schema)) return;
  prepared.delete(schema);
  for (const below of schemasOf(schema)) forgetPlans(below);
}

/** Returns the JSON of lists and objects with sorted fields. */
interface Texts {
  textOf(value: object): string;
}

/** Reports whether a value is in an enum. */
export function isAmong(value: unknown, { scalars, others }: Enum, texts: Texts): boolean {
  if (scalars.has(value)) return true;
  if (typeof value === 'object' && value !== null) return others.size > 0 && others.has(texts.textOf(value));
  // The enum may have the same number as the other type, number or bigint.
  if (typeof value === 'bigint') return BigInt(Number(value)) === value && scalars.has(Number(value));
  return Number.isInteger(value) && scalars.has(BigInt(value as number));
}
