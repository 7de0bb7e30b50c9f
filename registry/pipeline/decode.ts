/** Decodes objects that do not come as text (in-process writes, results of patches) into the form that decoded text has. */
import { nativeSchemaFor } from '../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { goQuote } from '../../lib/go/go-text.js';
import type { Maybe } from '../../lib/maybe.js';
import type { InSteps } from '../../lib/time-slice.js';
import { tooManyDefaults } from '../../apimachinery/meta/values.js';
import { badRequest, plainError } from '../../apimachinery/errors/status.js';
import { nameText, typeMetaText } from '../../apimachinery/patch/apply.js';
import { restoreFault } from '../../apimachinery/patch/restore-fault.js';
import { restoredInts } from '../../apimachinery/patch/restore-ints.js';
import { canonicalInSteps } from '../../apimachinery/codec/canonical.js';
import { coerceObjectSteps } from '../../openapi/schema/coerce.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import { applyDefaultsSteps } from '../../openapi/schema/default.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import type { WireTraits } from '../interface.js';
import { subresourceOf } from '../subresources.js';
import { objectMetaSchema } from '../strategy/object-meta.js';
import type { RequestScope } from './interface.js';
import { noteSize, noteValues, stepsOf } from './pause.js';
import { sortedCopySteps } from './stored/sorted-copy.js';

/** The part of a request that determines the type of its body. */
type Endpoint = Pick<RequestScope, 'definition' | 'version' | 'subresource'>;
type Sized = Pick<RequestScope, 'bodyBytes'>;

export interface Decoded {
  readonly object: KubeObject;
  /** `unknown field "spec.foo"` */
  readonly unknown: readonly string[];
}

/** Returns a copy in the form of its type, without unknown fields, in steps, for objects that may be large. Throws DecodeError. */
export function* decodeTypedSteps(object: KubeObject, schema: Schema, keys: WireTraits['keys']): InSteps<Decoded> {
  if (keys === 'declared') return yield* canonicalInSteps<KubeObject>(object, schema);
  const copy = (yield* sortedCopySteps(object)) as KubeObject;
  copy.metadata ??= {};
  const unknown = yield* coerceObjectSteps(copy, schema, { objectMeta: objectMetaSchema() });
  return { object: copy, unknown: unknown.map(path => `unknown field ${goQuote(path)}`) };
}

/** As `decodeTypedSteps`, for objects that Go converts from unstructured ones: numbers are converted to the types of their fields. */
export function* decodeRestoredSteps(object: KubeObject, schema: Schema, keys: WireTraits['keys']): InSteps<Decoded> {
  try {
    return yield* decodeTypedSteps(object, schema, keys);
  } catch (error) {
    if (!(error instanceof DecodeError) || keys === 'sorted') throw error;
    yield;
    return yield* decodeParts(restoredInts(object, schema), schema);
  }
}

/** As `decodeTypedSteps`; errors do not name a struct field, as those of Go types with their own UnmarshalJSON. */
function* decodeParts(object: KubeObject, schema: Schema): InSteps<Decoded> {
  try {
    return yield* decodeTypedSteps(object, schema, 'declared');
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(error.message.replace(/ into Go struct field \S+ of type /, ' into Go value of type '));
  }
}

/** Returns the schema of the body if it is not the resource: a Scale, or the input of an action; undefined for writes of the action itself, too. */
export function bodySchema(endpoint: Endpoint, kind: string): Schema | undefined {
  const part = subresourceOf(endpoint);
  if (part?.type === 'scale') return nativeSchemaFor({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
  return part?.type === 'action' && !(part.rules && kind === endpoint.definition.kind)
    ? nativeSchemaFor(part.kind)
    : undefined;
}

/**
 * Returns a copy of a caller's object without unknown fields. Throws 400, or rejects with it, for values that do not match their types. hot: only large
 * objects, which the caller must not change meanwhile, are decoded in time slices.
 */
export function decodeLoose(call: Endpoint & Sized, object: KubeObject): Maybe<KubeObject> {
  noteValues(call, object);
  return stepsOf(call, decodeLooseSteps(call, object));
}

/** As `decodeLoose`, in steps. */
export function* decodeLooseSteps(call: Endpoint, object: KubeObject): InSteps<KubeObject> {
  const body = bodySchema(call, object.kind);
  try {
    return body
      ? (yield* canonicalInSteps<KubeObject>(object, body)).object
      : (yield* decodeTypedSteps(object, call.version.schema, call.definition.wire.keys)).object;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}

type DefaultedCall = Omit<Endpoint, 'subresource'> & Sized;

/** Sets defaults in place, in the requested version. Throws 413, or rejects with it, if they are too many. hot: only a large draft takes time slices. */
export const completeDraft = (call: DefaultedCall, draft: KubeObject): Maybe<KubeObject> =>
  stepsOf(call, completeDraftSteps(call, draft));

/** As `completeDraft`, in steps. */
export function* completeDraftSteps(call: DefaultedCall, draft: KubeObject): InSteps<KubeObject> {
  call.definition.defaults?.(draft, call.version.name);
  const added = yield* applyDefaultsSteps(draft, call.version.schema);
  if (added === undefined) throw tooManyDefaults();
  // Defaults can make a large object of a short body.
  if (added > 0) noteSize(call, (call.bodyBytes ?? 0) + added);
  return draft;
}

/** Returns a decoded copy of the result of an apply. `applied` is the applied configuration. */
export function decodeApplied(call: RequestScope, object: KubeObject, applied: KubeObject): Maybe<KubeObject> {
  if (call.definition.wire.keys === 'sorted') return decodeLoose(call, object);
  return stepsOf(call, restoreAppliedSteps(object, applied, call.version.schema));
}

/** As `decodeApplied`, in steps, for a native type. Throws upstream's 500 for values that do not match their types. */
// as apimachinery/pkg/util/managedfields/internal structuredMergeManager.Apply
export function* restoreAppliedSteps(object: KubeObject, applied: KubeObject, schema: Schema): InSteps<KubeObject> {
  try {
    return (yield* decodeRestoredSteps(object, schema, 'declared')).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    yield;
    const why = `unable to convert unstructured object to ${typeMetaText(applied)}: ${restoreFault(object, schema) ?? error.message}`;
    throw plainError(`failed to convert new object (${nameText(applied)}) to proper version: ${why}`);
  }
}
