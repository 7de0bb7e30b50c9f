import { nativeSchemaFor } from '../../../openapi/facts/load.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { gvkOf } from '../../../apimachinery/meta/gvk.js';
import { canonical } from '../../../apimachinery/codec/canonical.js';

/** A native object as a typed client writes it: what its type always has is there, what it leaves out when empty is not. */
export function typed(object: KubeObject): KubeObject {
  const schema = nativeSchemaFor(gvkOf(object));
  return schema ? canonical<KubeObject>(object, schema).object : object;
}
