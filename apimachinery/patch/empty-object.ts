/** The object before its creation: a created object is compared with it. */
import type { JsonObject, KubeObject } from '../interface.js';
import type { Schema } from '../codec/interface.js';

const scalars: Readonly<Record<string, unknown>> = { quantity: '0', intOrString: 0, duration: '0s' };
const zeros: Readonly<Record<string, unknown>> = { string: '', integer: 0, number: 0, boolean: false };

function zeroOf(schema: Schema): unknown {
  if (schema.nullable === true) return null;
  if (schema.scalar !== undefined) return scalars[schema.scalar] ?? null;
  if (schema.type === 'object' && schema.properties) return zeroStruct(schema);
  return zeros[schema.type ?? ''] ?? null;
}

function zeroStruct(schema: Schema): JsonObject {
  const out: JsonObject = {};
  for (const [name, field] of Object.entries(schema.properties ?? {}))
    if (field.presence === 'always') out[name] = zeroOf(field);
  return out;
}

const emptyObjects = new WeakMap<Schema, KubeObject>();

/**
 * Returns the empty object of a kind: for native kinds with the zero values that Go always writes. It is shared, and must not be changed.
 */
export function emptyObject(schema: Schema): KubeObject {
  let object = emptyObjects.get(schema);
  if (!object) {
    object = { apiVersion: '', kind: '', metadata: {}, ...zeroStruct(schema) };
    emptyObjects.set(schema, object);
  }
  return object;
}

/** Returns the object without metadata.managedFields; the object itself if it has none. */
export function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
