import type { Schema } from '../../../apimachinery/codec/interface.js';

/** The facets that a structural schema does not contain. */
const internalFacets: ReadonlySet<string> = new Set(['presence', 'scalar', 'typeName']);

const quantity: Schema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  'x-kubernetes-int-or-string': true,
};

/** Returns a type as a CustomResourceDefinition describes it. */
export function structural(schema: Schema): Schema {
  if (schema.scalar === 'quantity') return quantity;
  const { properties, items, additionalProperties: values } = schema;
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([facet]) => !internalFacets.has(facet))),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, field]) => [name, structural(field)]),
      ),
    }),
    ...(items && { items: structural(items) }),
    ...(typeof values === 'object' && { additionalProperties: structural(values) }),
  };
}
