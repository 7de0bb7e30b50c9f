/** Objects that do not come as text take the form in which a text would arrive: what the edges and patches of the pipeline hand on. */
import { nativeSchemaFor } from '../../openapi/facts/load.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { goQuote } from '../../lib/go/go-text.js';
import { tooManyDefaults } from '../../apimachinery/meta/values.js';
import { badRequest, plainError } from '../../apimachinery/errors/status.js';
import { nameText, typeText } from '../../apimachinery/patch/apply.js';
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

/** What of a call matters to the form of its objects. */
type Endpoint = Pick<RequestScope, 'definition' | 'version' | 'subresource'>;

export interface Decoded {
  readonly object: KubeObject;
  /** `unknown field "spec.foo"` */
  readonly unknown: readonly string[];
}

/** In the form of its type, without fields that this does not know; a copy. Throws DecodeError. */
export function decode(object: KubeObject, schema: Schema, keys: WireTraits['keys']): Decoded {
  if (keys === 'declared') return canonical<KubeObject>(object, schema);
  const copy = sortedCopy(object) as KubeObject;
  copy.metadata ??= {};
  const unknown = coerceObject(copy, schema, { objectMeta: objectMetaSchema() });
  return { object: copy, unknown: unknown.map(path => `unknown field ${goQuote(path)}`) };
}

/** The same of what Go restores from an unstructured object: numbers that do not fit their fields are made to. */
export function decodeRestored(object: KubeObject, schema: Schema, keys: WireTraits['keys']): Decoded {
  try {
    return decode(object, schema, keys);
  } catch (error) {
    if (!(error instanceof DecodeError) || keys === 'sorted') throw error;
    return decodeParts(restoredInts(object, schema), schema);
  }
}

/** Types that read themselves do not know where they stand. */
function decodeParts(object: KubeObject, schema: Schema): Decoded {
  try {
    return decode(object, schema, 'declared');
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(error.message.replace(/ into Go struct field \S+ of type /, ' into Go value of type '));
  }
}

/** The body that a request to the endpoint has: its object, a Scale, or what an action takes (the object when the action itself writes it). */
export function bodySchema(endpoint: Endpoint, kind: string): Schema | undefined {
  const part = subresourceOf(endpoint);
  if (part?.type === 'scale') return nativeSchemaFor({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
  return part?.type === 'action' && !(part.rules && kind === endpoint.definition.kind)
    ? nativeSchemaFor(part.kind)
    : undefined;
}

/** A copy of a caller's object, without unknown fields. Throws 400 for what does not fit its type. */
export function decodeLoose(call: Endpoint, object: KubeObject): KubeObject {
  const body = bodySchema(call, object.kind);
  try {
    return body
      ? canonical<KubeObject>(object, body).object
      : decode(object, call.version.schema, call.definition.wire.keys).object;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}

/** Fills what the object leaves out, in place, in the version it is written in. */
export function completeDraft(
  call: Omit<Endpoint, 'subresource'> & Pick<RequestScope, 'bodyBytes'>,
  draft: KubeObject,
): KubeObject {
  call.definition.defaults?.(draft, call.version.name);
  const added = applyDefaults(draft, call.version.schema);
  if (added === undefined) throw tooManyDefaults();
  // A short body can make a large object.
  if (added > 0) noteSize(call, (call.bodyBytes ?? 0) + added);
  return draft;
}

/** The result of an apply; a copy. `applied`: what was applied. */
export function decodeApplied(call: RequestScope, object: KubeObject, applied: KubeObject): KubeObject {
  if (call.definition.wire.keys === 'sorted') return decodeLoose(call, object);
  return restoreApplied(object, applied, call.version.schema);
}

/** The same of a native type. Throws the 500 that upstream gives for what does not fit it. */
// as apimachinery/pkg/util/managedfields/internal structuredMergeManager.Apply
export function restoreApplied(object: KubeObject, applied: KubeObject, schema: Schema): KubeObject {
  try {
    return decodeRestored(object, schema, 'declared').object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const why = `unable to convert unstructured object to ${typeText(applied)}: ${restoreFault(object, schema) ?? error.message}`;
    throw plainError(`failed to convert new object (${nameText(applied)}) to proper version: ${why}`);
  }
}
