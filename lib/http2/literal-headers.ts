/**
 * Writes header blocks that refer to nothing but the table that everybody knows (RFC 7541, appendix A). They cost a hundred bytes more an answer
 * than if the other side remembered some, and no state: no table for each connection, and what it allows us to remember does not matter.
 */
import { staticFields } from './hpack.js';

/** A name that the table has: its first place. */
const places = new Map<string, number>();
for (const [index, { name }] of staticFields.entries()) if (!places.has(name)) places.set(name, index + 1);

const statusPlace = places.get(':status') ?? 0;
/** Statuses that the table has with their values. */
const statuses = new Map<number, number>();
for (const [index, { name, value }] of staticFields.entries())
  if (name === ':status') statuses.set(Number(value), index + 1);

/** Of a number that says how long something is. */
const maxPrefix = 6;

export type HeaderValues = Readonly<Record<string, string | number | readonly string[]>>;

let block = Buffer.allocUnsafeSlow(4096);
let used = 0;

function room(bytes: number): void {
  if (block.length - used >= bytes) return;
  const larger = Buffer.allocUnsafeSlow(2 * (used + bytes));
  block.copy(larger, 0, 0, used);
  block = larger;
}

/** A number that begins in the last bits of its first byte, above which `flags` stand (section 5.1). */
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
  room(name.length + value.length + 3 * maxPrefix);
  const place = places.get(name);
  if (place === undefined) {
    block[used++] = 0;
    text(name);
  } else number(0, 4, place);
  text(value);
}

/**
 * hot: the block of an answer. Names are lower-case. It is valid until the next call. `saysSo`: that nothing needs to be remembered, which a client has to be
 * told when it remembers less than is usual (section 4.2).
 */
export function literalHeaders(status: number, headers: HeaderValues, saysSo = false): Buffer {
  used = 0;
  if (saysSo) number(0x20, 5, 0);
  const known = statuses.get(status);
  if (known !== undefined) number(0x80, 7, known);
  else {
    number(0, 4, statusPlace);
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
