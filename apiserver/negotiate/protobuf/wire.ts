/** The wire format of protobuf: varints, tags, lengths. */
import { maxDepth } from '../../../lib/json/depth.js';
import type { Int64 } from '../../../lib/json/json.js';
import { ValueBudget } from '../../../apimachinery/meta/values.js';

const two32 = 4294967296;

/** Up to so many letters are written one by one. */
const shortText = 40;

/** Fills a buffer from its end to its start: the length of a message is known when what is in it is written. */
export class Writer {
  #buffer: Buffer;
  #at: number;

  constructor(size = 4096) {
    this.#buffer = Buffer.allocUnsafeSlow(size);
    this.#at = size;
  }

  /** Bytes written so far: the difference of two marks is the length of what was written between them. */
  get mark(): number {
    return this.#buffer.length - this.#at;
  }

  /** Begins anew; what was finished before is overwritten. */
  clear(): void {
    this.#at = this.#buffer.length;
  }

  /** What was written: a part of the writer's buffer. */
  finish(): Buffer {
    return this.#buffer.subarray(this.#at);
  }

  #room(bytes: number): void {
    if (this.#at >= bytes) return;
    const used = this.mark;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, used + bytes));
    this.#buffer.copy(grown, grown.length - used, this.#at);
    this.#at = grown.length - used;
    this.#buffer = grown;
  }

  byte(value: number): void {
    this.#room(1);
    this.#buffer[--this.#at] = value;
  }

  bytes(value: Uint8Array): void {
    this.#room(value.length);
    this.#at -= value.length;
    this.#buffer.set(value, this.#at);
  }

  text(value: string): void {
    if (value.length <= shortText && this.#ascii(value)) return;
    const length = Buffer.byteLength(value);
    this.#room(length);
    this.#at -= length;
    this.#buffer.write(value, this.#at, length);
  }

  /** hot: names and words, which a call of the engine's would take longer for. False: it is more than that. */
  #ascii(value: string): boolean {
    const { length } = value;
    this.#room(length);
    const buffer = this.#buffer;
    let at = this.#at;
    for (let i = length - 1; i >= 0; i--) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) return false;
      buffer[--at] = code;
    }
    this.#at = at;
    return true;
  }

  double(value: number): void {
    this.#room(8);
    this.#at -= 8;
    this.#buffer.writeDoubleLE(value, this.#at);
  }

  /** Whole numbers; negative ones as 64 bits of two's complement. */
  varint(value: Int64): void {
    if (typeof value === 'number' && value >= 0 && value < 128) return this.byte(value);
    if (typeof value === 'number' && value >= 0 && value < 128 * 128) {
      this.byte(value >>> 7);
      return this.byte((value & 127) | 128);
    }
    const groups: number[] = [];
    if (typeof value === 'number' && value >= 0)
      for (let rest = value; rest > 0; rest = Math.floor(rest / 128)) groups.push(rest % 128);
    else for (let rest = BigInt.asUintN(64, BigInt(value)); rest > 0n; rest >>= 7n) groups.push(Number(rest & 127n));
    for (let i = groups.length - 1; i >= 0; i--) this.byte((groups[i] ?? 0) | (i === groups.length - 1 ? 0 : 128));
  }
}

/** A text that is no protobuf. */
export class WireError extends Error {}

export class Reader {
  readonly #buffer: Buffer;
  #high = 0;
  at: number;
  readonly end: number;
  /** How many blocks it is in. */
  readonly depth: number;
  /** Of the whole message: what a block is read into shares it. */
  readonly values: ValueBudget;

  constructor(buffer: Buffer, at = 0, end = buffer.length, depth = 0, values = new ValueBudget()) {
    this.values = values;
    this.#buffer = buffer;
    this.at = at;
    this.end = end;
    this.depth = depth;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  /** A number of 64 bits, with its sign; not exact where it is not safe. */
  varint(): number {
    const low = this.#halves();
    return this.#high * two32 + low;
  }

  /** A number of 64 bits, with its sign. */
  int64(): Int64 {
    const low = this.#halves();
    const value = this.#high * two32 + low;
    return Number.isSafeInteger(value) ? value : BigInt(this.#high) * BigInt(two32) + BigInt(low);
  }

  /** The lower half; the upper one, which has the sign, stands in #high then. */
  #halves(): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= this.end) throw new WireError('unexpected EOF');
      const byte = this.#buffer[this.at++] ?? 0;
      const bits = byte & 127;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= (bits & 15) << 28;
        high |= bits >> 4;
      } else high |= bits << (shift - 32);
      if (byte < 128) {
        this.#high = high | 0;
        return low >>> 0;
      }
    }
    throw new WireError('proto: integer overflow');
  }

  /** What a length announces; the reader stands behind it. */
  block(): Reader {
    const length = this.varint();
    const from = this.at;
    if (length < 0 || from + length > this.end) throw new WireError('unexpected EOF');
    this.at = from + length;
    if (this.depth >= maxDepth) throw new WireError('exceeded max depth');
    return new Reader(this.#buffer, from, this.at, this.depth + 1, this.values);
  }

  bytes(): Buffer {
    return this.#buffer.subarray(this.at, this.end);
  }

  text(): string {
    return this.#buffer.toString('utf8', this.at, this.end);
  }

  double(): number {
    if (this.at + 8 > this.end) throw new WireError('unexpected EOF');
    const value = this.#buffer.readDoubleLE(this.at);
    this.at += 8;
    return value;
  }

  /** Passes over a field that nobody knows. */
  skip(wire: number): void {
    if (wire === 0) this.varint();
    else if (wire === 1) this.at += 8;
    else if (wire === 2) this.block();
    else if (wire === 5) this.at += 4;
    else throw new WireError(`proto: illegal wireType ${wire}`);
    if (this.at > this.end) throw new WireError('unexpected EOF');
  }
}
