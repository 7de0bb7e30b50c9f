/** Objects cross from the version a client speaks to the version that is stored and back, at the edges of the pipeline only. */
import type { KubeObject } from '../../openapi/interface.js';
import { cloneJson } from '../../openapi/meta/clone.js';
import { spokenApiVersion, storageApiVersion } from './api-versions.js';
import type { Call } from './interface.js';
import { canonicalObject } from './layout.js';
import { refit } from './refit.js';

type Converted = KubeObject | Promise<KubeObject>;
/** What of a call matters to versions. */
type Spoken = Pick<Call, 'definition' | 'version'>;

/** A stored object in the version of the call: the shared one itself when that is its version. */
export function fromStorage(call: Spoken, object: KubeObject): Converted {
  const wanted = spokenApiVersion(call);
  if (object.apiVersion === wanted) return object;
  const { convert, wire } = call.definition;
  if (convert) return convert(object, call.version.name);
  if (wire.keys === 'declared') return { ...object, apiVersion: wanted };
  return refit({ ...cloneJson(object), apiVersion: wanted }, call.version.schema);
}

/**
 * A draft of the call's version as the storage version, with what that fills in; the draft may be changed on the way. Conversion by itself fills
 * nothing in: who owns which fields is found out by it, too.
 */
export function toStorage(call: Spoken, draft: KubeObject): Converted {
  const { definition } = call;
  const wanted = storageApiVersion(definition);
  if (draft.apiVersion === wanted) return draft;
  const { convert, storageVersion, storageGroup } = definition;
  if (convert) {
    const converted = convert(draft, storageVersion, storageGroup);
    if (!(converted instanceof Promise)) definition.defaults?.(converted, storageVersion);
    return converted;
  }
  draft.apiVersion = wanted;
  return draft;
}

/** An object of the storage version as clients of the call get it: converted, its fields in order. */
export async function present(call: Spoken, object: KubeObject): Promise<KubeObject> {
  return canonicalObject(call.definition, call.version.schema, await fromStorage(call, object));
}
