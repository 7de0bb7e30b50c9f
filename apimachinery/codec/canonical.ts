/**
 * Converts a decoded object of a native kind to the form that Go would write: keys in the order of their declaration, maps sorted, zero
 * values by presence, quantities and times canonical, unknown fields left out.
 */
import { type Codec, fail, isNull, mismatch, type Walk } from './codec.js';
import { list, map } from './collection-codecs.js';
import { DecodeError } from './decode-error.js';
import { inspectFields } from './fields.js';
import type { Schema } from './interface.js';
import { anything, boolean, bytes, double, int32, int64, scalars, string } from './scalar-codecs.js';
import { struct } from './struct-codec.js';

/** The codec of fields of a JSON schema that hold a schema, a boolean, a list of schemas, or a list of names. */
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

/** Returns the codec of a schema, which is made once. A type that contains itself is resolved when it is first read. */
function codecOf(schema: Schema): Codec {
  let codec = codecs.get(schema);
  if (!codec) {
    codec = makeCodec(schema);
    codecs.set(schema, codec);
  }
  return codec;
}

interface CanonicalOptions {
  /** Empty lists and maps become null where the field is always written, and are left out elsewhere. */
  readonly emptyAsNull?: boolean;
  /** Lists and objects that are canonical already. They are shared with the result. */
  readonly canonicalParts?: readonly unknown[] | undefined;
  /** The caller does not use the value afterwards, so that its canonical parts need not be copied. */
  readonly shareCanonical?: boolean;
}

interface Canonical<T> {
  readonly object: T;
  /** `unknown field "spec.foo"`, in the order of the document. */
  readonly unknown: readonly string[];
}

/**
 * Returns the canonical form of a decoded value of a native type. The value is not changed, but the result may share parts with it: free
 * JSON, the parts in `canonicalParts`, and with `shareCanonical` all canonical parts.
 * Throws DecodeError with Go's text if the value does not have the type. hot:
 */
export function canonical<T = Record<string, unknown>>(
  value: unknown,
  schema: Schema,
  { emptyAsNull = false, canonicalParts, shareCanonical = false }: CanonicalOptions = {},
): Canonical<T> {
  const walk: Walk = { unknown: false, emptyAsNull, canonicalParts, shareCanonical, size: 0 };
  let object: unknown;
  try {
    object = codecOf(schema).read(value, walk);
  } catch (error) {
    if (error !== mismatch) throw error;
    throw new DecodeError(inspectFields(value, schema).error ?? mismatch.message);
  }
  return { object: object as T, unknown: walk.unknown ? inspectFields(value, schema).faults : [] };
}
