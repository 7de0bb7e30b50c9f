import { nativeSchemaFor } from '../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { readApiVersion } from '../../apimachinery/meta/gvk.js';
import { canonical } from '../../apimachinery/codec/canonical.js';

/** Returns the answer of a review or an action with its fields in the order of its type, which may differ from the resource (a Status). */
export function inOrder(object: KubeObject): KubeObject {
  const { group = '', version = '' } = readApiVersion(object.apiVersion) ?? {};
  const schema = nativeSchemaFor({ group, version, kind: object.kind });
  return schema ? canonical<KubeObject>(object, schema).object : object;
}
