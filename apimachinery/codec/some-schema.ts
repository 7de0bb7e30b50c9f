import type { Schema } from './interface.js';

/** Asks the schemas below one until one of them answers true, and tells whether one did. */
export type Ask = (schema: Schema, ask: (below: Schema | undefined) => boolean) => boolean;

/** Asks the schemas of the fields, entries and items of a value. hot: schemas may have thousands of properties. */
export const inParts: Ask = ({ properties, additionalProperties: more, items }, ask) => {
  if (properties) for (const name of Object.keys(properties)) if (ask(properties[name])) return true;
  return (typeof more === 'object' && ask(more)) || ask(items);
};

/** Asks the schemas in allOf and anyOf as well. */
export const inPartsAndAlternatives: Ask = (schema, ask) =>
  inParts(schema, ask) || (schema.allOf ?? []).some(ask) || (schema.anyOf ?? []).some(ask);

/** Asks the schemas in allOf as well, which hold for every value. */
export const inPartsAndAllOf: Ask = (schema, ask) => inParts(schema, ask) || (schema.allOf ?? []).some(ask);

/** Does it hold for a schema, or for one below it? Looked for once per schema, which may contain itself. */
export function someSchema(
  holds: (schema: Schema) => boolean,
  below = inParts,
): (schema: Schema | undefined) => boolean {
  const known = new WeakMap<Schema, boolean>();
  return function find(schema) {
    if (!schema) return false;
    let found = known.get(schema);
    if (found !== undefined) return found;
    known.set(schema, false);
    found = holds(schema) || below(schema, find);
    if (found) known.set(schema, true);
    return found;
  };
}
