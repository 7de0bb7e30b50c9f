/** HPACK (RFC 7541): the headers of HTTP/2, to read all that a server may write, and to write what a call needs. */
import { errorCodes, Http2Error } from './error.js';
import { readHuffman } from './huffman.js';

export interface Field {
  readonly name: string;
  readonly value: string;
}

/** Appendix A, from 1 on; several values of one name follow each other. */
const staticNames: readonly (readonly [name: string, ...values: string[]])[] = [
  [':authority', ''],
  [':method', 'GET', 'POST'],
  [':path', '/', '/index.html'],
  [':scheme', 'http', 'https'],
  [':status', '200', '204', '206', '304', '400', '404', '500'],
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ...[
    ...['accept-language', 'accept-ranges', 'accept', 'access-control-allow-origin', 'age', 'allow', 'authorization'],
    ...['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-length'],
    ...['content-location', 'content-range', 'content-type', 'cookie', 'date', 'etag', 'expect', 'expires', 'from'],
    ...['host', 'if-match', 'if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since', 'last-modified'],
    ...['link', 'location', 'max-forwards', 'proxy-authenticate', 'proxy-authorization', 'range', 'referer', 'refresh'],
    ...['retry-after', 'server', 'set-cookie', 'strict-transport-security', 'transfer-encoding', 'user-agent', 'vary'],
    ...['via', 'www-authenticate'],
  ].map(name => [name, ''] as const),
];

export const staticFields: readonly Field[] = staticNames.flatMap(([name, ...values]) =>
  values.map(value => ({ name, value })),
);

/** What either side may remember, unless it was told otherwise. */
export const defaultTableSize = 4096;

const none = Buffer.alloc(0);

/** What a remembered field counts (section 4.1). */
const sizeOf = ({ name, value }: Field): number => name.length + value.length + 32;

const broken = (what: string): Http2Error => new Http2Error(errorCodes.compression, `HPACK: ${what}`);

const cutOff = (): never => {
  throw broken('a header block is cut off');
};

/** Reads the header blocks of one connection, each once and in order: what one says, the next may refer to. Throws when one is broken. */
export class HeaderReader {
  /** The newest first. */
  readonly #remembered: Field[] = [];
  #size = 0;
  #most = defaultTableSize;
  #block: Buffer = none;
  #at = 0;
  readonly #maxBytes: number;

  /** `maxBytes`: of one list of headers, each counted with 32 bytes more (RFC 9113, 6.5.2). */
  constructor(maxBytes = Infinity) {
    this.#maxBytes = maxBytes;
  }

  /** The last list was longer than allowed: only its beginning was read. */
  isCut = false;

  read(block: Buffer): Field[] {
    this.#block = block;
    this.#at = 0;
    const fields: Field[] = [];
    let bytes = 0;
    // Only a block's beginning may change the size.
    while ((this.#block[this.#at] ?? 0) >> 5 === 1) this.#shrink(this.#number(5));
    while (this.#at < block.length) {
      const first = block[this.#at] ?? 0;
      const field = this.#field(first);
      bytes += sizeOf(field);
      // Few bytes may stand for many: what is too much is not collected.
      if (bytes <= this.#maxBytes) fields.push(field);
    }
    this.#block = none;
    this.isCut = bytes > this.#maxBytes;
    return fields;
  }

  #field(first: number): Field {
    if (first >= 0x80) return this.#known(this.#number(7));
    if (first >= 0x40) return this.#remember(this.#literal(6));
    if (first >= 0x20) throw broken('the size of the table changes inside of a block');
    return this.#literal(4);
  }

  #known(index: number): Field {
    const found =
      index <= staticFields.length ? staticFields[index - 1] : this.#remembered[index - staticFields.length - 1];
    if (found === undefined) throw broken(`there is no header ${index}`);
    return found;
  }

  #literal(bits: number): Field {
    const index = this.#number(bits);
    const name = index === 0 ? this.#text() : this.#known(index).name;
    return { name, value: this.#text() };
  }

  #remember(field: Field): Field {
    this.#remembered.unshift(field);
    this.#size += sizeOf(field);
    this.#evict();
    return field;
  }

  #shrink(most: number): void {
    if (most > defaultTableSize) throw broken(`a table of ${most} bytes was not agreed on`);
    this.#most = most;
    this.#evict();
  }

