/**
 * Stored objects and their bytes. An object is encoded once, without resourceVersion, for the store; the revision of the commit is
 * then put into its gap, and these bytes are what every reader gets. What was read from the store gets its revision when it is first
 * asked for.
 *
 *   draft:   {"kind":"K","apiVersion":"V","metadata":{"name":"n","uid":"u"|,"creationTimestamp":...},...}      | = gap
 *   stored:  {"kind":"K","apiVersion":"V","metadata":{"name":"n","uid":"u","resourceVersion":"7","creationTimestamp":...},...}
 */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { textWithManagedFields } from '../../../apimachinery/patch/managed-fields.js';
import type { Revision } from '../../../storage/interface.js';
import type { Stored } from '../interface.js';
import { DeltaBases } from './delta.js';
import { declaredText, findGap, plainText, sortedText, withSlot } from './draft-text.js';
import type { Draft, Encoding, Layout, StoredCodec } from './interface.js';
import type { RecentBytes } from './recent-bytes.js';
import { compactBelow, StoredVersion } from './stored-version.js';

/** hot: every update. Whether writing the draft would change nothing. */
export function sameBytes(stored: Stored, draft: Draft): boolean {
  return (stored as StoredVersion).isMadeOf(draft);
}

/** Returns the same object at another revision, for the event of an object that was deleted or left a selection. */
export function atRevision(stored: Stored, revision: Revision): Stored {
  return (stored as StoredVersion).at(revision);
}

/** Returns the object when it is parsed already. */
export const objectInMemory = (stored: Stored): KubeObject | undefined => (stored as StoredVersion).inMemory;

/** Returns the labels, which stay in memory when the parsed object is dropped. */
export const labelsOf = (stored: Stored): Readonly<Record<string, string>> | undefined =>
  (stored as StoredVersion).labels;

/** Keeps a replaced version in less memory: from now on only reads of the past and late watchers need it. */
export const replaceBy = (stored: Stored, newer: Stored): void =>
  (stored as StoredVersion).replaceBy(newer as StoredVersion);

/** Returns about how many bytes the object keeps in memory. */
export const sizeOf = (stored: Stored): number => (stored as StoredVersion).size;

/** Returns a value that is computed from the object once and kept with it: values of field selectors. */
export function remembered<T>(stored: Stored, compute: (object: KubeObject) => T): T {
  const held = stored as StoredVersion;
  return (held.memo ??= compute(held.object)) as T;
}

/** Whether the bytes keep a larger buffer in memory, as that of a message or a file. Node's pool is no such buffer: its bytes are all of stored objects. */
const isPartOfMore = ({ buffer, length }: Buffer): boolean =>
  buffer.byteLength > 2 * length && buffer.byteLength > Buffer.poolSize;

/** Returns the codec of one resource. `recent` compacts values that are not used; absent, values keep their buffers. */
export function storedCodec(layout: Layout, recent?: RecentBytes): StoredCodec {
  const type = `"kind":${JSON.stringify(layout.kind)},"apiVersion":${JSON.stringify(layout.apiVersion)},`;
  const head = Buffer.from(`{${type}`);
  const typeLength = layout.itemsCarryType ? 0 : type.length;

  const encoding: Encoding = {
    layout,
    recent,
    bases: new DeltaBases(),
    typeLength,
    draft(key, object, lacking = false, over) {
      const canonical = layout.canonical(object, over && objectInMemory(over));
      canonical.metadata = withSlot(canonical.metadata, layout.keys);
      // The field sets of a new object are its own, and have no text yet.
      const text = over ? textWithManagedFields : plainText;
      const { bytes, gap, ascii } =
        layout.keys === 'declared' ? declaredText(canonical, text) : sortedText(canonical, text);
      return { key, revision: 0 as Revision, json: bytes, gap, text: ascii, typeLength, object: canonical, lacking };
    },
  };

  return {
    draft: encoding.draft,
    encode: value => layout.encode?.(value) ?? value.json,
    restorable: value => (value instanceof StoredVersion && value.isRestorable ? value : undefined),
    adopt(value, key, revision) {
      const { json, gap, object, lacking, text } = value as Draft;
      if (lacking) return new StoredVersion(encoding, key, revision, json, -1);
      const held = new StoredVersion(encoding, key, revision, json, gap);
      held.adopt(object);
      if (recent && text !== undefined && text.length < compactBelow) held.keepText(text);
      else void held.json; // the draft's bytes may be a part of a pooled buffer
      return held;
    },
    decode(bytes, key, revision) {
      const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const gap = layout.keys === 'declared' ? findGap(raw, head) : -1;
      const held = new StoredVersion(encoding, key, revision, raw, gap);
      if (gap >= 0 && isPartOfMore(raw)) void held.json;
      return held;
    },
  };
}
