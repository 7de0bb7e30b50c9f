/**
 * Stored objects and their bytes. An object is encoded once, without resourceVersion, for the store; the revision of the commit is
 * then inserted into the gap, and every reader gets these bytes. Objects that were read from the store get their revision on first use.
 *
 *   draft:   {"kind":"K","apiVersion":"V","metadata":{"name":"n","uid":"u"|,"creationTimestamp":...},...}      | = gap
 *   stored:  {"kind":"K","apiVersion":"V","metadata":{"name":"n","uid":"u","resourceVersion":"7","creationTimestamp":...},...}
 */
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Codec, Revision } from '../../../storage/interface.js';
import { type InSteps, atOnce } from '../../../lib/time-slice.js';
import { DeltaBases, DeltaCoder } from '../../../lib/compression/delta.js';
import { declaredText, findGap, sortedText, withSlot } from './draft-text.js';
import type { EncodedDraft, Encoding, Layout } from './interface.js';
import type { RecentBytes } from '../../../lib/compression/recent-bytes.js';
import { ReplacedObjects } from './replaced-objects.js';
import { StoredVersion } from './stored-version.js';

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

/** As in `Encoding.draft`. */
type Replaced = Parameters<Encoding['draft']>[3];

/** Encodes the objects of one resource. */
class ObjectEncoding implements Encoding {
  readonly layout: Layout;
  readonly recent: RecentBytes | undefined;
  readonly bases: DeltaBases;
  readonly replaced = new ReplacedObjects();
  readonly typeLength: number;

  constructor(layout: Layout, recent: RecentBytes | undefined, coder: DeltaCoder) {
    this.layout = layout;
    this.recent = recent;
    this.bases = new DeltaBases(coder);
    this.typeLength = layout.itemsCarryType ? 0 : typeText(layout).length;
  }

  readonly draft: Encoding['draft'] = (key, object, incomplete, replaced) =>
    atOnce(this.#draftSteps(key, object, incomplete, replaced));

  readonly draftSteps: Encoding['draftSteps'] = (key, object, incomplete, replaced) =>
    this.#draftSteps(key, object, incomplete, replaced);

  *#draftSteps(key: string, object: KubeObject, incomplete = false, replaced?: Replaced): InSteps<EncodedDraft> {
    const draft = yield* this.#formSteps(key, object, replaced);
    if (!incomplete || !this.layout.completeSteps) return draft;
    yield;
    const complete = yield* this.#formSteps(key, yield* this.layout.completeSteps(draft.object), replaced);
    return complete.json.equals(draft.json) ? draft : { ...draft, complete };
  }

  *#formSteps(key: string, object: KubeObject, replaced: Replaced): InSteps<EncodedDraft> {
    const { layout, typeLength } = this;
    const canonical = yield* layout.canonicalSteps(object, replaced?.inMemory);
    yield;
    canonical.metadata = withSlot(canonical.metadata, layout.keys);
    const { bytes, gap, ascii } = yield* layout.keys === 'declared' ? declaredText(canonical) : sortedText(canonical);
    const revision = 0 as Revision;
    return { key, revision, json: bytes, gap, text: ascii, typeLength, object: canonical, complete: undefined };
  }
}

/** Returns the first fields of the objects of a layout, with the comma after them. */
const typeText = ({ kind, apiVersion }: Layout): string =>
  `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;

/** Returns the codec of one resource. `recent` compacts unused values; if absent, values keep their buffers. The resources of a server share `coder`. */
export function storedCodec(layout: Layout, recent?: RecentBytes, coder = new DeltaCoder()): StoredCodec {
  const head = Buffer.from(`{${typeText(layout)}`);
  const encoding = new ObjectEncoding(layout, recent, coder);
  return {
    draft: encoding.draft,
    draftSteps: encoding.draftSteps,
    encode: value => layout.encode?.(value) ?? value.json,
    restorable: value => value.asHolder(),
    prepare: value => value.decoding(),
    adopt(draft, key, revision) {
      const form = draft.complete ?? draft;
      const { json, gap, object } = form;
      const stored = new StoredVersion(encoding, key, revision, json, gap);
      stored.adopt(object);
      if (draft.complete) stored.keepWritten(draft.json);
      stored.keepForm(form);
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
