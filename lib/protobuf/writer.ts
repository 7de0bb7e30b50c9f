import type { Int64 } from '../json/json.js';

/** The maximum length of texts that are written character by character. */
const shortText = 40;

/** Returns the number of bytes of a varint, each with 7 bits. */
function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/**
 * Writes Protocol Buffers (https://protobuf.dev/programming-guides/encoding) from the end of a buffer to its start, so that the length of a nested
 * message is known when it is written.
 */
export class Writer {
  #buffer: Buffer;
  #at: number;

  /** `buffer` is filled from its end, and replaced by a larger one if it is full. */
  constructor(buffer: Buffer = Buffer.allocUnsafeSlow(4096)) {
    this.#buffer = buffer;
    this.#at = buffer.length;
  }

  /** The number of bytes written so far: the difference of two marks is the length of what was written between them. */
  get mark(): number {
    return this.#buffer.length - this.#at;
  }

  /** Starts over; the result of an earlier `finish` is overwritten. */
  clear(): void {
    this.#at = this.#buffer.length;
  }

  /** Returns the written bytes, as a view of the writer's buffer. */
  finish(): Buffer {
    return this.#buffer.subarray(this.#at);
  }

  #reserve(bytes: number): void {
    if (this.#at >= bytes) return;
    const used = this.mark;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, used + bytes));
    this.#buffer.copy(grown, grown.length - used, this.#at);
    this.#at = grown.length - used;
    this.#buffer = grown;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[--this.#at] = value;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#at -= value.length;
    this.#buffer.set(value, this.#at);
  }

  text(value: string): void {
    if (value.length <= shortText && this.#ascii(value)) return;
    const length = Buffer.byteLength(value);
    this.#reserve(length);
    this.#at -= length;
    this.#buffer.write(value, this.#at, length);
  }

  /** Writes a short ASCII text; returns false for any other text. hot: faster than Buffer.write for short texts */
  #ascii(value: string): boolean {
    const { length } = value;
    this.#reserve(length);
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
    this.#reserve(8);
    this.#at -= 8;
    this.#buffer.writeDoubleLE(value, this.#at);
  }

  /** Writes a whole number; a negative one as 64 bits of two's complement. */
  varint(value: Int64): void {
    if (typeof value !== 'number' || value < 0) return this.#longVarint(BigInt.asUintN(64, BigInt(value)));
    const size = value < 0x80 ? 1 : varintSize(value);
    this.#reserve(size);
    this.#at -= size;
    let at = this.#at;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#buffer[at++] = (rest % 0x80) | 0x80;
    this.#buffer[at] = rest;
  }

  #longVarint(value: bigint): void {
    const groups: number[] = [];
    let rest = value;
    for (; rest >= 0x80n; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
    groups.push(Number(rest));
    this.bytes(Uint8Array.from(groups));
  }
}
