import { nativeSchemaFor } from '../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { readApiVersion } from '../../apimachinery/meta/gvk.js';
import { canonicalInSteps } from '../../apimachinery/codec/canonical.js';
import type { InSteps } from '../../lib/time-slice.js';

/** Returns the answer of a review or an action with its fields in the order of its type, which may differ from the resource (a Status). */
export function* inOrderSteps(object: KubeObject): InSteps<KubeObject> {
  const { group = '', version = '' } = readApiVersion(object.apiVersion) ?? {};
  const schema = nativeSchemaFor({ group, version, kind: object.kind });
  return schema ? (yield* canonicalInSteps<KubeObject>(object, schema)).object : object;
}
