/** Decodes objects that do not come as text (in-process writes, results of patches) into the form that decoded text has. */
import { nativeSchemaFor } from '../../openapi/facts/load.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { goQuote } from '../../lib/go/go-text.js';
import { tooManyDefaults } from '../../apimachinery/meta/values.js';
import { badRequest, plainError } from '../../apimachinery/errors/status.js';
import { nameText, typeMetaText } from '../../apimachinery/patch/apply.js';
import { restoreFault } from '../../apimachinery/patch/restore-fault.js';
import { restoredInts } from '../../apimachinery/patch/restore-ints.js';
import { canonical } from '../../apimachinery/codec/canonical.js';
import { coerceObject } from '../../openapi/schema/coerce.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import { applyDefaults } from '../../openapi/schema/default.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import type { WireTraits } from '../interface.js';
import { subresourceOf } from '../subresources.js';
import { objectMetaSchema } from '../strategy/object-meta.js';
import type { RequestScope } from './interface.js';
import { noteSize } from './pause.js';
import { sortedCopy } from './stored/sorted-copy.js';

/** The part of a request that determines the type of its body. */
type Endpoint = Pick<RequestScope, 'definition' | 'version' | 'subresource'>;

export interface Decoded {
  readonly object: KubeObject;
  /** `unknown field "spec.foo"` */
  readonly unknown: readonly string[];
}

/** Returns a copy in the form of its type, without unknown fields. Throws DecodeError. */
export function decodeTyped(object: KubeObject, schema: Schema, keys: WireTraits['keys']): Decoded {
  if (keys === 'declared') return canonical<KubeObject>(object, schema);
  const copy = sortedCopy(object) as KubeObject;
  copy.metadata ??= {};
  const unknown = coerceObject(copy, schema, { objectMeta: objectMetaSchema() });
  return { object: copy, unknown: unknown.map(path => `unknown field ${goQuote(path)}`) };
}

/** Like `decodeTyped`, for objects that Go converts from unstructured ones: numbers are converted to the types of their fields. */
export function decodeRestored(object: KubeObject, schema: Schema, keys: WireTraits['keys']): Decoded {
  try {
    return decodeTyped(object, schema, keys);
  } catch (error) {
    if (!(error instanceof DecodeError) || keys === 'sorted') throw error;
    return decodeParts(restoredInts(object, schema), schema);
  }
}

/** Like `decodeTyped`; errors do not name a struct field, as those of Go types with their own UnmarshalJSON. */
function decodeParts(object: KubeObject, schema: Schema): Decoded {
  try {
    return decodeTyped(object, schema, 'declared');
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

/** Returns a copy of a caller's object without unknown fields. Throws 400 for values that do not match their types. */
export function decodeLoose(call: Endpoint, object: KubeObject): KubeObject {
  const body = bodySchema(call, object.kind);
  try {
    return body
      ? canonical<KubeObject>(object, body).object
      : decodeTyped(object, call.version.schema, call.definition.wire.keys).object;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}

/** Sets defaults in place, in the requested version. Throws 413 if they are too many. */
export function completeDraft(
  call: Omit<Endpoint, 'subresource'> & Pick<RequestScope, 'bodyBytes'>,
  draft: KubeObject,
): KubeObject {
  call.definition.defaults?.(draft, call.version.name);
  const added = applyDefaults(draft, call.version.schema);
  if (added === undefined) throw tooManyDefaults();
  // Defaults can make a large object of a short body.
  if (added > 0) noteSize(call, (call.bodyBytes ?? 0) + added);
  return draft;
}

/** Returns a decoded copy of the result of an apply. `applied` is the applied configuration. */
export function decodeApplied(call: RequestScope, object: KubeObject, applied: KubeObject): KubeObject {
  if (call.definition.wire.keys === 'sorted') return decodeLoose(call, object);
  return restoreApplied(object, applied, call.version.schema);
}

/** Like `decodeApplied` for a native type. Throws upstream's 500 for values that do not match their types. */
// as apimachinery/pkg/util/managedfields/internal structuredMergeManager.Apply
export function restoreApplied(object: KubeObject, applied: KubeObject, schema: Schema): KubeObject {
  try {
    return decodeRestored(object, schema, 'declared').object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const why = `unable to convert unstructured object to ${typeMetaText(applied)}: ${restoreFault(object, schema) ?? error.message}`;
    throw plainError(`failed to convert new object (${nameText(applied)}) to proper version: ${why}`);
  }
}
