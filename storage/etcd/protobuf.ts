/** Protocol Buffers on the wire (https://protobuf.dev/programming-guides/encoding), as much of it as etcd's messages need. */

const varintWire = 0;
const fixed64Wire = 1;
const bytesWire = 2;
const fixed32Wire = 5;

/** The most that a tag with its length or number takes. */
export const fieldBytes = 15;

/** Writes a message from its end to its start, so that the length of what is nested is known when it is due, and nothing is written twice. */
export class Writer {
  readonly #bytes: Buffer;
  #at: number;

  /** `capacity`: at least what will be written. */
  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(capacity);
    this.#at = capacity;
  }

  /** Hand it to `nested` after the fields of a message that was begun here. */
  get end(): number {
    return this.#at;
  }

  #varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    let at = (this.#at -= size);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[at++] = (rest % 0x80) | 0x80;
    this.#bytes[at] = rest;
  }

  /** Whole, below 2^53. The default is left out. */
  number(field: number, value: number): void {
    if (value === 0) return;
    this.oneof(field, value);
  }

  /** As `number`, but a zero is written, too: it says which one of several was chosen. */
  oneof(field: number, value: number): void {
    this.#varint(value);
    this.#varint(field * 8 + varintWire);
  }

  long(field: number, value: bigint): void {
    const parts: number[] = [];
    let rest = BigInt.asUintN(64, value);
    for (; rest >= 0x80n; rest >>= 7n) parts.push(Number(rest & 0x7fn) | 0x80);
    parts.push(Number(rest));
    this.#at -= parts.length;
    this.#bytes.set(parts, this.#at);
    this.#varint(field * 8 + varintWire);
  }

  bytes(field: number, value: Uint8Array): void {
    const end = this.#at;
    this.#at -= value.length;
    this.#bytes.set(value, this.#at);
    this.nested(field, end);
  }

  /** What was written since `end` is the message of this field. */
  nested(field: number, end: number): void {
    this.#varint(end - this.#at);
    this.#varint(field * 8 + bytesWire);
  }

  finish(): Buffer {
    return this.#bytes.subarray(this.#at);
  }
}

const cutOff = (): never => {
  throw new Error('a message is cut off');
};

/** Reads fields one by one: after `next`, the field is either read once or skipped. Bytes are cut out, not copied. Throws when a message is cut off. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #end: number;
  #wire = varintWire;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  /** The number of the next field; 0 at the end of the message. */
  next(): number {
    if (this.#at === this.#end) return 0;
    const tag = this.number();
    this.#wire = tag & 7;
    return tag >>> 3;
  }

  /** Whole and not negative; beyond 2^53 it is rounded. */
  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      if (this.#at === this.#end) return cutOff();
      const byte = this.#bytes[this.#at++] ?? 0;
      if (byte < 0x80) return value + byte * scale;
      value += (byte - 0x80) * scale;
    }
  }

  long(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (this.#at === this.#end) return cutOff();
      const byte = this.#bytes[this.#at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  bool(): boolean {
    return this.number() !== 0;
  }

  bytes(): Buffer {
    const start = this.#advance(this.number());
    return this.#bytes.subarray(start, this.#at);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }

  /** A nested message: `read` reads it to its end. */
  message<T>(read: (reader: Reader) => T): T {
    const outer = this.#end;
    const end = this.number() + this.#at;
    if (end > outer) return cutOff();
    this.#end = end;
    const value = read(this);
    this.#end = outer;
    return value;
  }

  skip(): void {
    if (this.#wire === varintWire) this.number();
    else if (this.#wire === bytesWire) this.#advance(this.number());
    else if (this.#wire === fixed64Wire) this.#advance(8);
    else if (this.#wire === fixed32Wire) this.#advance(4);
    else throw new Error(`a message has wire type ${this.#wire}`);
  }

  /** Answers where it was. */
  #advance(count: number): number {
    const start = this.#at;
    if (count > this.#end - start) return cutOff();
    this.#at = start + count;
    return start;
  }
}
