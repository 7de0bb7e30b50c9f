/**
 * A notation for the types of Karmada's kinds. Every builder takes the description first. Fields are in the order in which Go writes them; the
 * end of a key gives the presence: `name!` is required; `name?` is a pointer, written if it is set; `name=` is always written; all others are
 * left out when they are zero or empty. A facet `typeName` is the name of the Go type, which error texts contain.
 */
import type { Schema } from '../../../apimachinery/codec/interface.js';

export type Facets = Omit<
  Schema,
  'type' | 'description' | 'properties' | 'required' | 'items' | 'additionalProperties' | 'scalar' | 'presence'
>;

export type Fields = Readonly<Record<string, Schema>>;

/** Returns the schema of a string. */
export const text = (description: string, facets?: Facets): Schema => ({ description, type: 'string', ...facets });

/** Returns the schema of a string that has one of these values. */
export const oneOf = (description: string, values: readonly string[], facets?: Facets): Schema =>
  text(description, { enum: values, ...facets });

/** Returns the schema of a metav1.Time. */
export const time = (description: string): Schema => ({
  ...text(description, { format: 'date-time' }),
  scalar: 'time',
});

/** Returns the schema of a boolean. */
export const flag = (description: string, facets?: Facets): Schema => ({ description, type: 'boolean', ...facets });

/** Returns the schema of Go's type int, which has no format. */
export const integer = (description: string, facets?: Facets): Schema => ({ description, type: 'integer', ...facets });

/** Returns the schema of Go's type int32. */
export const int32 = (description: string, facets?: Facets): Schema =>
  integer(description, { format: 'int32', ...facets });

/** Returns the schema of Go's type int64. */
export const int64 = (description: string, facets?: Facets): Schema =>
  integer(description, { format: 'int64', ...facets });

/** Returns the schema of a list, which is atomic unless a facet says otherwise. */
export const list = (description: string, items: Schema, facets?: Facets): Schema => ({
  description,
  type: 'array',
  items,
  ...facets,
});

/** Returns the schema of a list of strings. */
export const texts = (description: string, facets?: Facets): Schema => list(description, { type: 'string' }, facets);

const mapOf = (description: string, values: Schema): Schema => ({
  description,
  type: 'object',
  additionalProperties: values,
});

/** Returns the schema of a map of strings. */
export const labelsMap = (description: string): Schema => mapOf(description, { type: 'string' });

const presences = { '!': 'always', '=': 'always', '?': 'pointer' } as const;

/** Returns the schema of an object without a description, as an item of a list. */
export function item(fields: Fields, facets?: Facets): Schema {
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const [key, schema] of Object.entries(fields)) {
    const [, name = key, mark = ''] = /^(.*?)([!=?]?)$/.exec(key) ?? [];
    properties[name] = { ...schema, presence: presences[mark as keyof typeof presences] ?? 'omitempty' };
    if (mark === '!') required.push(name);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required: required.sort() }), ...facets };
}

/** Returns the schema of an object with these fields, which are named as the head of this file says. */
export const struct = (description: string, fields: Fields, facets?: Facets): Schema => ({
  description,
  ...item(fields, facets),
});

/** Returns the schema of an object of any form, which is kept unchanged. */
export const anyObject = (description: string): Schema => ({
  description,
  type: 'object',
  scalar: 'rawExtension',
  'x-kubernetes-preserve-unknown-fields': true,
});

/** Returns the schema of any JSON value, which is kept unchanged. */
export const anything = (description: string): Schema => ({
  description,
  scalar: 'json',
  'x-kubernetes-preserve-unknown-fields': true,
});

/** An amount: a number, or a text such as `500m` or `2Gi`. */
const quantity: Schema = { scalar: 'quantity' };

/** Returns the schema of a map from resource name to amount. */
export const quantities = (description: string): Schema => mapOf(description, quantity);
