/** What a schema asks of values, in the form in which validation asks it. */
import { Strides, type InSteps } from '../../lib/time-slice.js';
import { type GoRegexp, goRegexp } from '../../lib/regexp/go-regexp.js';
import { goJson, sortKeys } from '../../lib/go/go-text.js';
import { effectiveFormat, formatCheck } from '../formats.js';
import type { Schema } from '../../apimachinery/codec/interface.js';

export interface Plan {
  readonly types: readonly string[];
  readonly format: string;
  readonly formatCheck: ((text: string) => boolean) | undefined;
  readonly junctors: boolean;
  readonly more: Schema | undefined;
  readonly enum: Enum | undefined;
  /** The type of the scalars that can be found right without further ado. */
  readonly plain: 'string' | 'integer' | 'number' | 'boolean' | undefined;
  readonly regexp: GoRegexp | undefined;
}

/** The values of an enum: large ones are not gone through for each value that is checked. */
export interface Enum {
  readonly scalars: ReadonlySet<unknown>;
  /** Lists and objects, as JSON. */
  readonly others: ReadonlySet<string>;
  /** As faults name them. */
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

/** Made once per schema. */
export function planOf(schema: Schema): Plan {
  let plan = plans.get(schema);
  if (plan) return plan;
  const types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const format = effectiveFormat(types.length === 1 ? types[0] : undefined, schema.format);
  const junctors = Boolean(schema.allOf ?? schema.anyOf ?? schema.oneOf ?? schema.not);
  const regexp = schema.pattern ? goRegexp(schema.pattern) : undefined;
  const isBroken = regexp !== undefined && 'error' in regexp;
  plan = {
    types,
    format,
    formatCheck: format === '' ? undefined : formatCheck(format),
    junctors,
    more: typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined,
    enum: schema.enum?.length ? enumOf(schema.enum) : undefined,
    plain: isBroken ? undefined : plainType(schema, types, format, junctors),
    regexp: isBroken ? undefined : regexp,
  };
  plans.set(schema, plan);
  return plan;
}

const prepared = new WeakSet<Schema>();

/** The schemas that a value, or something in it, is held against. */
function* schemasOf({ properties, additionalProperties: more, items, ...rest }: Schema): Generator<Schema, void> {
  if (properties) yield* Object.values(properties);
  if (typeof more === 'object') yield more;
  if (items) yield items;
  for (const each of [rest.allOf, rest.anyOf, rest.oneOf]) if (each) yield* each;
  if (rest.not) yield rest.not;
}

/**
 * Makes the plans of a schema and of all below it, in steps, once: a schema may have thousands of patterns, which would all be compiled
 * while one value is validated.
 */
export function* preparePlans(schema: Schema, strides = new Strides()): InSteps<void> {
  if (prepared.has(schema)) return;
  prepared.add(schema);
  planOf(schema);
  if (strides.isOver || schema.pattern !== undefined || schema.enum !== undefined) yield undefined;
  for (const below of schemasOf(schema)) yield* preparePlans(below, strides);
}

/** Is a value one of those of an enum? */
export function isAmong(value: unknown, { scalars, others }: Enum): boolean {
  if (scalars.has(value)) return true;
  if (!isScalar(value)) return others.size > 0 && others.has(jsonOf(value));
  // The same number in its other form.
  if (typeof value === 'bigint') return BigInt(Number(value)) === value && scalars.has(Number(value));
  return Number.isInteger(value) && scalars.has(BigInt(value as number));
}
