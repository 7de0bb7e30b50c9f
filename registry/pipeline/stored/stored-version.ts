import type { KubeObject } from '../../../apimachinery/interface.js';
import { parseJson } from '../../../lib/json/json.js';
import { exactSteps } from '../../../lib/json/parse-steps.js';
import { fieldTexts, valueText } from '../../../lib/json/value-text.js';
import { inTimeSlices } from '../../../lib/time-slice.js';
import type { ByteProbe, OwnerMeta } from '../../../client/interface.js';
import type { Revision } from '../../../storage/interface.js';
import type { Stored } from '../interface.js';
import { probeTextOf } from './probe-text.js';
import { type DecodedBytes, decodeStored, decodeStoredSteps } from './decode-stored.js';
import type { Packed } from '../../../lib/compression/delta.js';
import { applyDifference, differenceOf } from '../../../lib/compression/difference.js';
import { beyondOf } from './draft-text.js';
import type { EncodedDraft, Encoding } from './interface.js';
import type { BytesHolder } from '../../../lib/compression/recent-bytes.js';

/** A generation that has not been read yet. */
const unknown = -1;
const none: Readonly<Record<string, string>> = Object.freeze({});
const ownerFields = new Set<string>([
  'uid',
  'ownerReferences',
  'finalizers',
  'deletionTimestamp',
] satisfies (keyof OwnerMeta)[]);
const noBytes = Buffer.alloc(0);

/**
 * A value of this size or more keeps its buffer: the allocator maps large buffers one by one and returns them to the system when they are freed.
 */
const compactBelow = 64 << 10;

/** Buffers for two versions that are compared, so that a comparison allocates nothing. */
const scratches = [Buffer.allocUnsafeSlow(compactBelow + 64), Buffer.allocUnsafeSlow(compactBelow + 64)] as const;

/** Bytes of another writer that are decoded in steps from this length on: they may hold ten thousand values, which takes some 50 ms at once. */
const minDecodedInSteps = 32 << 10;

/** Bytes of JSON that are parsed in steps from this length on: they may have ten thousand different keys, which takes some 10 ms at once. */
const minParsedInSteps = 128 << 10;

/** The decoding of values in progress, which all readers share. */
const decodings = new WeakMap<StoredVersion, Promise<void>>();
/** The parsing of values in progress, which all readers share. */
const loadings = new WeakMap<StoredVersion, Promise<KubeObject>>();

/** Maximum number of differences that have to be applied to read a past version. */
const maxDepth = 8;

