/**
 * A decoded object of a native kind in the form that Go would write: keys in the order of their declaration, maps sorted, zero values by
 * presence, quantities and times canonical, unknown fields left out.
 */
import { setKey } from '../meta/clone.js';
import { formatDuration, readDuration } from '../meta/duration.js';
import { isInt64, isNumeric, jsonText, narrowed } from '../meta/json.js';
import { canonicalQuantity, quantityError } from '../meta/quantity.js';
import { normalizeMicroTime, normalizeTime } from '../meta/time.js';
import { Written } from '../meta/written.js';
import { base64Error, canonicalBase64 } from './base64.js';
import { DecodeError } from './decode-error.js';
import { inspectFields } from './fields.js';
import type { Schema } from './interface.js';
import { isMap } from '../meta/is-map.js';
import { isSorted } from '../meta/is-sorted.js';

type Plain = Record<string, unknown>;

/** Thrown on the fast path, which knows no paths; the slow walk then finds the text of the error. */
const mismatch = new Error('the value does not fit its type');

interface Walk {
  /** Whether fields were met that the type does not know. */
  unknown: boolean;
  /** Lists and maps that hold nothing become none, as in protobuf. */
  readonly bare: boolean;
  /** Parts that are in this form. */
  readonly known: readonly unknown[] | undefined;
  /** What is found to be in this form is handed on, and not copied. */
  readonly given: boolean;
  /** Keys of the map that was read last. */
  size: number;
}

const zeroWalk: Walk = { unknown: false, bare: false, known: undefined, given: false, size: 0 };

/** How values of one place are read and written. */
interface Codec {
  read(value: unknown, walk: Walk): unknown;
  /** What stands there when nothing was said and the field is always written. */
  readonly zero: () => unknown;
  /** What `omitempty` leaves out. */
  empty(written: unknown, walk: Walk): boolean;
}

const never = (): boolean => false;
const isNull = (written: unknown): boolean => written === null;
const fail = (): never => {
  throw mismatch;
};

// --- scalars --------------------------------------------------------------------------------------------------

const string: Codec = {
  read: value => (typeof value === 'string' ? value : value === null ? '' : fail()),
  zero: () => '',
  empty: written => written === '',
};

const boolean: Codec = {
  read: value => (typeof value === 'boolean' ? value : value === null ? false : fail()),
  zero: () => false,
  empty: written => written === false,
};

function integer(limit: number): Codec {
  return {
    read: value => {
      if (value === null) return 0;
      if (typeof value !== 'number') return isInt64(value) && value >= -limit && value < limit ? value : fail();
      if (!Number.isSafeInteger(value) || value < -limit || value >= limit) return fail();
      return value === 0 ? 0 : value;
    },
    zero: () => 0,
    empty: written => written === 0,
  };
}

const int32 = integer(2 ** 31);
const int64 = integer(2 ** 63);

const double: Codec = {
  read: value => {
    if (value === null) return 0;
    return isNumeric(value) && Number.isFinite(Number(value)) ? Number(value) : fail();
  },
  zero: () => 0,
  empty: written => written === 0,
};

const bytes: Codec = {
  read: value => {
    if (value === null) return null;
    if (typeof value !== 'string' || base64Error(value) !== undefined) return fail();
    return canonicalBase64(value);
  },
  zero: () => null,
  empty: written => written === null || written === '',
};

/** A scalar that Go reads from a text, and writes as null when it is zero. */
function fromText(parse: (text: string) => string | null | { readonly error: string }, zero: string | null): Codec {
  return {
    read: value => {
      if (value === null) return zero;
      if (typeof value !== 'string') return fail();
      const found = parse(value);
      return typeof found === 'object' && found !== null ? fail() : found;
    },
    zero: () => zero,
    empty: isNull,
  };
}

function normalizeDuration(text: string): string | { readonly error: string } {
  const found = readDuration(text);
  return typeof found === 'bigint' ? formatDuration(found) : found;
}

const quantity: Codec = {
  read: value => {
    if (value === null) return '0';
    if (typeof value !== 'string' && !isNumeric(value)) return fail();
    return quantityError(String(value)) === undefined ? canonicalQuantity(value) : fail();
  },
  zero: () => '0',
  empty: never,
};

const intOrString: Codec = {
  read: value => (typeof value === 'string' ? value : int32.read(value, zeroWalk)),
  zero: () => 0,
  empty: never,
};

/** Whatever JSON there is, as it is: shared with what was decoded. */
const anything: Codec = { read: value => value, zero: () => null, empty: isNull };

const scalars: Readonly<Record<NonNullable<Schema['scalar']>, Codec>> = {
  quantity,
  time: fromText(normalizeTime, null),
  microTime: fromText(normalizeMicroTime, null),
  duration: fromText(normalizeDuration, '0s'),
  intOrString,
  rawExtension: anything,
  json: { ...anything, read: narrowed },
  fieldsV1: anything,
};

