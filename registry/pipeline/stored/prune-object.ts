import type { KubeObject } from '../../../apimachinery/interface.js';
import { coerceObject, coerceObjectSteps } from '../../../openapi/schema/coerce.js';
import { applyDefaults, applyDefaultsSteps } from '../../../openapi/schema/default.js';
import type { InSteps } from '../../../lib/time-slice.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { objectMetaSchema } from '../../strategy/object-meta.js';

/** Removes the fields of a custom resource that its schema does not have, in place. */
export function pruneObject(object: KubeObject, schema: Schema): KubeObject {
  coerceObject(object, schema, { objectMeta: objectMetaSchema(), drop: true });
  return object;
}

/** Prunes a stored custom resource and sets defaults by its current schema, in place. */
export function pruneAndDefault(object: KubeObject, schema: Schema): KubeObject {
  pruneObject(object, schema);
  applyDefaults(object, schema);
  return object;
}

/** As `pruneObject`, in steps, for large objects. */
export function* pruneObjectSteps(object: KubeObject, schema: Schema): InSteps<KubeObject> {
  yield* coerceObjectSteps(object, schema, { objectMeta: objectMetaSchema(), drop: true });
  return object;
}

/** As `pruneAndDefault`, in steps, for large objects. */
export function* pruneAndDefaultSteps(object: KubeObject, schema: Schema): InSteps<KubeObject> {
  yield* pruneObjectSteps(object, schema);
  yield* applyDefaultsSteps(object, schema);
  return object;
}
