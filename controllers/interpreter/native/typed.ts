import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { gvkOf } from '../../../apimachinery/meta/gvk.js';
import { canonical } from '../../../apimachinery/codec/canonical.js';

/** Returns a native object as a typed Go client writes it: with the fields that are always written, without empty omitempty fields. */
export function typed(object: KubeObject): KubeObject {
  const schema = nativeSchemaFor(gvkOf(object));
  return schema ? canonical<KubeObject>(object, schema).object : object;
}
