/** A notation for structural schemas: every builder takes the description first; a field whose key ends with `!` is required. */
import type { Schema } from '../../../../openapi/schema/interface.js';

export type Facets = Omit<
  Schema,
  'type' | 'description' | 'properties' | 'required' | 'items' | 'additionalProperties' | 'typeName' | 'scalar'
>;

export type Fields = Readonly<Record<string, Schema>>;

export const text = (description: string, facets?: Facets): Schema => ({ description, type: 'string', ...facets });

export const oneOf = (description: string, values: readonly string[], facets?: Facets): Schema =>
  text(description, { enum: values, ...facets });

export const time = (description: string): Schema => text(description, { format: 'date-time' });

export const flag = (description: string, facets?: Facets): Schema => ({ description, type: 'boolean', ...facets });

export const integer = (description: string, facets?: Facets): Schema => ({ description, type: 'integer', ...facets });

export const int32 = (description: string, facets?: Facets): Schema =>
  integer(description, { format: 'int32', ...facets });

export const int64 = (description: string, facets?: Facets): Schema =>
  integer(description, { format: 'int64', ...facets });

export const list = (description: string, items: Schema, facets?: Facets): Schema => ({
  description,
  type: 'array',
  items,
  ...facets,
});

export const texts = (description: string, facets?: Facets): Schema => list(description, { type: 'string' }, facets);

export const mapOf = (description: string, values: Schema): Schema => ({
  description,
  type: 'object',
  additionalProperties: values,
});

export const labelsMap = (description: string): Schema => mapOf(description, { type: 'string' });

/** An object without a description, as an item of a list. */
export function item(fields: Fields, facets?: Facets): Schema {
  const names = Object.keys(fields);
  const required = names.filter(name => name.endsWith('!')).map(name => name.slice(0, -1));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name.replace(/!$/, ''), schema])),
    ...(required.length > 0 && { required: required.sort() }),
    ...facets,
  };
}

export const struct = (description: string, fields: Fields, facets?: Facets): Schema => ({
  description,
  ...item(fields, facets),
});

/** An object of any form, kept as it is. */
export const anyObject = (description: string): Schema => ({
  description,
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
});

/** Any JSON, kept as it is. */
export const anything = (description: string): Schema => ({
  description,
  'x-kubernetes-preserve-unknown-fields': true,
});

/** An amount: a number, or a text such as `500m` or `2Gi`. */
export const quantity: Schema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  'x-kubernetes-int-or-string': true,
};

/** Name of a resource -> amount. */
export const quantities = (description: string): Schema => mapOf(description, quantity);
