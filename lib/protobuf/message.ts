/** Messages of Protocol Buffers whose fields are written and read one by one. */
import { Reader as WireReader, wireType } from './reader.js';
import { Writer as WireWriter } from './writer.js';

/** The most bytes that a tag takes with its length or number. */
export const fieldBytes = 15;

/** Writes the fields of a message, the last one first. */
export class MessageWriter extends WireWriter {
  /** `capacity`: bytes, at least as many as will be written. */
  constructor(capacity: number) {
    super(Buffer.allocUnsafe(capacity));
  }

  #tag(field: number, wire: number): void {
    this.varint(field * 8 + wire);
  }

  /** Writes a whole number from 0 to 2^53. The default is left out. */
  numberField(field: number, value: number): void {
    if (value !== 0) this.oneofField(field, value);
  }

  /** As `numberField`, but a zero is written, too: it says which one of several fields was chosen. */
  oneofField(field: number, value: number | bigint): void {
    this.varint(value);
    this.#tag(field, wireType.varint);
  }

  bytesField(field: number, value: Uint8Array): void {
    const { mark } = this;
    this.bytes(value);
    this.messageField(field, mark);
  }

  /** Writes the head of a field whose message is what was written since `mark`. */
  messageField(field: number, mark: number): void {
    this.varint(this.mark - mark);
    this.#tag(field, wireType.bytes);
  }
}

/** Reads fields one by one: after `next`, the field is either read once or skipped. Bytes are cut out, not copied. Throws WireError. */
export class MessageReader extends WireReader {
  #wire: number = wireType.varint;

  /** Returns the number of the next field; 0 at the end of the message. */
  next(): number {
    if (this.done) return 0;
    const tag = this.varint();
    this.#wire = tag & 7;
    return tag >>> 3;
  }

  /** Reads a whole number without sign; beyond 2^53 it is rounded. */
  number(): number {
    const value = this.varint();
    return value < 0 ? value + 2 ** 64 : value;
  }

  long(): bigint {
    return BigInt.asUintN(64, BigInt(this.int64()));
  }

  bool(): boolean {
    return this.varint() !== 0;
  }

  bytes(): Buffer {
    const from = this.pass();
    return this.buffer.subarray(from, this.at);
  }

  /** Returns what was not read yet. */
  rest(): Buffer {
    const from = this.at;
    this.at = this.end;
    return this.buffer.subarray(from, this.at);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }

  /** Reads a nested message: `read` reads it to its end. */
  message<T>(read: (reader: MessageReader) => T): T {
    const outer = this.end;
    const from = this.pass();
    [this.at, this.end] = [from, this.at];
    const value = read(this);
    this.end = outer;
    return value;
  }

  skipField(): void {
    this.skip(this.#wire);
  }
}
