/**
 * Converts a decoded object of a native kind to the form that Go would write: keys in the order of their declaration, maps sorted, zero
 * values by presence, quantities and times canonical, unknown fields left out.
 */
import { LargeValues } from '../../lib/json/large-values.js';
import type { InSteps } from '../../lib/time-slice.js';
import { type TypeCodec, fail, isNull, type LongWalk, mismatch, readInSteps, type Walk } from './codec.js';
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
    *readSteps(value, walk) {
      const codec = Array.isArray(value) ? items : object;
      return codec ? yield* readInSteps(codec, value, walk) : fail();
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
  options: CanonicalOptions = {},
): Canonical<T> {
  const walk = walkOf(options);
  let object: unknown;
  try {
    object = codecOf(schema).read(value, walk);
  } catch (error) {
    throw faultOf(error, value, schema);
  }
  return { object: object as T, unknown: walk.unknown ? inspectFields(value, schema).faults : [] };
}

const walkOf = ({ emptyAsNull = false, canonicalParts, shareCanonical = false }: CanonicalOptions): Walk => ({
  unknown: false,
  emptyAsNull,
  canonicalParts,
  shareCanonical,
  size: 0,
});

/** Returns Go's error for a value that does not have the type; other errors unchanged. */
const faultOf = (error: unknown, value: unknown, schema: Schema): unknown =>
  error === mismatch ? new DecodeError(inspectFields(value, schema).error ?? mismatch.message) : error;

/** Values that are converted in one step, which takes about a millisecond. */
const maxValuesPerStep = 1000;

/** As `canonical`, in steps, for values that may be large. The first step does nothing: other work may have used up this turn. */
export function* canonicalInSteps<T = Record<string, unknown>>(
  value: unknown,
  schema: Schema,
  options: CanonicalOptions = {},
): InSteps<Canonical<T>> {
  if ((yield) === true) return canonical(value, schema, options);
  const walk: LongWalk = { ...walkOf(options), large: new LargeValues(maxValuesPerStep) };
  let object: unknown;
  try {
    object = yield* readInSteps(codecOf(schema), value, walk);
  } catch (error) {
    yield;
    throw faultOf(error, value, schema);
  }
  yield;
  return { object: object as T, unknown: walk.unknown ? inspectFields(value, schema).faults : [] };
}
