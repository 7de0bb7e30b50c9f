import { staticFields } from './hpack.js';

/** The first index of each name in the static table (RFC 7541, appendix A). */
const nameIndexes = new Map<string, number>();
for (const [index, { name }] of staticFields.entries()) if (!nameIndexes.has(name)) nameIndexes.set(name, index + 1);

/** The indexes of statuses that are in the static table with their value. */
export const statusIndexes: ReadonlyMap<number, number> = new Map(
  staticFields.flatMap(({ name, value }, index) => (name === ':status' ? [[Number(value), index + 1] as const] : [])),
);

/** The most bytes of the length prefix of a string, or of an index. */
const maxPrefix = 6;

/** hot: writes header blocks (RFC 7541, section 6) into a buffer that it uses again for the next block. */
export class BlockWriter {
  #block = Buffer.allocUnsafeSlow(4096);
  #used = 0;

  /** Starts a block. `clearsTable`: it sets the size of the dynamic table to 0. */
  begin(clearsTable: boolean): void {
    this.#used = 0;
    if (clearsTable) this.#number(0x20, 5, 0);
  }

  /** Returns the block, as a view that is valid until the next one begins. */
  block(): Buffer {
    return this.#block.subarray(0, this.#used);
  }

  /** Writes a field that is in a table with its value. */
  index(index: number): void {
    this.#reserve(maxPrefix);
    this.#number(0x80, 7, index);
  }

  /** Writes a field that does not enter the dynamic table. The name is in lower case. */
  field(name: string, value: string): void {
    this.#literal(0, 4, name, value);
  }

  /** Writes a field that enters the dynamic table. */
  insert(name: string, value: string): void {
    this.#literal(0x40, 6, name, value);
  }

  #literal(flags: number, bits: number, name: string, value: string): void {
    this.#reserve(name.length + value.length + 3 * maxPrefix);
    const index = nameIndexes.get(name);
    if (index === undefined) {
      this.#block[this.#used++] = flags;
      this.#text(name);
    } else this.#number(flags, bits, index);
    this.#text(value);
  }

  #reserve(bytes: number): void {
    if (this.#block.length - this.#used >= bytes) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#used + bytes));
    this.#block.copy(larger, 0, 0, this.#used);
    this.#block = larger;
  }

  /** Encodes an integer that begins in the low bits of a byte, with `flags` above them (section 5.1). */
  #number(flags: number, bits: number, value: number): void {
    const full = 2 ** bits - 1;
    if (value < full) {
      this.#block[this.#used++] = flags | value;
      return;
    }
    this.#block[this.#used++] = flags | full;
    let rest = value - full;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#block[this.#used++] = (rest % 0x80) | 0x80;
    this.#block[this.#used++] = rest;
  }

  #text(value: string): void {
    this.#number(0, 7, value.length);
    this.#used += this.#block.write(value, this.#used, 'latin1');
  }
}
