import type { KubeObject } from '../../openapi/interface.js';
import { coerceObject } from '../../openapi/schema/coerce.js';
import { applyDefaults } from '../../openapi/schema/default.js';
import type { Schema } from '../../openapi/schema/interface.js';
import { objectMetaSchema } from '../strategy/object-meta.js';

/** A stored object of a custom resource as its schema has it now, in place: what does not fit is left out. */
export function refit(object: KubeObject, schema: Schema): KubeObject {
  coerceObject(object, schema, { objectMeta: objectMetaSchema(), drop: true });
  applyDefaults(object, schema);
  return object;
}
