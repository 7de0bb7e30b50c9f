/**
 * Delta compression of texts that are much like others of their resource, as Git keeps objects in a pack: a text is kept as its difference from a
 * base, in the form of `difference.ts`. Unlike two versions of one object, two objects have names, UIDs and times that differ altogether, so
 * common parts are found by their hashes.
 *
 * All texts have one character for each byte.
 */
import { bytesBy, putNumber } from './difference.js';

/** Texts of more characters are left as they are: positions have 16 bits, and one text must not take long. */
const mostLength = 16 << 10;
/** Texts of fewer characters gain nothing. */
const leastLength = 256;
/** A common part has at least so many bytes. */
const windowBytes = 8;
const hashBits = 12;
/** Every window of a text is looked for among those of the base at multiples of it: what is found is then extended to both sides. */
const indexStride = 4;
/** After so many windows that are not in the base, one more of them is passed over each time, as LZ4 does. */
const patience = 64;
/** The end of a text says what kind of text it is: Events end with the name of their reporter. */
const endLength = 48;
/** Bases that new texts are compared with. */
const mostBases = 16;
/** After so many texts in a row that were unlike their bases some are left out, `mostLeftOut` at a time at most. */
const mostUnlike = 4;
const mostLeftOut = 64;

const scratch = Buffer.allocUnsafeSlow(mostLength);
const written = Buffer.allocUnsafeSlow(mostLength);

/** A text that others are compared with. */
interface Base {
  readonly text: string;
}

function wordAt(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

/** The hash of the window that begins there. */
const hashAt = (bytes: Buffer, at: number): number =>
  (Math.imul(wordAt(bytes, at), 0x9e3779b1) ^ Math.imul(wordAt(bytes, at + 4), 0x85ebca77)) >>> (32 - hashBits);

/** The bytes of the base that was used last, and where its windows stand. Texts of one base mostly come one after the other. */
class BaseIndex {
  readonly #bytes = Buffer.allocUnsafeSlow(mostLength);
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

/** How many bytes are the same from `i` and from `j` on. */
function sameAfter(bytes: Buffer, i: number, end: number, like: Buffer, j: number, endOfLike: number): number {
  const most = Math.min(end - i, endOfLike - j);
  let same = 0;
  while (same < most && bytes[i + same] === like[j + same]) same++;
  return same;
}

/** Writes a part of the text as it is, byte by byte: most are so short that a call would take longer. Returns where it ends. */
function putNew(at: number, from: number, to: number): number {
  let used = putNumber(written, at, to - from);
  for (let i = from; i < to; i++) written[used++] = scratch[i] ?? 0;
  return used;
}

/** The difference of the text from the base; undefined when that is longer than half of the text. */
function differenceFrom(base: Base, text: string): string | undefined {
  const like = index.bytesOf(base);
  const positions = index.positionsOf(base);
  const { length } = text;
  const mostWritten = (length >>> 1) - windowBytes;
  scratch.write(text, 0, 'latin1');
  let used = 0;
  /** Up to where the text is told. */
  let told = 0;
  let missed = 0;
  for (let i = 0; i + windowBytes <= length;) {
    const j = (positions[hashAt(scratch, i)] ?? 0) - 1;
    const same = j < 0 ? 0 : sameAfter(scratch, i, length, like, j, base.text.length);
    if (same < windowBytes) {
      i += 1 + Math.floor(missed++ / patience);
      continue;
    }
    missed = 0;
    let before = 0;
    while (i - before > told && before < j && scratch[i - before - 1] === like[j - before - 1]) before++;
    const from = i - before;
    if (used + from - told > mostWritten) return undefined;
    used = putNew(used, told, from);
    used = putNumber(written, putNumber(written, used, j - before), same + before);
    i += same;
    told = i;
  }
  if (used + length - told > mostWritten) return undefined;
  if (told < length) {
    used = putNew(used, told, length);
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

  /** The whole text, which is made anew each time. */
  get text(): string {
    return bytesBy(this.#difference, index.bytesOf(this.#base), this.#length, scratch).toString(
      'latin1',
      0,
      this.#length,
    );
  }

  /** Characters that it takes besides the base. */
  get size(): number {
    return this.#difference.length;
  }
}

/** The bases of a resource. A base lives for as long as a text is kept as its difference from it. */
export class DeltaBases {
  /** By the end of the text, the oldest first. */
  readonly #bases = new Map<string, Base>();
  #latest: Base | undefined;
  /** Texts in a row that were unlike their bases. */
  #unlike = 0;
  /** Texts that are still to be left out. */
  #leftOut = 0;

  /** The text as a difference from one of the bases; undefined when it is like none of them, and becomes a base itself. */
  pack(text: string): Delta | undefined {
    if (text.length < leastLength || text.length > mostLength) return undefined;
    if (this.#leftOut > 0) {
      this.#leftOut--;
      return undefined;
    }
    const end = text.slice(-endLength);
    const base = this.#bases.get(end) ?? this.#latest;
    const difference = base && differenceFrom(base, text);
    if (base && difference !== undefined) {
      this.#unlike = 0;
      return new Delta(base, difference, text.length);
    }
    if (base) this.#leaveOut();
    this.#add(end, { text });
    return undefined;
  }

  /** Passes over most texts of a resource whose texts have little in common, so that they cost little. */
  #leaveOut(): void {
    const more = ++this.#unlike - mostUnlike;
    if (more > 0) this.#leftOut = Math.min(more, mostLeftOut);
  }

  #add(end: string, base: Base): void {
    this.#bases.delete(end);
    this.#bases.set(end, base);
    this.#latest = base;
    if (this.#bases.size <= mostBases) return;
    const [oldest = ''] = this.#bases.keys();
    this.#bases.delete(oldest);
  }
}
