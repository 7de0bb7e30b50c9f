import type { KubeObject } from '../../../apimachinery/interface.js';
import { coerceObject } from '../../../openapi/schema/coerce.js';
import { applyDefaults } from '../../../openapi/schema/default.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { objectMetaSchema } from '../../strategy/object-meta.js';

/** An object of a custom resource without what its schema does not know, in place. */
export function trim(object: KubeObject, schema: Schema): KubeObject {
  coerceObject(object, schema, { objectMeta: objectMetaSchema(), drop: true });
  return object;
}

/** A stored object of a custom resource as its schema has it now, in place: what does not fit is left out, what is missing filled in. */
export function refit(object: KubeObject, schema: Schema): KubeObject {
  trim(object, schema);
  applyDefaults(object, schema);
  return object;
}
