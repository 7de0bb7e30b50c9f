import { nativeSchema } from '../../../openapi/facts/native-schemas.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';

/** The schema facets that only native kinds have. */
const dropped: ReadonlySet<string> = new Set([
  'default',
  'nullable',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-unions',
]);

/**
 * Returns a native type, by its name in OpenAPI, for use in Karmada's kinds: without defaults, and without descriptions (Kubernetes documents
 * them).
 */
export function nativeBlock(typeName: string): Schema {
  return block(nativeSchema(typeName));
}

function block(schema: Schema): Schema {
  const { properties, items, additionalProperties: values, required } = schema;
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([facet]) => !dropped.has(facet))),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, block(field)])),
    }),
    ...(items && { items: block(items) }),
    ...(typeof values === 'object' && { additionalProperties: block(values) }),
    ...(required && { required: [...required].sort() }),
  };
}
