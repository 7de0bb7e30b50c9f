import type { KubeObject } from '../../../apimachinery/interface.js';
import { internal } from '../../../apimachinery/errors/status.js';
import { parseJson } from '../../../lib/json/json.js';
import type { ByteProbe } from '../../../client/interface.js';
import type { Revision } from '../../../storage/interface.js';
import type { Stored } from '../interface.js';
import { needleOf } from './byte-needle.js';
import { Delta } from './delta.js';
import { bytesBy, differenceOf } from './difference.js';
import { beyondOf } from './draft-text.js';
import type { Draft, Encoding } from './interface.js';
import type { BytesHolder } from './recent-bytes.js';

const none: Readonly<Record<string, string>> = Object.freeze({});
const noBytes = Buffer.alloc(0);

/**
 * A value of this size or more keeps its buffer: the allocator maps large buffers one by one and returns them to the system when they are freed.
 */
export const compactBelow = 64 << 10;

/** Room for two versions that are compared, so that comparing allocates nothing. */
const scratches = [Buffer.allocUnsafeSlow(compactBelow + 64), Buffer.allocUnsafeSlow(compactBelow + 64)] as const;

/** The most differences that may have to be applied, one after the other, to read a past version. */
const maxSteps = 8;

/** A version that is kept as its difference from the version that replaced it. */
interface Replaced {
  readonly newer: StoredVersion;
  readonly difference: string;
  /** Bytes of its JSON. */
  readonly length: number;
}

/** hot: one for every version of every object, current or past. */
export class StoredVersion implements Stored, BytesHolder {
  readonly key: string;
  readonly revision: Revision;
  readonly codec: Encoding;
  memo: unknown;
  usedAt = 0;
  #json: Buffer | undefined;
  /**
   * The same bytes, one character for each, when they were not used for a while. For an object that was written here it is the text without
   * resourceVersion, and `#insert` is 0. It is a delta where another object of the resource is much like this one.
   */
  #compact: string | Delta | undefined;
  /** The version that this one repeats at another revision. */
  #source: StoredVersion | undefined;
  /** Bytes of the store without resourceVersion, until the bytes for clients are first read. */
  #raw: Buffer | undefined;
  #replaced: Replaced | undefined;
  /** How many older versions are read by way of this one. */
  #steps = 0;
  #gap: number;
  #insert = 0;
  /** Whether the bytes came in the form that this program writes. */
  readonly #original: boolean;
  /** Bytes of another writer, until they are first read. */
  #foreign: Buffer | undefined;
  /** What is in the store, where its bytes differ from what is read. */
  #standing: Buffer | undefined;
  #object: WeakRef<KubeObject> | undefined;
  #labels: Readonly<Record<string, string>> | undefined;

  constructor(codec: Encoding, key: string, revision: Revision, bytes: Buffer | StoredVersion, gap: number) {
    this.codec = codec;
    this.key = key;
    this.revision = revision;
    this.#gap = gap;
    this.#original = gap >= 0;
    if (bytes instanceof StoredVersion) this.#source = bytes;
    else if (gap < 0) this.#foreign = bytes;
    else this.#raw = bytes;
  }

  at(revision: Revision): StoredVersion {
    return new StoredVersion(this.codec, this.key, revision, this, this.gap);
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

  /** Takes over the text of a draft, so that no buffer is made before a client reads the bytes. */
  keepText(text: string): void {
    this.#compact = text;
    this.#raw = undefined;
    this.codec.recent?.note(this);
  }

  get #compactText(): string | undefined {
    const compact = this.#compact;
    return compact instanceof Delta ? compact.text : compact;
  }

  /** Writes the compact bytes into `room`, or into a buffer of their own. */
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

  /** hot: once per event of a watch. As `Stored.between`. */
  between(head: Buffer, tail: Buffer): Buffer {
    const own = this.#json === undefined ? this.#compactText : undefined;
    const text = own ?? (this.#json === undefined ? this.#source?.plain : undefined);
    if (text === undefined) return Buffer.concat([head, this.json, tail]);
    const version = own !== undefined && this.#insert > 0 ? '' : this.#version;
    const bytes = Buffer.allocUnsafe(head.length + text.length + version.length + tail.length);
    tail.copy(bytes, this.#writeText(text, version, bytes, head.copy(bytes)));
    return bytes;
  }

  /** The text without resourceVersion; undefined unless the object was written here and its text is in memory. */
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
    // Most of these references lead nowhere by now, and each takes as much memory as a small object.
    if (this.#object?.deref() === undefined) this.#object = undefined;
    const json = this.#json;
    if (json !== undefined && json.length < compactBelow) {
      if (!this.#source) this.#compact = json.toString('latin1');
      this.#json = undefined;
    }
    if (typeof this.#compact === 'string') this.#compact = this.codec.bases.pack(this.#compact) ?? this.#compact;
  }

  /** The text for the gap. */
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
    // The bytes of a past version are not kept: it is read seldom, and hardly ever twice.
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

  /** Returns the bytes for a single use, which does not count as a use of the object. */
  #bytes(room?: Buffer): Buffer {
    const text = this.#compactText;
    return text === undefined ? this.json : this.#expand(text, room);
  }

  #past({ difference, newer, length }: Replaced): Buffer {
    return bytesBy(difference, newer.#bytes(), length);
  }

  /** Reads bytes of another writer. Throws 500 for bytes that are no object. */
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

  /** Throws 500 for bytes that are no object. */
  #read(bytes: Buffer): Draft {
    const { layout } = this.codec;
    try {
      return this.codec.draft(this.key, layout.normalize(layout.parse(bytes)));
    } catch (error) {
      throw internal(`the value of ${this.key} cannot be decoded: ${(error as Error).message}`);
    }
  }

  /** The bytes that it was made from. The bytes of another writer are not kept, so such an object is not restorable. */
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

  /** hot. Keeps this version as its difference from a newer one. Bytes of another writer that were not read yet stay as they are. */
  replaceBy(newer: StoredVersion): void {
    // A collection of young objects takes weak references for strong ones: the object would stay until the next full collection.
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

  /** Bytes in memory, about. Asking for it decodes nothing. */
  get size(): number {
    if (this.#compact instanceof Delta) return this.#compact.size;
    return (this.#json ?? this.#compact ?? this.#raw ?? this.#replaced?.difference ?? this.#foreign)?.length ?? 0;
  }

  get gap(): number {
    if (this.#gap < 0) void this.json;
    return this.#gap;
  }

  /** Length of the text in the gap. */
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

  /** Takes over a canonical object. */
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
