/** Conversion between the requested version, the version of the rules (`ResourceDefinition.rulesVersion`) and the storage version. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { type Maybe, andThen } from '../../../lib/maybe.js';
import { type InSteps, inTimeSlices } from '../../../lib/time-slice.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import type { ResourceDefinition } from '../../interface.js';
import { requestedApiVersion, storageApiVersion } from './api-versions.js';
import type { RequestScope } from '../interface.js';
import { canonicalSteps } from './layout.js';
import { stepsOf } from '../pause.js';
import { pruneAndDefaultSteps, pruneObjectSteps } from './prune-object.js';
import { sortedCopySteps } from './sorted-copy.js';

type Converted = Maybe<KubeObject>;
/** The part of a request that conversion needs. */
type VersionScope = Pick<RequestScope, 'definition' | 'version'>;

/** Converts an object of any version to the requested version, without pruning or defaults. The result shares parts with the object. */
export function inVersion(call: VersionScope, object: KubeObject): Converted {
  const requested = requestedApiVersion(call);
  if (object.apiVersion === requested) return object;
  const { convert } = call.definition;
  return convert ? convert(object, call.version.name) : { ...object, apiVersion: requested };
}

/** Returns a stored object in the requested version; the shared object itself if it has that version. */
// as apiextensions-apiserver/pkg/apiserver schemaCoercingConverter: the result is pruned, and gets no defaults
function fromStorage(call: VersionScope, object: KubeObject): Converted {
  const { convert, wire } = call.definition;
  if (convert || wire.keys === 'declared' || object.apiVersion === requestedApiVersion(call))
    return inVersion(call, object);
  return inTimeSlices(prunedCopySteps(call, object));
}

function* prunedCopySteps(call: VersionScope, object: KubeObject): InSteps<KubeObject> {
  const copy = (yield* sortedCopySteps(object)) as KubeObject;
  copy.apiVersion = requestedApiVersion(call);
  return yield* pruneObjectSteps(copy, call.version.schema);
}

/** The part of a write that conversion needs. */
type WriteScope = VersionScope & Pick<RequestScope, 'bodyBytes'>;

/**
 * Converts a draft of the requested version to the storage version, and sets the defaults of that version; may change the draft.
 * `ResourceDefinition.convert` sets no defaults, since field ownership uses it, too.
 */
function toStorage(call: WriteScope, draft: KubeObject): Converted {
  const { definition } = call;
  const storage = storageApiVersion(definition);
  if (draft.apiVersion === storage) return draft;
  const { convert, storageVersion, storageGroup } = definition;
  if (convert) {
    const converted = convert(draft, storageVersion, storageGroup);
    if (!(converted instanceof Promise)) definition.defaults?.(converted, storageVersion);
    return converted;
  }
  draft.apiVersion = storage;
  if (definition.wire.keys === 'declared') return draft;
  return stepsOf(call, pruneObjectSteps(draft, storedSchema(definition)));
}

/** Returns the schema of the storage version. */
function storedSchema({ versions, storageVersion, plural }: ResourceDefinition): Schema {
  const stored = versions.find(({ name }) => name === storageVersion);
  if (!stored) throw new Error(`${plural} has no version ${storageVersion}`);
  return stored.schema;
}

/** Converts a draft of the requested version to the version of the rules. */
export function toInternalVersion(call: WriteScope, draft: KubeObject): Converted {
  return call.definition.rulesVersion === 'requested' ? draft : toStorage(call, draft);
}

/** A validated object in the storage version. */
interface StorageForm {
  readonly draft: KubeObject;
  /** The schema has defaults that readers get, and that are not stored. */
  readonly incomplete: boolean;
}

/** Converts a validated object to the storage version. */
export function toStorageVersion(call: WriteScope, object: KubeObject): Maybe<StorageForm> {
  const { definition, version } = call;
  if (definition.rulesVersion !== 'requested') return { draft: object, incomplete: false };
  if (version.name === definition.storageVersion)
    return { draft: object, incomplete: lacksStatus(object, version.schema) };
  return andThen(toStorage(call, object), draft => ({ draft, incomplete: true }));
}

/** Reports whether the status was dropped, and its default with it. */
const lacksStatus = (object: KubeObject, { properties }: Schema): boolean =>
  object['status'] === undefined && properties?.['status']?.default !== undefined;

/** Returns a validated object as if it had been stored and read again, in the storage version, for the answer of a dry run. */
export async function storageRoundTrip(call: WriteScope, object: KubeObject): Promise<KubeObject> {
  const { draft, incomplete } = await toStorageVersion(call, object);
  return incomplete ? stepsOf(call, pruneAndDefaultSteps(draft, storedSchema(call.definition))) : draft;
}

/** Converts an object of the storage version to the requested version, with its fields in order. */
export async function toRequestedVersion(call: VersionScope, object: KubeObject): Promise<KubeObject> {
  return inTimeSlices(canonicalSteps(call.definition, call.version.schema, await fromStorage(call, object)));
}

/** Converts several objects with one call of the webhook; undefined if the kind converts them one by one. */
export function allToRequestedVersion(
  { definition, version }: VersionScope,
  items: readonly { readonly object: KubeObject }[],
): Promise<readonly KubeObject[]> | undefined {
  const { convertAll } = definition;
  if (!convertAll || items.length < 2) return undefined;
  return convertAll(
    items.map(({ object }) => object),
    version.name,
  ).then(all => inTimeSlices(allCanonicalSteps(definition, version.schema, all)));
}

function* allCanonicalSteps(
  definition: ResourceDefinition,
  schema: Schema,
  objects: readonly KubeObject[],
): InSteps<readonly KubeObject[]> {
  const made: KubeObject[] = [];
  for (const object of objects) {
    made.push(yield* canonicalSteps(definition, schema, object));
    yield;
  }
  return made;
}
