/**
 * Stored objects and their bytes. An object is encoded once, without resourceVersion, for the store; the revision of the commit is
 * then put into its gap, and these bytes are what every reader gets. What was read from the store gets its revision when it is first
 * asked for.
 *
 *   draft:   {"kind":"K","apiVersion":"V","metadata":{"name":"n","uid":"u"|,"creationTimestamp":...},...}      | = gap
 *   stored:  {"kind":"K","apiVersion":"V","metadata":{"name":"n","uid":"u","resourceVersion":"7","creationTimestamp":...},...}
 */
import type { KubeObject, ObjectMeta } from '../../../apimachinery/interface.js';
import { type Beyond, jsonText, parseJson } from '../../../lib/json/json.js';
import { textWithManagedFields } from '../../../apimachinery/patch/managed-fields.js';
import { internal } from '../../../apimachinery/errors/status.js';
import type { Codec, Revision } from '../../../storage/interface.js';
import type { ByteProbe } from '../../../client/interface.js';
import type { Stored } from '../interface.js';
import { Delta, DeltaBases } from './delta.js';
import { bytesBy, differenceOf } from './difference.js';
import type { BytesHolder, RecentBytes } from './recent-bytes.js';

/** How the objects of a resource are written. */
export interface Layout {
  /** Of the storage version. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly keys: 'declared' | 'sorted';
  readonly itemsCarryType: boolean;
  /**
   * A copy of the top at least, fields in the order of `keys`, nothing in it that is not written. What is in this form already is not copied, nor
   * what it has in common with `standing`, which is in this form.
   */
  canonical(object: KubeObject, standing?: KubeObject): KubeObject;
  /** Reads what we wrote, where that is more than JSON. */
  read?(text: string): KubeObject;
  /** Reads what somebody else wrote. */
  parse(bytes: Buffer): KubeObject;
  /** False when what somebody else wrote surely does not have the mark. Absent: nobody knows. */
  mayHave?(bytes: Buffer, mark: ByteProbe): boolean;
  /** What was written by somebody else or under another schema, as it would be written now. */
  normalize(object: KubeObject): KubeObject;
  /** A draft as it is written, where that is not its JSON. */
  encode?(draft: Pick<Stored, 'json' | 'object'>): Buffer;
  /**
   * What stands in the store, when its bytes are not those of the draft that is read of them: writing that would be a change. Absent:
   * what is read is what stands.
   */
  standing?(bytes: Buffer, draft: Pick<Stored, 'json' | 'object'>): KubeObject | undefined;
  /** Freeze what is handed out (tests). */
  readonly freeze: boolean;
}

/** An object on its way into the store: bytes and gap. */
export interface Draft extends Stored {
  readonly gap: number;
  /** The same as text, where every character is one byte. */
  readonly text: string | undefined;
  /** Its bytes are read anew: there is more in the object than was written. */
  readonly lacking: boolean;
}

export interface StoredCodec extends Codec<Stored> {
  /** The one whose bytes were written, at the revision of the commit: its object and bytes are taken over. */
  adopt(value: Stored, key: string, revision: Revision): Stored;
  /**
   * Encodes; the object becomes the store's: it is not to be changed any more. `lacking`: what is stored is not all that is read of it. `over`: what
   * stands there, with which it may have fields in common.
   */
  draft(key: string, object: KubeObject, lacking?: boolean, over?: Stored): Draft;
}

/** Would writing the draft change nothing? hot: every update. */
export function sameBytes(stored: Stored, draft: Draft): boolean {
  return (stored as Held).isMadeOf(draft);
}

/** The same object at another revision: what a watcher is told of an object that is gone, or left its selection. */
export function atRevision(stored: Stored, revision: Revision): Stored {
  return (stored as Held).at(revision);
}

/** The object, where it need not be read first. */
export const objectInMemory = (stored: Stored): KubeObject | undefined => (stored as Held).inMemory;

/** Labels, kept when the object itself is dropped. */
export const labelsOf = (stored: Stored): Readonly<Record<string, string>> | undefined => (stored as Held).labels;

/** Another is there in its place: only the past has use for it from now on, and it is kept in less memory. */
export const replaceBy = (stored: Stored, newer: Stored): void => (stored as Held).replaceBy(newer as Held);

/** Bytes that it keeps in memory, about. */
export const sizeOf = (stored: Stored): number => (stored as Held).size;

