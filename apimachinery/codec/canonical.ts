/**
 * A decoded object of a native kind in the form that Go would write: keys in the order of their declaration, maps sorted, zero values by
 * presence, quantities and times canonical, unknown fields left out.
 */
import { type Codec, fail, isNull, mismatch, type Walk } from './codec.js';
import { list, map } from './collection-codecs.js';
import { DecodeError } from './decode-error.js';
import { inspectFields } from './fields.js';
import type { Schema } from './interface.js';
import { anything, boolean, bytes, double, int32, int64, scalars, string } from './scalar-codecs.js';
import { struct } from './struct-codec.js';

/** JSON schemas inside JSON schemas: a schema, or a boolean, a list of schemas, or a list of names. */
function alternatives(schema: Schema): Codec {
  const object = struct(schema, codecOf);
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
      return schema.properties ? struct(schema, codecOf) : anything;
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
export function canonical<T = Record<string, unknown>>(
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
