/** Equality of values of native kinds: empty and absent values are equal, except for optional structs. */
import { nativeSchemaFor } from '../../openapi/facts/native-schemas.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { readApiVersion } from '../../apimachinery/meta/gvk.js';
import type { Schema } from '../../apimachinery/codec/interface.js';

/** Cache of the types of native kinds, by apiVersion, then kind. */
const types = new Map<string, Map<string, Schema>>();

/** Returns the type of a native object; undefined for other kinds. hot: called with every update. */
export function typeOfObject(object: unknown): Schema | undefined {
  const { apiVersion, kind } = asObject(object);
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const known = types.get(apiVersion)?.get(kind);
  if (known) return known;
  const groupVersion = readApiVersion(apiVersion);
  const type = groupVersion && nativeSchemaFor({ ...groupVersion, kind });
  if (type) types.set(apiVersion, (types.get(apiVersion) ?? new Map<string, Schema>()).set(kind, type));
  return type;
}

/** Returns the type of a field of a type. */
export function typeAt(type: Schema | undefined, name: string): Schema | undefined {
  if (type?.properties) return Object.hasOwn(type.properties, name) ? type.properties[name] : undefined;
  return typeof type?.additionalProperties === 'object' ? type.additionalProperties : undefined;
}

/** Reports whether a field is an optional struct, for which `{}` differs from an absent value. */
const isOptional = (field: Schema | undefined): boolean =>
  field?.type === 'object' &&
  field.properties !== undefined &&
  (field.presence === 'pointer' || (field.presence === 'always' && field.nullable === true));

type Plain = Readonly<Record<string, unknown>>;

const none: Plain = Object.freeze({});
const asObject = (value: unknown): Plain => (typeof value === 'object' && value !== null ? (value as Plain) : none);

/** Compares the optional structs of values that are equal otherwise. */
function sameOptional(a: unknown, b: unknown, type: Schema | undefined): boolean {
  if (a === b || !type) return true;
  const [x, y] = [asObject(a), asObject(b)];
  if (x === y) return true;
  const isList = Array.isArray(x) || Array.isArray(y);
  for (const key of new Set([...Object.keys(x), ...Object.keys(y)])) {
    const [inner, other] = [x[key], y[key]];
    const field = isList ? type.items : typeAt(type, key);
    if (!isList && isOptional(field) && (inner == null) !== (other == null)) return false;
    if (!sameOptional(inner, other, field)) return false;
  }
  return true;
}

/** Compares values as Go does. `type` is the type of both; undefined for other than native kinds. */
// as apimachinery/pkg/api/equality Semantic.DeepEqual
export const sameValue = (a: unknown, b: unknown, type: Schema | undefined): boolean =>
  semanticEqual(a, b) && sameOptional(a, b, type);

/** Compares the values of a field of this type. */
export const sameField = (a: unknown, b: unknown, type: Schema | undefined): boolean =>
  (!isOptional(type) || (a == null) === (b == null)) && sameValue(a, b, type);
