import type { Int64 } from '../json/json.js';

const two32 = 4294967296;

/** The wire types: the lower three bits of a tag. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Thrown for bytes that are not valid Protocol Buffers. */
export class WireError extends Error {}

/** Reads Protocol Buffers (https://protobuf.dev/programming-guides/encoding). Byte fields are views of the buffer, not copies. Throws WireError. */
export class Reader {
  protected readonly buffer: Buffer;
  #high = 0;
  at: number;
  end: number;

  constructor(buffer: Buffer, at = 0, end = buffer.length) {
    this.buffer = buffer;
    this.at = at;
    this.end = end;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  /** Reads a signed 64-bit number; rounded if it is not a safe integer. hot: called for nearly every field */
  varint(): number {
    const byte = this.at < this.end ? (this.buffer[this.at] ?? 0) : 0x80;
    if (byte < 0x80) {
      this.at++;
      return byte;
    }
    const low = this.#halves();
    return this.#high * two32 + low;
  }

  /** Reads a signed 64-bit number. */
  int64(): Int64 {
    const low = this.#halves();
    const value = this.#high * two32 + low;
    return Number.isSafeInteger(value) ? value : BigInt(this.#high) * BigInt(two32) + BigInt(low);
  }

  /** Returns the lower half of a varint; stores the upper half, which has the sign, in #high. */
  #halves(): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= this.end) throw new WireError('unexpected EOF');
      const byte = this.buffer[this.at++] ?? 0;
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

  /** Reads a length and skips that many bytes. Returns where they begin; they end at `at`. */
  protected pass(): number {
    const length = this.varint();
    const from = this.at;
    if (length < 0 || length > this.end - from) throw new WireError('unexpected EOF');
    this.at = from + length;
    return from;
  }

  double(): number {
    if (this.at + 8 > this.end) throw new WireError('unexpected EOF');
    const value = this.buffer.readDoubleLE(this.at);
    this.at += 8;
    return value;
  }

  /** Skips the value of an unknown field. */
  skip(wire: number): void {
    if (wire === wireType.varint) this.varint();
    else if (wire === wireType.fixed64) this.at += 8;
    else if (wire === wireType.bytes) this.pass();
    else if (wire === wireType.fixed32) this.at += 4;
    else throw new WireError(`proto: illegal wireType ${wire}`);
    if (this.at > this.end) throw new WireError('unexpected EOF');
  }
}