  #evict(): void {
    while (this.#size > this.#most) {
      const oldest = this.#remembered.pop();
      if (oldest === undefined) return;
      this.#size -= sizeOf(oldest);
    }
  }

  /** A number that begins in the last bits of the byte that is next (section 5.1). */
  #number(bits: number): number {
    const full = 2 ** bits - 1;
    let value = this.#byte() & full;
    if (value < full) return value;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (value > 2 ** 31 || scale > 2 ** 31) throw broken('a number is too large');
      if (byte < 0x80) return value;
    }
  }

  #text(): string {
    const huffman = (this.#block[this.#at] ?? 0) >= 0x80;
    const length = this.#number(7);
    const end = this.#at + length;
    if (end > this.#block.length) return cutOff();
    const start = this.#at;
    this.#at = end;
    return huffman ? readHuffman(this.#block, start, end) : this.#block.toString('latin1', start, end);
  }

  #byte(): number {
    return this.#at < this.#block.length ? (this.#block[this.#at++] ?? 0) : cutOff();
  }
}

/** A number that begins in the last bits of its first byte, above which `flags` stand. */
function number(flags: number, bits: number, value: number): number[] {
  const full = 2 ** bits - 1;
  if (value < full) return [flags | value];
  const bytes = [flags | full];
  let rest = value - full;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return [...bytes, rest];
}

function text(value: string): number[] {
  const bytes = Buffer.from(value, 'latin1');
  return [...number(0, 7, bytes.length), ...bytes];
}

const fixedIndex = ({ name, value }: Field): number =>
  staticFields.findIndex(field => field.name === name && field.value === value) + 1;

/** Writes header blocks for one connection. The same few headers come again and again: they are said once, and then referred to. */
export class HeaderWriter {
  /** The oldest first. */
  #said: Field[] = [];
  #size = 0;
  #most = defaultTableSize;
  /** The other side has to be told first that we remember nothing. */
  #forgetting = false;
  readonly #blocks = new Map<string, Buffer>();

  /** As many bytes of headers the other side remembers. */
  limit(bytes: number): void {
    if (bytes >= this.#most) return;
    this.#most = 0;
    this.#said = [];
    this.#forgetting = true;
    this.#blocks.clear();
  }

  /** `usual`: one of few lists of headers, known by its name; `secret` is never remembered on the way. */
  write(name: string, usual: readonly Field[], secret?: Field): Buffer {
    const known = this.#blocks.get(name);
    if (known !== undefined && secret === undefined) return known;
    const bytes = this.#forgetting ? [0x20] : [];
    this.#forgetting = false;
    const before = this.#said.length;
    for (const field of usual) bytes.push(...this.#field(field));
    if (secret !== undefined) bytes.push(0x10, ...text(secret.name), ...text(secret.value));
    const block = Buffer.from(bytes);
    if (this.#said.length > before) this.#blocks.clear();
    else if (secret === undefined && bytes[0] !== 0x20) this.#blocks.set(name, block);
    return block;
  }

  #field(field: Field): number[] {
    const fixed = fixedIndex(field);
    if (fixed > 0) return number(0x80, 7, fixed);
    const place = this.#said.findIndex(({ name, value }) => name === field.name && value === field.value);
    if (place >= 0) return number(0x80, 7, staticFields.length + this.#said.length - place);
    const remembered = this.#size + sizeOf(field) <= this.#most;
    if (remembered) {
      this.#said.push(field);
      this.#size += sizeOf(field);
    }
    return [remembered ? 0x40 : 0, ...text(field.name), ...text(field.value)];
  }
}
