import type { Schema } from './interface.js';

/** Returns whether a test is true for a subschema. It is called until it returns true. */
type SomeSubschema = (schema: Schema, test: (subschema: Schema | undefined) => boolean) => boolean;

/** Reports whether a schema has no subschemas, such as those of scalars: a definition may have tens of thousands of them. */
export const isLeaf = ({ properties, additionalProperties: more, items, allOf, anyOf }: Schema): boolean =>
  !properties && !items && !allOf && !anyOf && typeof more !== 'object';

/** Tests the schemas of fields, entries and items. hot: schemas may have thousands of properties. */
export const inParts: SomeSubschema = ({ properties, additionalProperties: more, items }, test) => {
  if (properties) for (const name of Object.keys(properties)) if (test(properties[name])) return true;
  return (typeof more === 'object' && test(more)) || test(items);
};

/** As `inParts`, and tests the schemas in allOf and anyOf. */
export const inPartsAndAlternatives: SomeSubschema = (schema, test) =>
  inParts(schema, test) || (schema.allOf ?? []).some(test) || (schema.anyOf ?? []).some(test);

/** As `inParts`, and tests the schemas in allOf, which every value must match. */
export const inPartsAndAllOf: SomeSubschema = (schema, test) =>
  inParts(schema, test) || (schema.allOf ?? []).some(test);

/**
 * Returns a function that says whether a predicate holds for a schema, or for one below it. `below`: which subschemas count. The result is
 * computed once per schema, which may contain itself. That of a schema without subschemas is not kept, since that takes longer than to compute it.
 */
export function someSchema(
  holds: (schema: Schema) => boolean,
  below = inParts,
): (schema: Schema | undefined) => boolean {
  const known = new WeakMap<Schema, boolean>();
  return function find(schema) {
    if (!schema) return false;
    if (isLeaf(schema)) return holds(schema);
    let found = known.get(schema);
    if (found !== undefined) return found;
    known.set(schema, false);
    found = holds(schema) || below(schema, find);
    if (found) known.set(schema, true);
    return found;
  };
}