/** Something computed from the object once and kept with it: values of field selectors. */
export function remembered<T>(stored: Stored, compute: (object: KubeObject) => T): T {
  const held = stored as Held;
  return (held.memo ??= compute(held.object)) as T;
}

/** Custom resources have no numbers beyond int64 but floats; native kinds may keep JSON as it came. */
export const beyondOf = (keys: Layout['keys']): Beyond => (keys === 'sorted' ? 'float64' : 'exact');

interface Lines {
  readonly layout: Layout;
  readonly recent: RecentBytes | undefined;
  readonly bases: DeltaBases;
  /** Of every object. */
  readonly typeLength: number;
  draft(key: string, object: KubeObject, lacking?: boolean, over?: Stored): Draft;
}

const none: Readonly<Record<string, string>> = Object.freeze({});
const noBytes = Buffer.alloc(0);

/**
 * A value of this size or more keeps its buffer: the allocator maps large buffers one by one and returns them to the system when they are freed.
 */
const compactBelow = 64 << 10;

/** For two versions that are compared: no buffers of their own are made for that. */
const scratches = [Buffer.allocUnsafeSlow(compactBelow + 64), Buffer.allocUnsafeSlow(compactBelow + 64)] as const;

interface Needle {
  readonly bytes: Buffer;
  /** One character for each byte. */
  readonly text: string;
}

/** The few texts that are asked for, as they are looked for. */
const needles = new Map<string, Needle>();

function needleOf(text: string): Needle {
  const known = needles.get(text);
  if (known) return known;
  const bytes = Buffer.from(text);
  const needle = { bytes, text: bytes.toString('latin1') };
  needles.set(text, needle);
  return needle;
}

/** So many versions may have to be made, one of the other, to read a past one. */
const maxSteps = 8;

/** A version that is told by what it has that a newer one has not. */
interface Replaced {
  readonly newer: Held;
  readonly difference: string;
  /** Of its JSON. */
  readonly length: number;
}

/** hot: one for every version of every object that is there or in the past. */
class Held implements Stored, BytesHolder {
  readonly key: string;
  readonly revision: Revision;
  readonly codec: Lines;
  memo: unknown;
  usedAt = 0;
  #json: Buffer | undefined;
  /**
   * The same bytes, one character for each, when they were not used for a while. Of what was written here, the text without what stands in the
   * gap: `#insert` is 0 then. A delta where another object of the resource is much like it.
   */
  #compact: string | Delta | undefined;
  /** The version that this one repeats at another revision. */
  #source: Held | undefined;
  /** What the store gave, until somebody wants to read what clients receive: one of the two is there, or the next. */
  #raw: Buffer | undefined;
  #replaced: Replaced | undefined;
  /** How many older ones are made one of the other, and the first of this one. */
  #steps = 0;
  #gap: number;
  #insert = 0;
  /** Whether the bytes came in our own form. */
  readonly #original: boolean;
  /** Bytes that somebody else wrote, until they are looked at. */
  #foreign: Buffer | undefined;
  /** What stands in the store, where that is not what is read. */
  #standing: Buffer | undefined;
  #object: WeakRef<KubeObject> | undefined;
  #labels: Readonly<Record<string, string>> | undefined;

  constructor(codec: Lines, key: string, revision: Revision, bytes: Buffer | Held, gap: number) {
    this.codec = codec;
    this.key = key;
    this.revision = revision;
    this.#gap = gap;
    this.#original = gap >= 0;
    if (bytes instanceof Held) this.#source = bytes;
    else if (gap < 0) this.#foreign = bytes;
    else this.#raw = bytes;
  }

  at(revision: Revision): Held {
    return new Held(this.codec, this.key, revision, this, this.gap);
  }

  get typeLength(): number {
    return this.codec.typeLength;
  }

