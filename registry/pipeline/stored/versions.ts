/** Objects cross from the version a client speaks to the version that is stored and back, at the edges of the pipeline only. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { cloneJson } from '../../../lib/json/clone.js';
import { type Maybe, andThen } from '../../../lib/maybe.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import type { ResourceDefinition } from '../../interface.js';
import { requestedApiVersion, storageApiVersion } from './api-versions.js';
import type { RequestScope } from '../interface.js';
import { canonicalObject } from './layout.js';
import { refit, trim } from './refit.js';

type Converted = Maybe<KubeObject>;
/** What of a call matters to versions. */
type Spoken = Pick<RequestScope, 'definition' | 'version'>;

/** An object of any version in the version of the call, without more ado; shares parts with what is given. */
export function inVersion(call: Spoken, object: KubeObject): Converted {
  const wanted = requestedApiVersion(call);
  if (object.apiVersion === wanted) return object;
  const { convert } = call.definition;
  return convert ? convert(object, call.version.name) : { ...object, apiVersion: wanted };
}

/** A stored object in the version of the call: the shared one itself when that is its version. */
// as apiextensions-apiserver/pkg/apiserver schemaCoercingConverter: what is converted is pruned, and nothing is filled in
function fromStorage(call: Spoken, object: KubeObject): Converted {
  const { convert, wire } = call.definition;
  if (convert || wire.keys === 'declared' || object.apiVersion === requestedApiVersion(call))
    return inVersion(call, object);
  return trim({ ...cloneJson(object), apiVersion: requestedApiVersion(call) }, call.version.schema);
}

/**
 * A draft of the call's version as the storage version, with what that fills in; the draft may be changed on the way. Conversion by itself fills
 * nothing in: who owns which fields is found out by it, too.
 */
function toStorage(call: Spoken, draft: KubeObject): Converted {
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
  return definition.wire.keys === 'declared' ? draft : trim(draft, storedSchema(definition));
}

/** By what is stored is written. */
function storedSchema({ versions, storageVersion, plural }: ResourceDefinition): Schema {
  const stored = versions.find(({ name }) => name === storageVersion);
  if (!stored) throw new Error(`${plural} has no version ${storageVersion}`);
  return stored.schema;
}

/** A draft as the rules of its kind see it. */
export function toInternalVersion(call: Spoken, draft: KubeObject): Converted {
  return call.definition.rules === 'spoken' ? draft : toStorage(call, draft);
}

/** What is to be stored of an object that the rules have passed. */
export interface StorageForm {
  readonly draft: KubeObject;
  /** The schema that it is read by knows of more than was written: who reads it gets that, too, though it is not stored. */
  readonly lacking: boolean;
}

/** An object that the rules have passed, as it is stored. */
export function toStorageVersion(call: Spoken, judged: KubeObject): Maybe<StorageForm> {
  const { definition, version } = call;
  if (definition.rules !== 'spoken') return { draft: judged, lacking: false };
  if (version.name === definition.storageVersion)
    return { draft: judged, lacking: lacksStatus(judged, version.schema) };
  return andThen(toStorage(call, judged), draft => ({ draft, lacking: true }));
}

/** What was sent as status has been dropped, and its default with it. */
const lacksStatus = (object: KubeObject, { properties }: Schema): boolean =>
  object['status'] === undefined && properties?.['status']?.default !== undefined;

/** As if it had been stored and read again, in the storage version: what a dry run answers. */
export async function storageRoundTrip(call: Spoken, judged: KubeObject): Promise<KubeObject> {
  const { draft, lacking } = await toStorageVersion(call, judged);
  return lacking ? refit(draft, storedSchema(call.definition)) : draft;
}

/** An object of the storage version as clients of the call get it: converted, its fields in order. */
export async function toRequestedVersion(call: Spoken, object: KubeObject): Promise<KubeObject> {
  return canonicalObject(call.definition, call.version.schema, await fromStorage(call, object));
}

/** Several at once, where somebody else converts that many; undefined: they are presented one by one. */
export function allToRequestedVersion(
  { definition, version }: Spoken,
  items: readonly { readonly object: KubeObject }[],
): Promise<readonly KubeObject[]> | undefined {
  const { convertAll } = definition;
  if (!convertAll || items.length < 2) return undefined;
  return convertAll(
    items.map(({ object }) => object),
    version.name,
  ).then(all => all.map(object => canonicalObject(definition, version.schema, object)));
}
