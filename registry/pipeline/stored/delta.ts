/**
 * Delta compression of texts that are much like others of their resource, as Git keeps objects in a pack: a text is kept as its difference from a
 * base, in the form of `difference.ts`. Unlike two versions of one object, two objects have names, UIDs and times that differ altogether, so
 * common parts are found by their hashes.
 *
 * All texts have one character for each byte.
 */
import { bytesBy, putNumber } from './difference.js';

/** Longer texts are left as they are, in characters: positions have 16 bits, and one text must not take long. */
const maxLength = 16 << 10;
/** Shorter texts gain nothing. */
const minLength = 256;
/** The least bytes of a common part. */
const windowBytes = 8;
const hashBits = 12;
/** Only windows of the base at multiples of this position are indexed; a match is extended to both sides. */
const indexStride = 4;
/** After so many windows that are not in the base, the search skips one window more each time, as LZ4 does. */
const missesPerSkip = 64;
/** Characters at the end of a text that choose its base: an Event ends with the name of its reporter. */
const endLength = 48;
/** The most bases that new texts are compared with. */
const maxBases = 16;
/** After so many texts in a row that were unlike their bases, the next ones are not compared: one more each time, `maxSkipped` at most. */
const maxUnlike = 4;
const maxSkipped = 64;

const scratch = Buffer.allocUnsafeSlow(maxLength);
const written = Buffer.allocUnsafeSlow(maxLength);

/** A text that other texts are compared with. */
interface Base {
  readonly text: string;
}

function wordAt(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

/** Returns the hash of the window that begins at `at`. */
const hashAt = (bytes: Buffer, at: number): number =>
  (Math.imul(wordAt(bytes, at), 0x9e3779b1) ^ Math.imul(wordAt(bytes, at + 4), 0x85ebca77)) >>> (32 - hashBits);

/** Holds the bytes of the base that was used last, and the positions of its windows. Most texts have the base of the text before. */
class BaseIndex {
  readonly #bytes = Buffer.allocUnsafeSlow(maxLength);
  /** By hash, 1 more than the position of a window; 0 for none. */
  readonly #positions = new Uint16Array(1 << hashBits);
  #base: Base | undefined;
  #isIndexed = false;

  bytesOf(base: Base): Buffer {
    if (this.#base !== base) {
      this.#bytes.write(base.text, 0, 'latin1');
      this.#base = base;
      this.#isIndexed = false;
    }
    return this.#bytes;
  }

  positionsOf(base: Base): Uint16Array {
    const bytes = this.bytesOf(base);
    const positions = this.#positions;
    if (this.#isIndexed) return positions;
    positions.fill(0);
    const last = base.text.length - windowBytes;
    for (let at = last - (last % indexStride); at >= 0; at -= indexStride) positions[hashAt(bytes, at)] = at + 1;
    this.#isIndexed = true;
    return positions;
  }
}

const index = new BaseIndex();

/** Returns how many bytes are the same from `i` and from `j` on. */
function sameAfter(bytes: Buffer, i: number, end: number, like: Buffer, j: number, endOfLike: number): number {
  const most = Math.min(end - i, endOfLike - j);
  let same = 0;
  while (same < most && bytes[i + same] === like[j + same]) same++;
  return same;
}

/** Writes a part of the text as it is, byte by byte, since a call would take longer for most. Returns where it ends. */
function putNew(at: number, from: number, to: number): number {
  let used = putNumber(written, at, to - from);
  for (let i = from; i < to; i++) written[used++] = scratch[i] ?? 0;
  return used;
}

/** Returns the difference of the text from the base; undefined when that is longer than half of the text. */
function differenceFrom(base: Base, text: string): string | undefined {
  const like = index.bytesOf(base);
  const positions = index.positionsOf(base);
  const { length } = text;
  const maxWritten = (length >>> 1) - windowBytes;
  scratch.write(text, 0, 'latin1');
  let used = 0;
  /** The end of the part of the text that was written. */
  let done = 0;
  let missed = 0;
  for (let i = 0; i + windowBytes <= length;) {
    const j = (positions[hashAt(scratch, i)] ?? 0) - 1;
    const same = j < 0 ? 0 : sameAfter(scratch, i, length, like, j, base.text.length);
    if (same < windowBytes) {
      i += 1 + Math.floor(missed++ / missesPerSkip);
      continue;
    }
    missed = 0;
    let before = 0;
    while (i - before > done && before < j && scratch[i - before - 1] === like[j - before - 1]) before++;
    const from = i - before;
    if (used + from - done > maxWritten) return undefined;
    used = putNew(used, done, from);
    used = putNumber(written, putNumber(written, used, j - before), same + before);
    i += same;
    done = i;
  }
  if (used + length - done > maxWritten) return undefined;
  if (done < length) {
    used = putNew(used, done, length);
    used = putNumber(written, putNumber(written, used, 0), 0);
  }
  return written.toString('latin1', 0, used);
}

/** A text that is kept as its difference from a base. */
export class Delta {
  readonly #base: Base;
  readonly #difference: string;
  readonly #length: number;

  constructor(base: Base, difference: string, length: number) {
    this.#base = base;
    this.#difference = difference;
    this.#length = length;
  }

  /** The whole text. It is made anew each time. */
  get text(): string {
    return bytesBy(this.#difference, index.bytesOf(this.#base), this.#length, scratch).toString(
      'latin1',
      0,
      this.#length,
    );
  }

  /** Characters in memory besides the base. */
  get size(): number {
    return this.#difference.length;
  }
}

/** The bases of a resource. A base lives for as long as a text is kept as its difference from it. */
export class DeltaBases {
  /** Bases by the end of their text, the oldest first. */
  readonly #bases = new Map<string, Base>();
  #latest: Base | undefined;
  /** The number of texts in a row that were unlike their bases. */
  #unlike = 0;
  /** The number of texts that are still to be skipped. */
  #skipped = 0;

  /** Returns the text as its difference from a base. Undefined: it is unlike its base and becomes a base itself, or is not worth it. */
  pack(text: string): Delta | undefined {
    if (text.length < minLength || text.length > maxLength) return undefined;
    if (this.#skipped > 0) {
      this.#skipped--;
      return undefined;
    }
    const end = text.slice(-endLength);
    const base = this.#bases.get(end) ?? this.#latest;
    const difference = base && differenceFrom(base, text);
    if (base && difference !== undefined) {
      this.#unlike = 0;
      return new Delta(base, difference, text.length);
    }
    if (base) this.#skipMore();
    this.#add(end, { text });
    return undefined;
  }

  /** Skips most texts of a resource whose texts have little in common, so that they cost little. */
  #skipMore(): void {
    const more = ++this.#unlike - maxUnlike;
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
