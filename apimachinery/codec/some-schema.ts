import type { Schema } from './interface.js';

/** What a value has in it: fields, entries, items. */
export const partsOf = ({
  properties = {},
  additionalProperties: more,
  items,
}: Schema): readonly (Schema | undefined)[] => [
  ...Object.values(properties),
  typeof more === 'object' ? more : undefined,
  items,
];

/** The same, with what else the value itself is asked for. */
export const partsAndAlternatives = (schema: Schema): readonly (Schema | undefined)[] => [
  ...partsOf(schema),
  ...(schema.allOf ?? []),
  ...(schema.anyOf ?? []),
];

/** Does it hold for a schema, or for one below it? Looked for once per schema, which may contain itself. */
export function someSchema(
  holds: (schema: Schema) => boolean,
  below = partsOf,
): (schema: Schema | undefined) => boolean {
  const known = new WeakMap<Schema, boolean>();
  return function find(schema) {
    if (!schema) return false;
    let found = known.get(schema);
    if (found !== undefined) return found;
    known.set(schema, false);
    found = holds(schema) || below(schema).some(find);
    known.set(schema, found);
    return found;
  };
}