/** A version that is stored as its difference to the version that replaced it. */
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
  usedAt = 0;
  #json: Buffer | undefined;
  /**
   * The same bytes with one character per byte, if they were not used recently. For an object that was written here it is the text without
   * resourceVersion, and `#insert` is 0. It is a delta if another object of the resource is similar.
   */
  #compact: string | Packed | undefined;
  /** The version that this one repeats at another revision. */
  #source: StoredVersion | undefined;
  /** Bytes of the store without resourceVersion, until the bytes for clients are first read. */
  #raw: Buffer | undefined;
  #replaced: Replaced | undefined;
  /** Number of older versions that need this one to be read, in the longest chain. */
  #depth = 0;
  #gap: number;
  #insert = 0;
  /** Whether the backend has released its bytes, which are restored from this version; 'never' if they cannot be restored any more. */
  #holds: 'not yet' | 'yes' | 'never' = 'not yet';
  /** Bytes of another writer, or of a custom resource from before the start, until they are first read. */
  #foreign: Buffer | undefined;
  /** The bytes in the store for which this version is the holder, if they are not those of its draft. */
  #written: Buffer | undefined;
  /** The bytes of the object in the store before normalization, if they differ (`Layout.original`). */
  #original: Buffer | undefined;
  #object: WeakRef<KubeObject> | undefined;
  #labels: Readonly<Record<string, string>> | undefined;
  #generation = unknown;
  #memo: unknown;

  constructor(codec: Encoding, key: string, revision: Revision, bytes: Buffer | StoredVersion, gap: number) {
    this.codec = codec;
    this.key = key;
    this.revision = revision;
    this.#gap = gap;
    if (bytes instanceof StoredVersion) this.#source = bytes;
    else if (gap < 0) this.#foreign = bytes;
    else this.#raw = bytes;
  }

  /** Returns the same object at another revision, for the event of an object that was deleted or left a selection. */
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

  get #compactText(): string | undefined {
    const compact = this.#compact;
    return typeof compact === 'object' ? compact.text : compact;
  }

  /** Writes the compact bytes into `target`, or into a new buffer. */
  #expand(text: string, target?: Buffer): Buffer {
    const version = this.#insert > 0 ? '' : this.#version;
    const length = text.length + version.length;
    const bytes = target?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length);
    this.#writeText(text, version, bytes, 0);
    return bytes;
  }

  /** Writes the text with `version` in its gap, and returns its end. */
  #writeText(text: string, version: string, to: Buffer, at: number): number {
    if (version === '') return at + to.write(text, at, 'latin1');
    const middle = at + to.write(text.slice(0, this.#gap), at, 'latin1');
    const end = middle + to.write(version, middle, 'latin1');
    return end + to.write(text.slice(this.#gap), end, 'latin1');
  }

  /** hot: once per write, and once per event of a watch. Implements `Stored.between`. */
  between(head: Buffer, tail: Buffer): Buffer {
    const compact = this.#json === undefined ? this.#compactText : undefined;
    const text = compact ?? (this.#json === undefined ? this.#source?.plain : undefined);
    if (text === undefined) {
      const { json } = this;
      const bytes = Buffer.allocUnsafe(head.length + json.length + tail.length);
      tail.copy(bytes, head.length + json.copy(bytes, head.copy(bytes)));
      return bytes;
    }
    const version = compact !== undefined && this.#insert > 0 ? '' : this.#version;
    const bytes = Buffer.allocUnsafe(head.length + text.length + version.length + tail.length);
    tail.copy(bytes, this.#writeText(text, version, bytes, head.copy(bytes)));
    return bytes;
  }

  /** The text without resourceVersion; undefined unless the object was written here and its text is in memory. */
  get plain(): string | undefined {
    return this.#insert === 0 ? this.#compactText : undefined;
  }

  /** Keeps the bytes in a buffer while they are used. */
  #use(json: Buffer): Buffer {
    this.#compact = undefined;
    this.#json = json;
    this.codec.recent?.note(this);
    return json;
  }

  compact(): void {
    // Most of these objects have been collected by now, or will be, and each WeakRef takes as much memory as a small object.
    this.#object = undefined;
    const json = this.#json;
    if (json !== undefined && json.length < compactBelow) {
      if (!this.#source) this.#compact = json.toString('latin1');
      this.#json = undefined;
    }
    const compact = this.#compact;
    if (typeof compact === 'string') this.#compact = this.codec.bases.pack(compact, nameIn(this.key)) ?? compact;
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
    // The bytes of a past version are not kept, since it is rarely read, and hardly ever twice.
    if (this.#replaced) return this.#past(this.#replaced);
    if (this.#raw) return this.#fill(this.#raw, this.#gap);
    if (this.#source) return this.#fill(this.#source.#withoutVersion(), this.#gap);
    this.#decode(this.#foreign ?? noBytes);
    return this.json;
  }

  #thaw(text: string): Buffer {
    const json = this.#expand(text);
    this.#insert = json.length - text.length + this.#insert;
    return this.#use(json);
  }

  /** Returns the bytes for a single use, which does not make them recently used. `target` is as in `#expand`. */
  #bytes(target?: Buffer): Buffer {
    const text = this.#compactText;
    return text === undefined ? this.json : this.#expand(text, target);
  }

  #past({ difference, newer, length }: Replaced): Buffer {
    return applyDifference(difference, newer.#bytes(), length);
  }

  /** Decodes bytes of another writer. Throws 500 for bytes that are not an object. */
  #decode(bytes: Buffer): KubeObject {
    return this.#decoded(bytes, decodeStored(this.codec, this.key, bytes));
  }

  /** Keeps what the bytes of another writer were decoded to, and returns the object. */
  #decoded(bytes: Buffer, { draft: { json, gap, object, text }, original }: DecodedBytes): KubeObject {
    this.#original = original;
    if (!bytes.equals(json)) {
      if (this.#holds === 'yes') this.#written = bytes;
      else this.#holds = 'never'; // the backend keeps them
    }
    this.#foreign = undefined;
    this.adopt(object);
    this.keepForm({ json, gap, text });
    return object;
  }

  /**
   * Keeps the bytes of a draft: as text, if possible, so that no buffer is allocated before a client reads them; otherwise as a copy, since they may be a
   * part of a pooled buffer.
   */
  keepForm({ json, gap, text }: Pick<EncodedDraft, 'json' | 'gap' | 'text'>): void {
    if (!this.codec.recent || text === undefined || text.length >= compactBelow) return void this.#fill(json, gap);
    this.#gap = gap;
    this.#compact = text;
    this.#raw = undefined;
    this.codec.recent.note(this);
  }

  /** Implements `Stored.isUndecoded`. */
  get isUndecoded(): boolean {
    return this.#foreign !== undefined && this.#foreign.length >= minDecodedInSteps;
  }

  /** Implements `Stored.decoding`. */
  decoding(): Promise<void> | undefined {
    const bytes = this.#foreign;
    if (!bytes || !this.isUndecoded) return undefined;
    return decodings.get(this) ?? shared(decodings, this, this.#decodeInTurns(bytes));
  }

  async #decodeInTurns(bytes: Buffer): Promise<void> {
    const decoded = await inTimeSlices(decodeStoredSteps(this.codec, this.key, bytes));
    // A reader that could not wait has decoded them meanwhile.
    if (this.#foreign) this.#decoded(bytes, decoded);
  }

  /** Implements `Stored.loading`. */
  loading(): Promise<KubeObject> | undefined {
    if (this.inMemory) return undefined;
    const decoding = this.decoding();
    if (!decoding && (this.#source ?? this).heldBytes < minParsedInSteps) return undefined;
    return loadings.get(this) ?? shared(loadings, this, this.#load(decoding));
  }

  async #load(decoding: Promise<void> | undefined): Promise<KubeObject> {
    if (decoding) await decoding;
    const known = this.inMemory;
    if (known) return known;
    const { read, keys } = this.codec.layout;
    if (read) return this.object;
    const parsed = (await inTimeSlices(exactSteps(this.#text(), undefined, beyondOf(keys)))) as KubeObject;
    return this.inMemory ?? this.#keep(parsed);
  }

  /** Returns this version as the holder of the bytes in the store, which the backend releases; undefined if it cannot restore them. */
  asHolder(): this | undefined {
    if (this.#holds === 'never') return undefined;
    this.#holds = 'yes';
    return this;
  }

  /** Returns the bytes in the store. Called only for a holder. */
  restore(): Buffer {
    return this.#foreign ?? this.#written ?? this.#withoutVersion();
  }

  /** Returns the bytes without resourceVersion. */
  #withoutVersion(): Buffer {
    if (this.#raw) return this.#raw;
    const { plain } = this;
    if (plain !== undefined) return Buffer.from(plain, 'latin1');
    const { gap, insert } = this;
    const json = this.#bytes();
    return Buffer.concat([json.subarray(0, gap), json.subarray(gap + insert)]);
  }

  /**
   * hot: Stores this version as its difference to a newer one, since only reads of past revisions and slow watchers still need it. Bytes of another
   * writer that were not read yet do not change.
   */
  replaceBy(newer: StoredVersion): void {
    if (this.#object) this.codec.replaced.add(this);
    if (this.#depth >= maxDepth || this.#foreign || newer.#foreign || this.#original || this.#replaced) return;
    const json = this.#bytes(scratches[0]);
    const difference = differenceOf(json, newer.#bytes(scratches[1]));
    if (difference === undefined) return;
    this.#replaced = { newer, difference, length: json.length };
    this.#insert = this.#version.length;
    this.#json = undefined;
    this.#compact = undefined;
    newer.#depth = this.#depth + 1;
  }

  /** Drops the reference to the parsed object. */
  forget(): void {
    this.#object = undefined;
  }

  /** Approximate bytes in memory. Does not decode anything. Not `size`: mirrors in this process share the object, and take no memory for it. */
  get heldBytes(): number {
    const written = this.#written?.length ?? 0;
    if (typeof this.#compact === 'object') return written + this.#compact.size;
    const bytes = this.#json ?? this.#compact ?? this.#raw ?? this.#replaced?.difference ?? this.#foreign;
    return written + (bytes?.length ?? 0);
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

  /** hot: every update. Reports whether a write of the draft would change no byte. */
  equals(draft: EncodedDraft): boolean {
    if (this.#foreign) this.#decode(this.#foreign);
    if (this.#original) return this.#original.equals(draft.json);
    if (this.#raw) return this.#gap === draft.gap && this.#raw.equals(draft.json);
    const { plain } = this;
    if (plain !== undefined && draft.text !== undefined) return this.#gap === draft.gap && plain === draft.text;
    const { json, gap, insert } = this;
    return (
      gap === draft.gap &&
      json.length - insert === draft.json.length &&
      json.compare(draft.json, 0, gap, 0, gap) === 0 &&
      json.compare(draft.json, gap, draft.json.length, gap + insert, json.length) === 0
    );
  }

  /** The parsed object; undefined if it has not been parsed, or was collected. */
  get inMemory(): KubeObject | undefined {
    return this.#object?.deref();
  }

  get object(): KubeObject {
    const known = this.#object?.deref();
    if (known) return known;
    if (this.#foreign) return this.#decode(this.#foreign);
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

  /** Keeps a canonical object, which the caller must not change afterwards. */
  adopt(object: KubeObject): void {
    object.metadata.resourceVersion = String(this.revision);
    this.#keep(object);
  }

  /** Keeps the bytes in the store, which lack fields that readers get. */
  keepWritten(bytes: Buffer): void {
    this.#written = bytes;
    this.#original = bytes;
  }

  #keep(object: KubeObject): KubeObject {
    if (this.codec.layout.freeze) freeze(object);
    this.#object = new WeakRef(object);
    this.#labels ??= object.metadata.labels ?? none;
    this.#generation = object.metadata.generation ?? 0;
    return object;
  }

  /** The generation, 0 without one, which is read without the rest of the object, and stays in memory when the parsed object is dropped. */
  get generation(): number {
    if (this.#generation === unknown) this.#generation = this.#findGeneration();
    return this.#generation;
  }

  /** hot: Implements `Stored.mightContain`. */
  mightContain(probe: ByteProbe): boolean {
    const sought = probeTextOf('text' in probe ? probe.text : `"${probe.metadata}":`);
    const text = this.#compactText;
    if (text !== undefined) return text.includes(sought.text);
    const bytes = this.#json ?? this.#raw;
    if (bytes) return bytes.includes(sought.bytes);
    return !this.#foreign || (this.codec.layout.mightContain?.(this.#foreign, probe) ?? true);
  }

  /** Reports whether `memoized` has a value, so that it does not read the object. */
  get isMemoized(): boolean {
    return this.#memo !== undefined;
  }

  /** Returns a value that is computed from the object once and cached with it. Every call for a resource passes the same function. */
  memoized<T>(compute: (object: KubeObject) => T): T {
    return (this.#memo ??= compute(this.object)) as T;
  }

  /** The labels, which are read without the rest of the object, and stay in memory when the parsed object is dropped. */
  get labels(): Readonly<Record<string, string>> {
    return (this.#labels ??= this.#findLabels() ?? this.object.metadata.labels ?? none);
  }

  /** The uid, owners and deletion, which are read without the rest of the object. */
  get ownerMeta(): OwnerMeta {
    const text = this.inMemory ? undefined : this.#metadataText();
    return text === undefined ? this.object.metadata : ownerMetaIn(text);
  }

  /** Returns its JSON, with one character per byte; undefined if only the parsed object shows the metadata. */
  #metadataText(): string | undefined {
    const foreign = this.#foreign && this.codec.layout.keepsMetadata?.(this.#foreign) ? this.#foreign : undefined;
    const bytes = this.#json ?? this.#raw ?? foreign;
    return this.#compactText ?? (bytes ?? (this.#replaced && this.#past(this.#replaced)))?.toString('latin1');
  }

  #findGeneration(): number {
    const text = this.inMemory ? undefined : this.#metadataText();
    if (text === undefined) return this.object.metadata.generation ?? 0;
    return Number(valueText(text, ['metadata', 'generation']) ?? 0);
  }

  /** hot: at the start once per object that has an index by labels. Returns undefined if only the parsed object shows the labels. */
  #findLabels(): Readonly<Record<string, string>> | undefined {
    if (this.inMemory) return undefined;
    const text = this.#metadataText();
    const found = text === undefined ? undefined : valueText(text, ['metadata', 'labels']);
    if (found === undefined) return undefined;
    return (parseLatin1(found) as Readonly<Record<string, string>> | null) ?? none;
  }
}

/** Parses JSON with one character per byte. */
const parseLatin1 = (text: string): unknown => JSON.parse(Buffer.from(text, 'latin1').toString());

/** hot: at the start once per object with owners. `text` is as in `parseLatin1`. */
function ownerMetaIn(text: string): OwnerMeta {
  const found: Record<string, unknown> = {};
  for (const [field, value] of fieldTexts(text, ['metadata'], ownerFields))
    if (value !== 'null') found[field] = parseLatin1(value);
  return found;
}

/** Shares a promise until it settles. Returns it. */
function shared<T>(promises: WeakMap<StoredVersion, Promise<T>>, of: StoredVersion, promise: Promise<T>): Promise<T> {
  const done = (): void => void promises.delete(of);
  promises.set(of, promise);
  promise.then(done, done);
  return promise;
}

/** Returns the name of the object with this key. */
const nameIn = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}
