/**
 * Delta compression of texts that resemble others of their resource, as in a pack file of Git: a text is stored as its difference to a base, in
 * the format of `difference.ts`. Unlike two versions of one object, two objects have completely different names, UIDs and times, so common
 * parts are found by their hashes.
 *
 * All texts have one character per byte.
 */
import { applyDifference, putNumber } from './difference.js';

/** Longer texts, in characters, are not compressed: positions have 16 bits, and one text must not take long. */
const maxLength = 16 << 10;
/** Compression of shorter texts saves nothing. */
const minLength = 256;
/** Minimum bytes of a common part. */
const windowBytes = 8;
const hashBits = 12;
/** Only windows of the base at multiples of this position are indexed; a match is extended to both sides. */
const indexStride = 4;
/** After this number of windows that are not in the base, the search skips one window more each time, as LZ4 does. */
const missesPerSkip = 64;
/** Characters at the end of a text that choose its base: an Event ends with the name of its reporter. */
const endLength = 48;
/** Maximum number of bases that new texts are compared with. */
const maxBases = 16;
/** After this number of consecutive texts unlike their bases, the next ones are not compared: one more each time, `maxSkipped` at most. */
const maxMisses = 4;
const maxSkipped = 64;

/** Minimum characters that a text takes before it is the base of texts of the same name: shorter ones are not worth the entry of their name. */
const minNamed = 768;
/** Maximum number of names with a base. */
const maxNames = 1 << 17;
/** Number of names from which on those whose base was collected are looked for. */
const firstSweep = 256;

/** A text in less memory. */
export interface Packed {
  /** The whole text, which is decoded each time. */
  readonly text: string;
  /** Characters in memory besides the base. */
  readonly size: number;
}

/** A text that other texts are compared with. It may be a delta itself, with a base that is none. */
class Base implements Packed {
  /** Reads the texts that are stored as their difference to this one. */
  readonly coder: DeltaCoder;
  readonly #content: string | Delta;

  constructor(content: string | Delta, coder: DeltaCoder) {
    this.#content = content;
    this.coder = coder;
  }

  get text(): string {
    const content = this.#content;
    return typeof content === 'string' ? content : content.text;
  }

  get size(): number {
    const content = this.#content;
    return typeof content === 'string' ? content.length : content.size;
  }
}

