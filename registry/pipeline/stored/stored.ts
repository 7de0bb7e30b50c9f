/**
 * Stored objects and their bytes. An object is encoded once, without resourceVersion, for the store; the revision of the commit is
 * then inserted into the gap, and every reader gets these bytes. Objects that were read from the store get their revision on first use.
 *
 *   draft:   {"kind":"K","apiVersion":"V","metadata":{"name":"n","uid":"u"|,"creationTimestamp":...},...}      | = gap
 *   stored:  {"kind":"K","apiVersion":"V","metadata":{"name":"n","uid":"u","resourceVersion":"7","creationTimestamp":...},...}
 */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { textWithManagedFields } from '../../../apimachinery/patch/managed-fields.js';
import type { Revision } from '../../../storage/interface.js';
import type { Stored } from '../interface.js';
import { DeltaBases, DeltaCoder } from './delta.js';
import { declaredText, findGap, plainText, sortedText, withSlot } from './draft-text.js';
import type { Draft, Encoding, Layout, StoredCodec } from './interface.js';
import type { RecentBytes } from './recent-bytes.js';
import { compactBelow, StoredVersion } from './stored-version.js';

/** hot: every update. Reports whether a write of the draft would change no byte. */
export function sameBytes(stored: Stored, draft: Draft): boolean {
  return (stored as StoredVersion).equals(draft);
}

/** Returns the same object at another revision, for the event of an object that was deleted or left a selection. */
export function atRevision(stored: Stored, revision: Revision): Stored {
  return (stored as StoredVersion).at(revision);
}

/** Returns the parsed object; undefined if it has not been parsed yet. */
export const objectInMemory = (stored: Stored): KubeObject | undefined => (stored as StoredVersion).inMemory;

/** Returns the labels, which stay in memory when the parsed object is dropped. */
export const labelsOf = (stored: Stored): Readonly<Record<string, string>> | undefined =>
  (stored as StoredVersion).labels;

/** Stores a replaced version in less memory, since only reads of past revisions and slow watchers still need it. */
export const replaceBy = (stored: Stored, newer: Stored): void =>
  (stored as StoredVersion).replaceBy(newer as StoredVersion);

/** Returns the approximate number of bytes that the object takes in memory. */
export const sizeOf = (stored: Stored): number => (stored as StoredVersion).size;

/** Returns a value that is computed from the object once and cached with it, such as the values of field selectors. */
export function memoized<T>(stored: Stored, compute: (object: KubeObject) => T): T {
  const version = stored as StoredVersion;
  return (version.memo ??= compute(version.object)) as T;
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
    typeLength,
    draft(key, object, incomplete = false, replaced) {
      const canonical = layout.canonical(object, replaced && objectInMemory(replaced));
      canonical.metadata = withSlot(canonical.metadata, layout.keys);
      // The field sets of a new object have no cached texts.
      const text = replaced ? textWithManagedFields : plainText;
      const { bytes, gap, ascii } =
        layout.keys === 'declared' ? declaredText(canonical, text) : sortedText(canonical, text);
      return { key, revision: 0 as Revision, json: bytes, gap, text: ascii, typeLength, object: canonical, incomplete };
    },
  };

  return {
    draft: encoding.draft,
    encode: value => layout.encode?.(value) ?? value.json,
    restorable: value => (value instanceof StoredVersion && value.isRestorable ? value : undefined),
    adopt(value, key, revision) {
      const { json, gap, object, incomplete, text } = value as Draft;
      if (incomplete) return new StoredVersion(encoding, key, revision, json, -1);
      const stored = new StoredVersion(encoding, key, revision, json, gap);
      stored.adopt(object);
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