// --- composites -----------------------------------------------------------------------------------------------

function list(items: Codec): Codec {
  return {
    read: (value, walk) => {
      if (value === null) return null;
      if (!Array.isArray(value)) return fail();
      const given: readonly unknown[] = value;
      if (walk.bare && given.length === 0) return null;
      // hot: of a list that was made with its length JSON.stringify looks for each item everywhere
      let out: unknown[] | undefined = walk.given ? undefined : [];
      for (let i = 0; i < given.length; i++) {
        const item = given[i];
        const written = items.read(item, walk);
        if (out === undefined && written !== item) out = given.slice(0, i);
        out?.push(written);
      }
      return out ?? given;
    },
    zero: () => null,
    empty: written => written === null || (written as unknown[]).length === 0,
  };
}

/** The entries before one. */
function entriesBefore(value: Plain, end?: string): Plain {
  const out: Plain = {};
  for (const key in value) {
    if (key === end) break;
    setKey(out, key, value[key]);
  }
  return out;
}

function map(values: Codec): Codec {
  return {
    read: (value, walk) => {
      if (value === null) return null;
      if (!isMap(value)) return fail();
      const keys = Object.keys(value);
      if (walk.bare && keys.length === 0) return null;
      const inOrder = isSorted(keys);
      if (!inOrder) keys.sort();
      let out: Plain | undefined = walk.given && inOrder ? undefined : {};
      for (const key of keys) {
        const written = values.read(value[key], walk);
        if (out === undefined && written !== value[key]) out = entriesBefore(value, key);
        if (out !== undefined) setKey(out, key, written);
      }
      walk.size = keys.length;
      return out ?? value;
    },
    zero: () => null,
    // It was read just now: a map of many keys is not counted again.
    empty: (written, walk) => written === null || walk.size === 0,
  };
}

interface Field {
  readonly name: string;
  readonly codec: Codec;
  readonly presence: 'pointer' | 'omitempty' | 'always' | 'nullable';
}

function absent(field: Field): unknown {
  if (field.presence === 'always') return field.codec.zero();
  return field.presence === 'nullable' ? null : undefined;
}

/** What is written where something was said; undefined for nothing. */
function writtenOf(field: Field, given: unknown, walk: Walk): unknown {
  const { presence, codec } = field;
  const pointer = presence === 'pointer' || presence === 'nullable';
  if (given === null && pointer) return absent(field);
  if (walk.known !== undefined && typeof given === 'object' && walk.known.includes(given)) return given;
  const written = codec.read(given, walk);
  if (presence === 'omitempty') return codec.empty(written, walk) ? undefined : written;
  return pointer && written === null ? absent(field) : written;
}

interface Fields {
  readonly all: readonly Field[];
  readonly places: ReadonlyMap<string, number>;
  /** Places of those that are written although nothing was said. */
  readonly always: readonly number[];
  /** Names of those that are floats. */
  readonly doubles: readonly string[];
}

function fieldsOf(schema: Schema): Fields {
  const all = Object.entries(schema.properties ?? {}).map(fieldOf);
  const always = all.flatMap(({ presence }, place) =>
    presence === 'always' || presence === 'nullable' ? [place] : [],
  );
  const doubles = all.flatMap(({ name, codec }) => (codec === double ? [name] : []));
  return { all, places: new Map(all.map(({ name }, place) => [name, place])), always, doubles };
}

/** Field by field: what comes in another order than that of its declaration. */
function readInAnyOrder(value: Plain, { all }: Fields, walk: Walk): Plain {
  const out: Plain = {};
  let met = 0;
  for (const field of all) {
    const given = value[field.name];
    if (given !== undefined) met++;
    const written = given === undefined ? absent(field) : writtenOf(field, given, walk);
    if (written !== undefined) out[field.name] = written;
  }
  if (!walk.unknown) for (const _ in value) if (met-- === 0) walk.unknown = true;
  return out;
}

/** hot: what has its fields in order, as we wrote it, is read by its own keys; types have many more fields than objects. */
function readInOrder(value: Plain, fields: Fields, walk: Walk): Plain {
  const { all, places, always } = fields;
  let out: Plain | undefined = walk.given ? undefined : {};
  let next = 0;
  let due = 0;
  for (const key in value) {
    const given = value[key];
    const place = given === undefined ? undefined : places.get(key);
    if (place === undefined) {
      walk.unknown = true;
      out ??= entriesBefore(value, key);
      continue;
    }
    if (place < next) return readInAnyOrder(value, fields, walk);
    next = place + 1;
    if ((always[due] ?? place) < place) due = fill((out ??= entriesBefore(value, key)), fields, due, place);
    if (always[due] === place) due++;
    const written = writtenOf(all[place] as Field, given, walk);
    if (out === undefined && written !== given) out = entriesBefore(value, key);
    if (out !== undefined && written !== undefined) out[key] = written;
  }
  if (due < always.length) fill((out ??= entriesBefore(value)), fields, due, all.length);
  return out ?? value;
}

