/** Reads the apiVersion and kind of a text, as Go's decoder does before it decodes the object. */
import type { InSteps } from '../../lib/time-slice.js';
import { DecodeError } from './decode-error.js';
import { jsonSteps } from './decode.js';
import { jsonType } from './fields.js';

const metaStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Returns the apiVersion and kind of a value, '' where they are not set. Throws DecodeError. */
// as apimachinery/pkg/runtime/serializer/json/meta.go Interpret
export function typeMetaOf(value: unknown): TypeMeta {
  if (value === null) return { apiVersion: '', kind: '' };
  if (typeof value !== 'object' || Array.isArray(value))
    throw unreadable(`json: cannot unmarshal ${jsonType(value)} into Go value of type ${metaStruct}`);
  const { apiVersion, kind } = value as Record<string, unknown>;
  for (const [field, given] of Object.entries({ apiVersion, kind }))
    if (given != null && typeof given !== 'string')
      throw unreadable(`json: cannot unmarshal ${jsonType(given)} into Go struct field .${field} of type string`);
  return { apiVersion: String(apiVersion ?? ''), kind: String(kind ?? '') };
}

/** Returns the apiVersion and kind of a text, in steps. Throws DecodeError. */
export function* typeInSteps(json: string): InSteps<TypeMeta> {
  let value: unknown;
  try {
    ({ value } = yield* jsonSteps(json));
  } catch (error) {
    throw error instanceof DecodeError ? unreadable(error.message) : error;
  }
  return typeMetaOf(value);
}

const unreadable = (why: string): DecodeError => new DecodeError(`couldn't get version/kind; json parse error: ${why}`);