  #fill(raw: Uint8Array, gap: number): Buffer {
    const insert = this.#version;
    const json = Buffer.allocUnsafeSlow(raw.length + insert.length);
    json.set(raw.subarray(0, gap), 0);
    json.write(insert, gap, 'latin1');
    json.set(raw.subarray(gap), gap + insert.length);
    this.#gap = gap;
    this.#insert = insert.length;
    this.#raw = undefined;
    return this.#use(json);
  }

  /** Takes the text of a draft as its own. */
  keepText(text: string): void {
    this.#compact = text;
    this.#raw = undefined;
    this.codec.recent?.note(this);
  }

  get #compactText(): string | undefined {
    const compact = this.#compact;
    return compact instanceof Delta ? compact.text : compact;
  }

  /** The compact bytes, written into `room` or into a buffer of their own. */
  #expand(text: string, room?: Buffer): Buffer {
    const version = this.#insert > 0 ? '' : this.#version;
    const length = text.length + version.length;
    const bytes = room?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length);
    this.#writeText(text, version, bytes, 0);
    return bytes;
  }

  /** Writes the text with `version` in its gap, and returns where it ends. */
  #writeText(text: string, version: string, to: Buffer, at: number): number {
    if (version === '') return at + to.write(text, at, 'latin1');
    const middle = at + to.write(text.slice(0, this.#gap), at, 'latin1');
    const end = middle + to.write(version, middle, 'latin1');
    return end + to.write(text.slice(this.#gap), end, 'latin1');
  }

  /** hot: once per event of a watch. */
  between(head: Buffer, tail: Buffer): Buffer {
    const own = this.#json === undefined ? this.#compactText : undefined;
    const text = own ?? (this.#json === undefined ? this.#source?.plain : undefined);
    if (text === undefined) return Buffer.concat([head, this.json, tail]);
    const version = own !== undefined && this.#insert > 0 ? '' : this.#version;
    const bytes = Buffer.allocUnsafe(head.length + text.length + version.length + tail.length);
    tail.copy(bytes, this.#writeText(text, version, bytes, head.copy(bytes)));
    return bytes;
  }

  /** The text of what was written here, without what stands in the gap, where it is in memory. */
  get plain(): string | undefined {
    return this.#insert === 0 ? this.#compactText : undefined;
  }

  /** Keeps the bytes in a buffer for as long as they are read. */
  #use(json: Buffer): Buffer {
    this.#compact = undefined;
    this.#json = json;
    this.codec.recent?.note(this);
    return json;
  }

  compact(): void {
    // Most references lead nowhere by now, and each takes as much as a small object.
    if (this.#object?.deref() === undefined) this.#object = undefined;
    const json = this.#json;
    if (json !== undefined && json.length < compactBelow) {
      if (!this.#source) this.#compact = json.toString('latin1');
      this.#json = undefined;
    }
    if (typeof this.#compact === 'string') this.#compact = this.codec.bases.pack(this.#compact) ?? this.#compact;
  }

  /** What stands in the gap. */
  get #version(): string {
    const version = `"resourceVersion":"${this.revision}"`;
    return this.codec.layout.keys === 'declared' ? `,${version}` : `${version},`;
  }

  get json(): Buffer {
    if (this.#json) {
      this.usedAt = this.codec.recent?.now ?? 0;
      return this.#json;
    }
    const text = this.#compactText;
    if (text !== undefined) return this.#thaw(text);
    // Not kept: the past is read seldom, and by nobody twice.
    if (this.#replaced) return this.#past(this.#replaced);
    if (this.#raw) return this.#fill(this.#raw, this.#gap);
    if (this.#source) return this.#fill(this.#source.restore(), this.#gap);
    return this.#decode();
  }

  #thaw(text: string): Buffer {
    const json = this.#expand(text);
    this.#insert = json.length - text.length + this.#insert;
    return this.#use(json);
  }

  /** The bytes, to be looked at once: that does not make them recently used. */
  #bytes(room?: Buffer): Buffer {
    const text = this.#compactText;
    return text === undefined ? this.json : this.#expand(text, room);
  }

  #past({ difference, newer, length }: Replaced): Buffer {
    return bytesBy(difference, newer.#bytes(), length);
  }

  /** Bytes that somebody else wrote. */
  #decode(): Buffer {
    const { layout } = this.codec;
    const bytes = this.#foreign ?? noBytes;
    const draft = this.#read(bytes);
    const { json, gap, object } = draft;
    const standing = layout.standing?.(bytes, draft);
    const text = standing && this.codec.draft(this.key, standing).json;
    if (text && !text.equals(json)) this.#standing = text;
    this.#foreign = undefined;
    this.adopt(object);
    return this.#fill(json, gap);
  }

  /** Throws 500 for what is no object: it is known only now. */
  #read(bytes: Buffer): Draft {
    const { layout } = this.codec;
    try {
      return this.codec.draft(this.key, layout.normalize(layout.parse(bytes)));
    } catch (error) {
      throw internal(`the value of ${this.key} cannot be decoded: ${(error as Error).message}`);
    }
  }

  /** The bytes that it was made from; not for what somebody else wrote, which is not kept as it was. */
  restore(): Buffer {
    if (this.#raw) return this.#raw;
    const { plain } = this;
    if (plain !== undefined) return Buffer.from(plain, 'latin1');
    const { gap, insert } = this;
    const json = this.#bytes();
    return Buffer.concat([json.subarray(0, gap), json.subarray(gap + insert)]);
  }

  get isRestorable(): boolean {
    return this.#original;
  }

  /** hot. Bytes of others, which nobody has read yet, stay as they are. */
  replaceBy(newer: Held): void {
    // The collection of young objects takes weak references for strong ones: it would not go before the next full one.
    this.#object = undefined;
    if (this.#steps >= maxSteps || this.#foreign || newer.#foreign || this.#standing || this.#replaced) return;
    const json = this.#bytes(scratches[0]);
    const difference = differenceOf(json, newer.#bytes(scratches[1]));
    if (difference === undefined) return;
    this.#replaced = { newer, difference, length: json.length };
    this.#insert = this.#version.length;
    this.#json = undefined;
    this.#compact = undefined;
    newer.#steps = this.#steps + 1;
  }

  /** Without looking at what nobody has looked at yet. */
  get size(): number {
    if (this.#compact instanceof Delta) return this.#compact.size;
    return (this.#json ?? this.#compact ?? this.#raw ?? this.#replaced?.difference ?? this.#foreign)?.length ?? 0;
  }

  get gap(): number {
    if (this.#gap < 0) void this.json;
    return this.#gap;
  }

  /** Length of what stands in the gap. */
  get insert(): number {
    if (this.#insert === 0) void this.json;
    return this.#insert;
  }

  isMadeOf(draft: Draft): boolean {
    if (this.#raw) return this.#gap === draft.gap && this.#raw.equals(draft.json);
    const { plain } = this;
    if (plain !== undefined && draft.text !== undefined) return this.#gap === draft.gap && plain === draft.text;
    const { json, gap, insert } = this;
    if (this.#standing) return this.#standing.equals(draft.json);
    return (
      gap === draft.gap &&
      json.length - insert === draft.json.length &&
      json.compare(draft.json, 0, gap, 0, gap) === 0 &&
      json.compare(draft.json, gap, draft.json.length, gap + insert, json.length) === 0
    );
  }

  get inMemory(): KubeObject | undefined {
    return this.#object?.deref();
  }

  get object(): KubeObject {
    const known = this.#object?.deref();
    if (known) return known;
    const text = this.#text();
    return this.#object?.deref() ?? this.#keep(this.#parse(text));
  }

  #parse(text: string): KubeObject {
    const { read, keys } = this.codec.layout;
    return read ? read(text) : (parseJson(text, beyondOf(keys)) as KubeObject);
  }

  #text(): string {
    const raw = this.#raw;
    const { plain } = this;
    if (plain !== undefined) return plain.slice(0, this.#gap) + this.#version + plain.slice(this.#gap);
    if (!raw) return this.#bytes(scratches[0]).toString();
    return raw.toString('utf8', 0, this.#gap) + this.#version + raw.toString('utf8', this.#gap);
  }

  /** Takes a canonical object as its own. */
  adopt(object: KubeObject): void {
    object.metadata.resourceVersion = String(this.revision);
    this.#keep(object);
  }

  #keep(object: KubeObject): KubeObject {
    if (this.codec.layout.freeze) freeze(object);
    this.#object = new WeakRef(object);
    this.#labels ??= object.metadata.labels ?? none;
    return object;
  }

  /** hot. */
  mightContain(mark: ByteProbe): boolean {
    const needle = needleOf('text' in mark ? mark.text : `"${mark.metadata}":`);
    const text = this.#compactText;
    if (text !== undefined) return text.includes(needle.text);
    const bytes = this.#json ?? this.#raw;
    if (bytes) return bytes.includes(needle.bytes);
    return !this.#foreign || (this.codec.layout.mayHave?.(this.#foreign, mark) ?? true);
  }

  get labels(): Readonly<Record<string, string>> {
    return (this.#labels ??= this.object.metadata.labels ?? none);
  }
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}

/** Do they keep others' in memory: those of a message, of a file? In Node's pool they are among their like while a store is loaded. */
const isPartOfMore = ({ buffer, length }: Buffer): boolean =>
  buffer.byteLength > 2 * length && buffer.byteLength > Buffer.poolSize;

/** One per resource. `recent` compacts what nobody uses; absent, values keep their buffers. */
export function storedCodec(layout: Layout, recent?: RecentBytes): StoredCodec {
  const type = `"kind":${JSON.stringify(layout.kind)},"apiVersion":${JSON.stringify(layout.apiVersion)},`;
  const head = Buffer.from(`{${type}`);
  const typeLength = layout.itemsCarryType ? 0 : type.length;

  const lines: Lines = {
    layout,
    recent,
    bases: new DeltaBases(),
    typeLength,
    draft(key, object, lacking = false, over) {
      const canonical = layout.canonical(object, over && objectInMemory(over));
      canonical.metadata = withSlot(canonical.metadata, layout.keys);
      // What is new has field sets of its own, whose texts nobody has.
      const text = over ? textWithManagedFields : plainText;
      const { bytes, gap, ascii } =
        layout.keys === 'declared' ? declaredText(canonical, text) : sortedText(canonical, text);
      return { key, revision: 0 as Revision, json: bytes, gap, text: ascii, typeLength, object: canonical, lacking };
    },
  };

  return {
    draft: lines.draft,
    encode: value => layout.encode?.(value) ?? value.json,
    restorable: value => (value instanceof Held && value.isRestorable ? value : undefined),
    adopt(value, key, revision) {
      const { json, gap, object, lacking, text } = value as Draft;
      if (lacking) return new Held(lines, key, revision, json, -1);
      const held = new Held(lines, key, revision, json, gap);
      held.adopt(object);
      if (recent && text !== undefined && text.length < compactBelow) held.keepText(text);
      else void held.json; // the draft's bytes lie among others'
      return held;
    },
    decode(bytes, key, revision) {
      const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const gap = layout.keys === 'declared' ? findGap(raw, head) : -1;
      const held = new Held(lines, key, revision, raw, gap);
      if (gap >= 0 && isPartOfMore(raw)) void held.json;
      return held;
    },
  };
}

/** A copy whose resourceVersion is unset, and stands where it is written. */
function withSlot(metadata: ObjectMeta, keys: Layout['keys']): ObjectMeta {
  const out: Record<string, unknown> = {};
  for (const field in metadata) {
    if (field === 'resourceVersion') continue;
    if (field === 'uid' && keys === 'sorted') out['resourceVersion'] = undefined;
    out[field] = metadata[field as keyof ObjectMeta];
    if (field === 'uid' && keys === 'declared') out['resourceVersion'] = undefined;
  }
  return out;
}

interface Text {
  readonly bytes: Buffer;
  readonly gap: number;
  /** The text itself, where every character is one byte. */
  readonly ascii: string | undefined;
}

function cut(text: string, at: number): Text {
  const bytes = Buffer.from(text);
  if (bytes.length === text.length) return { bytes, gap: at, ascii: text };
  return { bytes, gap: Buffer.byteLength(text.slice(0, at)), ascii: undefined };
}

type MetadataText = typeof textWithManagedFields;

const plainText: MetadataText = (metadata, around) => jsonText(around(metadata));

/** Only names stand before metadata.uid, and none of them has a quotation mark in it: the first match is the uid. */
function declaredText(object: KubeObject, textOf: MetadataText): Text {
  const text = textOf(object.metadata, metadata => (metadata === object.metadata ? object : { ...object, metadata }));
  const uid = `"uid":"${object.metadata.uid}"`;
  return cut(text, text.indexOf(uid) + uid.length);
}

/** The uid is the last field of sorted metadata. */
function sortedText(object: KubeObject, textOf: MetadataText): Text {
  let text = '{';
  let at = 0;
  for (const field in object) {
    const value = (field === 'metadata' ? textOf(object.metadata, metadata => metadata) : jsonText(object[field])) as
      string | undefined;
    if (value === undefined) continue;
    text += `${text.length > 1 ? ',' : ''}${JSON.stringify(field)}:${value}`;
    if (field === 'metadata') at = text.length - `"uid":"${object.metadata.uid}"}`.length;
  }
  return cut(text + '}', at);
}

const uidKey = Buffer.from('"uid":"');

/** Of bytes that another process wrote in our own form; -1 when they have another. */
function findGap(raw: Buffer, head: Buffer): number {
  if (raw.compare(head, 0, head.length, 0, Math.min(head.length, raw.length)) !== 0) return -1;
  const uid = raw.indexOf(uidKey, head.length);
  return uid < 0 ? -1 : raw.indexOf(0x22, uid + uidKey.length) + 1;
}
