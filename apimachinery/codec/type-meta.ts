/** What a text says it is of, as Go's reader finds out before it reads the rest. */
import { DecodeError } from './decode-error.js';
import { decodeJson } from './decode.js';
import { jsonType } from './fields.js';

const metaStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The type that a value says it is of, '' where it says nothing. Throws DecodeError. */
// as apimachinery/pkg/runtime/serializer/json/meta.go Interpret
export function typeOf(value: unknown): TypeMeta {
  if (value === null) return { apiVersion: '', kind: '' };
  if (typeof value !== 'object' || Array.isArray(value))
    throw unreadable(`json: cannot unmarshal ${jsonType(value)} into Go value of type ${metaStruct}`);
  const { apiVersion, kind } = value as Record<string, unknown>;
  for (const [field, given] of Object.entries({ apiVersion, kind }))
    if (given != null && typeof given !== 'string')
      throw unreadable(`json: cannot unmarshal ${jsonType(given)} into Go struct field .${field} of type string`);
  return { apiVersion: String(apiVersion ?? ''), kind: String(kind ?? '') };
}

/** The same, of a text. */
export function typeIn(json: string): TypeMeta {
  let value: unknown;
  try {
    value = decodeJson(json).value;
  } catch (error) {
    throw error instanceof DecodeError ? unreadable(error.message) : error;
  }
  return typeOf(value);
}

const unreadable = (why: string): DecodeError => new DecodeError(`couldn't get version/kind; json parse error: ${why}`);
