/**
 * Writes header blocks that use only the static table (RFC 7541, appendix A). They take a hundred bytes more for each answer than with a dynamic
 * table, but need no state: no table for each connection, and the peer's table size does not matter.
 */
import { staticFields } from './hpack.js';

/** The first index of each name in the static table. */
const nameIndexes = new Map<string, number>();
for (const [index, { name }] of staticFields.entries()) if (!nameIndexes.has(name)) nameIndexes.set(name, index + 1);

const statusIndex = nameIndexes.get(':status') ?? 0;
/** Statuses that are in the static table with their value. */
const statuses = new Map<number, number>();
for (const [index, { name, value }] of staticFields.entries())
  if (name === ':status') statuses.set(Number(value), index + 1);

/** The most bytes of the length prefix of a string. */
const maxPrefix = 6;

export type HeaderValues = Readonly<Record<string, string | number | readonly string[]>>;

let block = Buffer.allocUnsafeSlow(4096);
let used = 0;

function reserve(bytes: number): void {
  if (block.length - used >= bytes) return;
  const larger = Buffer.allocUnsafeSlow(2 * (used + bytes));
  block.copy(larger, 0, 0, used);
  block = larger;
}

/** Encodes an integer that begins in the low bits of a byte, with `flags` above them (section 5.1). */
function number(flags: number, bits: number, value: number): void {
  const full = 2 ** bits - 1;
  if (value < full) {
    block[used++] = flags | value;
    return;
  }
  block[used++] = flags | full;
  let rest = value - full;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) block[used++] = (rest % 0x80) | 0x80;
  block[used++] = rest;
}

function text(value: string): void {
  number(0, 7, value.length);
  used += block.write(value, used, 'latin1');
}

function field(name: string, value: string): void {
  reserve(name.length + value.length + 3 * maxPrefix);
  const index = nameIndexes.get(name);
  if (index === undefined) {
    block[used++] = 0;
    text(name);
  } else number(0, 4, index);
  text(value);
}

/**
 * hot: returns the header block of an answer. Names are in lower case. The block is a view of a scratch buffer, and valid until the next
 * call. `clearsTable`: sets the table size to 0, which a client with a smaller table than the default requires (section 4.2).
 */
export function literalHeaders(status: number, headers: HeaderValues, clearsTable = false): Buffer {
  used = 0;
  if (clearsTable) number(0x20, 5, 0);
  const known = statuses.get(status);
  if (known !== undefined) number(0x80, 7, known);
  else {
    number(0, 4, statusIndex);
    text(String(status));
  }
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string') field(name, value);
    else if (typeof value === 'number') field(name, String(value));
    else for (const one of value ?? []) field(name, one);
  }
  return block.subarray(0, used);
}