function wordAt(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

/** Returns the hash of the window that begins at `at`. */
const hashAt = (bytes: Buffer, at: number): number =>
  (Math.imul(wordAt(bytes, at), 0x9e3779b1) ^ Math.imul(wordAt(bytes, at + 4), 0x85ebca77)) >>> (32 - hashBits);

/** Writes new bytes of the text one by one, since a call would take longer for most parts. Returns the end of the written bytes. */
function putNew(written: Buffer, at: number, text: Buffer, from: number, to: number): number {
  let used = putNumber(written, at, to - from);
  for (let i = from; i < to; i++) written[used++] = text[i] ?? 0;
  return used;
}

/** Returns the number of equal bytes in the text from `i` on, and in the base from `j` on: at most `limit`. */
function sameAfter(text: Buffer, i: number, base: Buffer, j: number, limit: number): number {
  let same = 0;
  while (same < limit && text[i + same] === base[j + same]) same++;
  return same;
}

/** Finds and applies differences, with buffers that all resources of a server share. Most texts have the same base as the previous one. */
export class DeltaCoder {
  readonly #textBytes = Buffer.allocUnsafeSlow(maxLength);
  readonly #written = Buffer.allocUnsafeSlow(maxLength);
  /** The bytes of the base that was used last. */
  readonly #baseBytes = Buffer.allocUnsafeSlow(maxLength);
  /** Position of a window of that base plus 1, by its hash; 0 for none. */
  readonly #positions = new Uint16Array(1 << hashBits);
  #base: Base | undefined;
  #baseLength = 0;
  #isIndexed = false;

  /** Returns the difference of the text to the base; undefined if it is longer than half of the text. */
  differenceFrom(base: Base, text: string): string | undefined {
    const baseBytes = this.#bytesOf(base);
    const positions = this.#positionsOf(base);
    const bytes = this.#textBytes;
    const written = this.#written;
    const { length } = text;
    const baseLength = this.#baseLength;
    const maxWritten = (length >>> 1) - windowBytes;
    bytes.write(text, 0, 'latin1');
    let used = 0;
    /** The end of the part of the text that has been encoded. */
    let done = 0;
    let misses = 0;
    for (let i = 0; i + windowBytes <= length;) {
      const j = (positions[hashAt(bytes, i)] ?? 0) - 1;
      const same = j < 0 ? 0 : sameAfter(bytes, i, baseBytes, j, Math.min(length - i, baseLength - j));
      if (same < windowBytes) {
        i += 1 + Math.floor(misses++ / missesPerSkip);
        continue;
      }
      misses = 0;
      let before = 0;
      while (i - before > done && before < j && bytes[i - before - 1] === baseBytes[j - before - 1]) before++;
      const from = i - before;
      if (used + from - done > maxWritten) return undefined;
      used = putNew(written, used, bytes, done, from);
      used = putNumber(written, putNumber(written, used, j - before), same + before);
      i += same;
      done = i;
    }
    if (used + length - done > maxWritten) return undefined;
    if (done < length) {
      used = putNew(written, used, bytes, done, length);
      used = putNumber(written, putNumber(written, used, 0), 0);
    }
    return written.toString('latin1', 0, used);
  }

  /** Returns the text of this length with this difference to the base. */
  apply(base: Base, difference: string, length: number): string {
    return applyDifference(difference, this.#bytesOf(base), length, this.#textBytes).toString('latin1', 0, length);
  }

  #bytesOf(base: Base): Buffer {
    if (this.#base !== base) {
      // A base that is a delta is decoded by this coder, too, so that nothing is written before.
      const { text } = base;
      this.#baseBytes.write(text, 0, 'latin1');
      this.#baseLength = text.length;
      this.#base = base;
      this.#isIndexed = false;
    }
    return this.#baseBytes;
  }

  #positionsOf(base: Base): Uint16Array {
    const bytes = this.#bytesOf(base);
    const positions = this.#positions;
    if (this.#isIndexed) return positions;
    positions.fill(0);
    const last = this.#baseLength - windowBytes;
    for (let at = last - (last % indexStride); at >= 0; at -= indexStride) positions[hashAt(bytes, at)] = at + 1;
    this.#isIndexed = true;
    return positions;
  }
}

/** A text that is stored as its difference to a base. */
class Delta implements Packed {
  readonly #base: Base;
  readonly #difference: string;
  readonly #length: number;

  constructor(base: Base, difference: string, length: number) {
    this.#base = base;
    this.#difference = difference;
    this.#length = length;
  }

  get text(): string {
    return this.#base.coder.apply(this.#base, this.#difference, this.#length);
  }

  get size(): number {
    return this.#difference.length;
  }
}

/** The bases of a resource. A base stays in memory for as long as a text is stored as its difference to it. */
export class DeltaBases {
  readonly #coder: DeltaCoder;
  /** Bases by the end of their text, oldest first. */
  readonly #bases = new Map<string, Base>();
  readonly #named: NamedBases;
  #latest: Base | undefined;
  /** Number of consecutive texts that were unlike their bases. */
  #misses = 0;
  /** Number of texts that are still to be skipped. */
  #skipped = 0;

  constructor(coder: DeltaCoder) {
    this.#coder = coder;
    this.#named = new NamedBases();
  }

  /**
   * Returns the text in less memory; undefined if it is unlike its base, and becomes a base itself, or is too short or too long. Texts of one name,
   * such as an object for each of several clusters, are compared with each other: they have more in common than with others.
   */
  pack(text: string, name?: string): Packed | undefined {
    if (text.length < minLength || text.length > maxLength) return undefined;
    const named = name === undefined ? undefined : this.#named.get(name);
    const difference = named && this.#coder.differenceFrom(named, text);
    if (named && difference !== undefined) return new Delta(named, difference, text.length);
    const delta = this.#compare(text);
    if (name === undefined || (delta?.size ?? text.length) < minNamed) return delta;
    const base = new Base(delta ?? text, this.#coder);
    this.#named.set(name, base);
    return base;
  }

  /** Returns the difference of the text to the base with the same end, or to the latest one. */
  #compare(text: string): Delta | undefined {
    if (this.#skipped > 0) {
      this.#skipped--;
      return undefined;
    }
    const end = text.slice(-endLength);
    const base = this.#bases.get(end) ?? this.#latest;
    const difference = base && this.#coder.differenceFrom(base, text);
    if (base && difference !== undefined) {
      this.#misses = 0;
      return new Delta(base, difference, text.length);
    }
    if (base) this.#skipMore();
    this.#add(end, new Base(text, this.#coder));
    return undefined;
  }

  /** Skips most texts of a resource whose texts have little in common, which saves CPU time. */
  #skipMore(): void {
    const more = ++this.#misses - maxMisses;
    if (more > 0) this.#skipped = Math.min(more, maxSkipped);
  }

  #add(end: string, base: Base): void {
    this.#bases.delete(end);
    this.#bases.set(end, base);
    this.#latest = base;
    if (this.#bases.size <= maxBases) return;
    const [oldest = ''] = this.#bases.keys();
    this.#bases.delete(oldest);
  }
}

/** Bases by name, for as long as a text is stored that needs them. */
class NamedBases {
  readonly #bases = new Map<string, WeakRef<Base>>();
  #sweepAt = firstSweep;

  get(name: string): Base | undefined {
    return this.#bases.get(name)?.deref();
  }

  set(name: string, base: Base): void {
    this.#bases.set(name, new WeakRef(base));
    if (this.#bases.size >= this.#sweepAt) this.#sweep();
  }

  /**
   * Removes the names whose base was collected, and the oldest ones if there are too many. It runs when their number has doubled, so that each name
   * is visited twice on average.
   */
  #sweep(): void {
    for (const [name, base] of this.#bases) if (base.deref() === undefined) this.#bases.delete(name);
    for (const name of this.#bases.keys()) {
      if (this.#bases.size <= maxNames / 2) break;
      this.#bases.delete(name);
    }
    this.#sweepAt = Math.max(firstSweep, 2 * this.#bases.size);
  }
}
