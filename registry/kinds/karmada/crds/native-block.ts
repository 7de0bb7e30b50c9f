import { nativeSchema } from '../../../../openapi/facts/load.js';
import type { Schema } from '../../../../openapi/schema/interface.js';
import { quantity } from './schema.js';

/** What a native type says that a structural schema may say too. */
const kept = [
  'format',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
] as const;

function structural(schema: Schema): Schema {
  if (schema.scalar === 'quantity') return quantity;
  const { type, properties, items, additionalProperties: values, required } = schema;
  return {
    ...(type && { type }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, structural(field)])),
    }),
    ...(items && { items: structural(items) }),
    ...(typeof values === 'object' && { additionalProperties: structural(values) }),
    ...(required && { required: [...required].sort() }),
    ...Object.fromEntries(kept.filter(facet => schema[facet] !== undefined).map(facet => [facet, schema[facet]])),
  };
}

/**
 * The structural schema of a native type by its name in OpenAPI, for what Karmada's kinds take over from Kubernetes: without defaults, and
 * without descriptions (Kubernetes documents them).
 */
export function nativeBlock(typeName: string): Schema {
  return structural(nativeSchema(typeName));
}