/** Writes the fields before a place that are always written; says which of these is the next. */
function fill(out: Plain, { all, always }: Fields, from: number, before: number): number {
  let due = from;
  for (; due < always.length; due++) {
    const place = always[due] as number;
    if (place >= before) break;
    const field = all[place] as Field;
    const written = absent(field);
    if (written !== undefined) out[field.name] = written;
  }
  return due;
}

/** Go writes a float that is -0 as it is. */
function signed(object: Plain, doubles: readonly string[]): Plain {
  const isNegativeZero = (name: string): boolean => doubles.includes(name) && Object.is(object[name], -0);
  if (!doubles.some(isNegativeZero)) return object;
  const members = Object.entries(object).map(
    ([name, value]) => `${JSON.stringify(name)}:${isNegativeZero(name) ? '-0' : jsonText(value)}`,
  );
  return new Written(object, `{${members.join()}}`) as unknown as Plain;
}

function struct(schema: Schema): Codec {
  let made: Fields | undefined;
  const read = (value: unknown, walk: Walk): unknown => {
    if (value !== null && !isMap(value)) return fail();
    made ??= fieldsOf(schema);
    const out = readInOrder(value ?? {}, made, walk);
    return made.doubles.length === 0 ? out : signed(out, made.doubles);
  };
  return { read, zero: () => read(null, zeroWalk), empty: never };
}

const fieldOf = ([name, schema]: [string, Schema]): Field => ({
  name,
  codec: codecOf(schema),
  presence: schema.presence === 'always' && schema.nullable ? 'nullable' : (schema.presence ?? 'pointer'),
});

/** JSON schemas inside JSON schemas: a schema, or a boolean, a list of schemas, or a list of names. */
function alternatives(schema: Schema): Codec {
  const object = struct(schema);
  const items = schema.items && list(codecOf(schema.items));
  return {
    read: (value, walk) => {
      if (value === null || typeof value === 'boolean') return value;
      if (Array.isArray(value)) return items ? items.read(value, walk) : fail();
      return object.read(value, walk);
    },
    zero: () => null,
    empty: isNull,
  };
}

// --- schemas to codecs ----------------------------------------------------------------------------------------

const codecs = new WeakMap<Schema, Codec>();

function makeCodec(schema: Schema): Codec {
  if (schema.scalar) return scalars[schema.scalar];
  if (schema.type === undefined) return schema.properties ? alternatives(schema) : anything;
  switch (schema.type) {
    case 'string':
      return schema.format === 'byte' ? bytes : string;
    case 'boolean':
      return boolean;
    case 'integer':
      return schema.format === 'int32' ? int32 : int64;
    case 'number':
      return double;
    case 'array':
      return list(schema.items ? codecOf(schema.items) : anything);
    case 'object':
      if (typeof schema.additionalProperties === 'object') return map(codecOf(schema.additionalProperties));
      return schema.properties ? struct(schema) : anything;
  }
}

/** Made once per schema; a type that contains itself is resolved when it is first read. */
function codecOf(schema: Schema): Codec {
  let codec = codecs.get(schema);
  if (!codec) {
    codec = makeCodec(schema);
    codecs.set(schema, codec);
  }
  return codec;
}

export interface CanonicalOptions {
  /** Lists and maps that hold nothing are none: null where the field is always written. */
  readonly bare?: boolean;
  /** Lists and objects that are in this form already: they are taken as they are. */
  readonly known?: readonly unknown[] | undefined;
  /** The value is given away: parts that prove to be in this form are taken as they are. */
  readonly given?: boolean;
}

export interface Canonical<T> {
  readonly object: T;
  /** `unknown field "spec.foo"`, in the order of the document. */
  readonly unknown: readonly string[];
}

/**
 * The canonical form of a decoded value of a native type. The result may share parts with the value (free JSON, what is `known`, or
 * all that is in this form when it is `given`), which is not changed.
 * Throws DecodeError with Go's text when the value does not fit. hot:
 */
export function canonical<T = Plain>(
  value: unknown,
  schema: Schema,
  { bare = false, known, given = false }: CanonicalOptions = {},
): Canonical<T> {
  const walk: Walk = { unknown: false, bare, known, given, size: 0 };
  let object: unknown;
  try {
    object = codecOf(schema).read(value, walk);
  } catch (error) {
    if (error !== mismatch) throw error;
    throw new DecodeError(inspectFields(value, schema).error ?? mismatch.message);
  }
  return { object: object as T, unknown: walk.unknown ? inspectFields(value, schema).faults : [] };
}
