/**
 * Stored objects and their bytes. An object is encoded once, without resourceVersion, for the store; the revision of the commit is
 * then inserted into the gap, and every reader gets these bytes. Objects that were read from the store get their revision on first use.
 *
 *   draft:   {"kind":"K","apiVersion":"V","metadata":{"name":"n","uid":"u"|,"creationTimestamp":...},...}      | = gap
 *   stored:  {"kind":"K","apiVersion":"V","metadata":{"name":"n","uid":"u","resourceVersion":"7","creationTimestamp":...},...}
 */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { textWithManagedFields } from '../../../apimachinery/patch/managed-fields.js';
import type { Codec, Revision } from '../../../storage/interface.js';
import { type InSteps, atOnce } from '../../../lib/time-slice.js';
import { DeltaBases, DeltaCoder } from '../../../lib/compression/delta.js';
import { declaredText, findGap, plainText, sortedText, withSlot } from './draft-text.js';
import type { EncodedDraft, Encoding, Layout } from './interface.js';
import type { RecentBytes } from '../../../lib/compression/recent-bytes.js';
import { ReplacedObjects } from './replaced-objects.js';
import { compactBelow, StoredVersion } from './stored-version.js';

/** Encodes and decodes the objects of a resource. */
export interface StoredCodec extends Codec<StoredVersion, EncodedDraft> {
  /** Returns the stored form of a draft that was written, at the revision of the commit. The caller must not use the draft afterwards. */
  adopt(draft: EncodedDraft, key: string, revision: Revision): StoredVersion;
  /** As `Encoding.draft`. */
  draft: Encoding['draft'];
  /** As `Encoding.draftSteps`. */
  draftSteps: Encoding['draftSteps'];
}

/**
 * Reports whether the bytes keep a larger buffer in memory, such as a message or a file. Node's pool does not count, since all of its bytes belong to
 * stored objects.
 */
const isSlice = ({ buffer, length }: Buffer): boolean =>
  buffer.byteLength > 2 * length && buffer.byteLength > Buffer.poolSize;

/** Returns the codec of one resource. `recent` compacts unused values; if absent, values keep their buffers. The resources of a server share `coder`. */
export function storedCodec(layout: Layout, recent?: RecentBytes, coder = new DeltaCoder()): StoredCodec {
  const type = `"kind":${JSON.stringify(layout.kind)},"apiVersion":${JSON.stringify(layout.apiVersion)},`;
  const head = Buffer.from(`{${type}`);
  const typeLength = layout.itemsCarryType ? 0 : type.length;

  const encoding: Encoding = {
    layout,
    recent,
    bases: new DeltaBases(coder),
    replaced: new ReplacedObjects(),
    typeLength,
    draft: (key, object, incomplete, replaced) => atOnce(encoding.draftSteps(key, object, incomplete, replaced)),
    *draftSteps(key, object, incomplete = false, replaced) {
      const draft = yield* formSteps(key, object, replaced);
      if (!incomplete || !layout.completeSteps) return draft;
      yield;
      const complete = yield* formSteps(key, yield* layout.completeSteps(draft.object), replaced);
      return complete.json.equals(draft.json) ? draft : { ...draft, complete };
    },
  };

  /** `replaced` is as in `Encoding.draft`. */
  function* formSteps(
    key: string,
    object: KubeObject,
    replaced: Parameters<Encoding['draft']>[3],
  ): InSteps<EncodedDraft> {
    const canonical = yield* layout.canonicalSteps(object, replaced?.inMemory);
    yield;
    canonical.metadata = withSlot(canonical.metadata, layout.keys);
    // The field sets of a new object have no cached texts.
    const text = replaced ? textWithManagedFields : plainText;
    const { bytes, gap, ascii } = yield* layout.keys === 'declared'
      ? declaredText(canonical, text)
      : sortedText(canonical, text);
    const revision = 0 as Revision;
    return { key, revision, json: bytes, gap, text: ascii, typeLength, object: canonical, complete: undefined };
  }

  return {
    draft: encoding.draft,
    draftSteps: encoding.draftSteps,
    encode: value => layout.encode?.(value) ?? value.json,
    restorable: value => value.asHolder(),
    adopt(draft, key, revision) {
      const { json, gap, object, text } = draft.complete ?? draft;
      const stored = new StoredVersion(encoding, key, revision, json, gap);
      stored.adopt(object);
      if (draft.complete) stored.keepWritten(draft.json);
      if (recent && text !== undefined && text.length < compactBelow) stored.keepText(text);
      else void stored.json; // the draft's bytes may be a part of a pooled buffer
      return stored;
    },
    decode(bytes, key, revision) {
      const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const gap = layout.keys === 'declared' ? findGap(raw, head) : -1;
      const stored = new StoredVersion(encoding, key, revision, raw, gap);
      if (gap >= 0 && isSlice(raw)) void stored.json;
      return stored;
    },
  };
}
