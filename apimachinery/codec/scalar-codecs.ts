/** The codecs of scalars. `read` returns a value in the form that Go's encoding/json writes. */
import { formatDuration, readDuration } from '../../lib/go/duration.js';
import { isInt64, isNumeric, narrowed } from '../../lib/json/json.js';
import { canonicalQuantity, quantityError } from '../quantity/quantity.js';
import { normalizeMicroTime, normalizeTime } from '../../lib/go/time.js';
import { base64Error, canonicalBase64 } from './base64.js';
import { type TypeCodec, fail, isNull, never, zeroWalk } from './codec.js';
import type { Schema } from './interface.js';

export const stringCodec: TypeCodec = {
  read: value => (typeof value === 'string' ? value : value === null ? '' : fail()),
  zero: () => '',
  empty: written => written === '',
};

export const booleanCodec: TypeCodec = {
  read: value => (typeof value === 'boolean' ? value : value === null ? false : fail()),
  zero: () => false,
  empty: written => written === false,
};

function integer(limit: number): TypeCodec {
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

export const int32Codec = integer(2 ** 31);
export const int64Codec = integer(2 ** 63);

export const doubleCodec: TypeCodec = {
  read: value => {
    if (value === null) return 0;
    return isNumeric(value) && Number.isFinite(Number(value)) ? Number(value) : fail();
  },
  zero: () => 0,
  empty: written => written === 0,
};

export const bytesCodec: TypeCodec = {
  read: value => {
    if (value === null) return null;
    if (typeof value !== 'string' || base64Error(value) !== undefined) return fail();
    return canonicalBase64(value);
  },
  zero: () => null,
  empty: written => written === null || written === '',
};

/** Returns the codec of a scalar that Go parses from a text. `zero`: the JSON of its zero value. */
function fromText(parse: (text: string) => string | null | { readonly error: string }, zero: string | null): TypeCodec {
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

const quantity: TypeCodec = {
  read: value => {
    if (value === null) return '0';
    if (typeof value !== 'string' && !isNumeric(value)) return fail();
    return quantityError(String(value)) === undefined ? canonicalQuantity(value) : fail();
  },
  zero: () => '0',
  empty: never,
};

const intOrString: TypeCodec = {
  read: value => (typeof value === 'string' ? value : int32Codec.read(value, zeroWalk)),
  zero: () => 0,
  empty: never,
};

/** Any JSON, which is shared with the decoded value. */
export const anythingCodec: TypeCodec = { read: value => value, zero: () => null, empty: isNull };

export const scalarCodecs: Readonly<Record<NonNullable<Schema['scalar']>, TypeCodec>> = {
  quantity,
  time: fromText(normalizeTime, null),
  microTime: fromText(normalizeMicroTime, null),
  duration: fromText(normalizeDuration, '0s'),
  intOrString,
  rawExtension: anythingCodec,
  json: { ...anythingCodec, read: narrowed },
  fieldsV1: anythingCodec,
};
