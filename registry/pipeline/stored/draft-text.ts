/** The text of a draft, and the gap in it for resourceVersion. */
import type { KubeObject, ObjectMeta } from '../../../apimachinery/interface.js';
import { textWithManagedFields } from '../../../apimachinery/patch/managed-fields.js';
import type { LargeIntegers } from '../../../lib/json/json.js';
import { jsonTextSteps } from '../../../lib/json/text-steps.js';
import type { InSteps } from '../../../lib/time-slice.js';
import type { Layout } from './interface.js';

/** Returns how numbers beyond int64 are read: in custom resources they are floats; native kinds may contain raw JSON. */
export const beyondOf = (keys: Layout['keys']): LargeIntegers => (keys === 'sorted' ? 'float64' : 'exact');

/** Returns a copy with an unset resourceVersion, at the position of the field in the text. */
export function withSlot(metadata: ObjectMeta, keys: Layout['keys']): ObjectMeta {
  const out: Record<string, unknown> = {};
  for (const field in metadata) {
    if (field === 'resourceVersion') continue;
    if (field === 'uid' && keys === 'sorted') out['resourceVersion'] = undefined;
    out[field] = metadata[field as keyof ObjectMeta];
    if (field === 'uid' && keys === 'declared') out['resourceVersion'] = undefined;
  }
  return out;
}

interface DraftText {
  readonly bytes: Buffer;
  readonly gap: number;
  /** The same as text; undefined unless every character is one byte. */
  readonly ascii: string | undefined;
}

function cut(text: string, at: number): DraftText {
  const bytes = Buffer.from(text);
  if (bytes.length === text.length) return { bytes, gap: at, ascii: text };
  return { bytes, gap: Buffer.byteLength(text.slice(0, at)), ascii: undefined };
}

/**
 * Returns the text of an object with its fields in the order of their declaration. The values before metadata.uid are names without quotation
 * marks, so the first match is the uid.
 */
export function* declaredText(object: KubeObject): InSteps<DraftText> {
  const text = yield* textWithManagedFields(object.metadata, metadata =>
    metadata === object.metadata ? object : { ...object, metadata },
  );
  yield;
  const uid = `"uid":"${object.metadata.uid}"`;
  return cut(text, text.indexOf(uid) + uid.length);
}

/** Returns the text of an object with sorted fields, in steps. The uid is the last field of its metadata. */
export function* sortedText(object: KubeObject): InSteps<DraftText> {
  let text = '{';
  let at = 0;
  for (const field in object) {
    if (object[field] === undefined) continue;
    const value =
      field === 'metadata'
        ? yield* textWithManagedFields(object.metadata, metadata => metadata)
        : yield* jsonTextSteps(object[field]);
    text += `${text.length > 1 ? ',' : ''}${JSON.stringify(field)}:${value}`;
    if (field === 'metadata') at = text.length - `"uid":"${object.metadata.uid}"}`.length;
    yield;
  }
  return cut(text + '}', at);
}

const uidKey = Buffer.from('"uid":"');

/** Returns the position of the gap in bytes that begin with `head`, as this program writes them; -1 for bytes of another form. */
export function findGap(raw: Buffer, head: Buffer): number {
  if (raw.compare(head, 0, head.length, 0, Math.min(head.length, raw.length)) !== 0) return -1;
  const uid = raw.indexOf(uidKey, head.length);
  return uid < 0 ? -1 : raw.indexOf(0x22, uid + uidKey.length) + 1;
}
