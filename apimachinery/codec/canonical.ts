/**
 * Converts a decoded object of a native kind to the form that Go would write: keys in the order of their declaration, maps sorted, zero
 * values by presence, quantities and times canonical, unknown fields left out.
 */
import { type TypeCodec, fail, isNull, mismatch, type Walk } from './codec.js';
import { listCodec, mapCodec } from './collection-codecs.js';
import { DecodeError } from './decode-error.js';
import { inspectFields } from './fields.js';
import type { Schema } from './interface.js';
import {
  anythingCodec,
  booleanCodec,
  bytesCodec,
  doubleCodec,
  int32Codec,
  int64Codec,
  scalarCodecs,
  stringCodec,
} from './scalar-codecs.js';
import { structCodec } from './struct-codec.js';

/** The codec of fields of a JSON schema that hold a schema, a boolean, a list of schemas, or a list of names. */
function alternatives(schema: Schema): TypeCodec {
  const object = structCodec(schema, codecOf);
  const items = schema.items && listCodec(codecOf(schema.items));
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

const codecs = new WeakMap<Schema, TypeCodec>();

function makeCodec(schema: Schema): TypeCodec {
  if (schema.scalar) return scalarCodecs[schema.scalar];
  if (schema.type === undefined) return schema.properties ? alternatives(schema) : anythingCodec;
  switch (schema.type) {
    case 'string':
      return schema.format === 'byte' ? bytesCodec : stringCodec;
    case 'boolean':
      return booleanCodec;
    case 'integer':
      return schema.format === 'int32' ? int32Codec : int64Codec;
    case 'number':
      return doubleCodec;
    case 'array':
      return listCodec(schema.items ? codecOf(schema.items) : anythingCodec);
    case 'object':
      if (typeof schema.additionalProperties === 'object') return mapCodec(codecOf(schema.additionalProperties));
      return schema.properties ? structCodec(schema, codecOf) : anythingCodec;
  }
}

/** Returns the codec of a schema, which is made once. A type that contains itself is resolved when it is first read. */
function codecOf(schema: Schema): TypeCodec {
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
 * Throws DecodeError with Go's text if the value does not have the type. hot: every write of a native kind.
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
