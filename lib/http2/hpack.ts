/** HPACK (RFC 7541), the header compression of HTTP/2: reads everything that a peer may write, and writes what a client needs. */
import { errorCodes, Http2Error } from './error.js';
import { readHuffman } from './huffman.js';

export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** Appendix A, from index 1 on; several values of one name are consecutive. */
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

export const staticFields: readonly HeaderField[] = staticNames.flatMap(([name, ...values]) =>
  values.map(value => ({ name, value })),
);

/** The default size of the dynamic table in bytes. */
export const defaultTableSize = 4096;

const none = Buffer.alloc(0);

/** Returns the size of a table entry (section 4.1). */
const sizeOf = ({ name, value }: HeaderField): number => name.length + value.length + 32;

const broken = (what: string): Http2Error => new Http2Error(errorCodes.compression, `HPACK: ${what}`);

const cutOff = (): never => {
  throw broken('a header block is cut off');
};

/** Reads the header blocks of one connection, each once and in order, since blocks refer to earlier ones. Throws when one is invalid. */
export class HeaderReader {
  /** The dynamic table, the newest entry first. */
  readonly #table: HeaderField[] = [];
  #size = 0;
  #maxSize = defaultTableSize;
  #block: Buffer = none;
  #at = 0;
  readonly #maxBytes: number;

  /** `maxBytes`: bytes of one list of headers, with 32 bytes more for each (RFC 9113, section 6.5.2). */
  constructor(maxBytes = Infinity) {
    this.#maxBytes = maxBytes;
  }

  /** The last list exceeded the limit: only its beginning was returned. */
  isCut = false;

  /**
   * `frames` are the indexes at which the second and further frames of the block begin. Throws when one is far too large for what is left of the
   * list: a block of a megabyte may hold a million references.
   */
  read(block: Buffer, frames: readonly number[] = []): HeaderField[] {
    this.#block = block;
    this.#at = 0;
    const fields: HeaderField[] = [];
    let bytes = 0;
    let next = 0;
    // The size may change only at the beginning of a block.
    while ((this.#block[this.#at] ?? 0) >> 5 === 1) this.#shrink(this.#number(5));
    while (this.#at < block.length) {
      while (this.#at >= (frames[next] ?? Infinity)) {
        const begin = frames[next++] ?? 0;
        this.#checkFrame((frames[next] ?? block.length) - begin, bytes);
      }
      const first = block[this.#at] ?? 0;
      const field = this.#field(first);
      bytes += sizeOf(field);
      // A few bytes may refer to many, so fields beyond the limit are not collected.
      if (bytes <= this.#maxBytes) fields.push(field);
    }
    this.#block = none;
    this.isCut = bytes > this.#maxBytes;
    return fields;
  }

  /** as golang.org/x/net/http2 Framer.readMetaFrame */
  #checkFrame(length: number, bytes: number): void {
    if (length > 2 * Math.max(0, this.#maxBytes - bytes))
      throw new Http2Error(errorCodes.protocol, 'HTTP/2: the headers are too large');
  }

  #field(first: number): HeaderField {
    if (first >= 0x80) return this.#lookup(this.#number(7));
    if (first >= 0x40) return this.#insert(this.#literal(6));
    if (first >= 0x20) throw broken('the size of the table changes inside of a block');
    return this.#literal(4);
  }

  #lookup(index: number): HeaderField {
    const found = index <= staticFields.length ? staticFields[index - 1] : this.#table[index - staticFields.length - 1];
    if (found === undefined) throw broken(`there is no header ${index}`);
    return found;
  }

  #literal(bits: number): HeaderField {
    const index = this.#number(bits);
    const name = index === 0 ? this.#text() : this.#lookup(index).name;
    return { name, value: this.#text() };
  }

  #insert(field: HeaderField): HeaderField {
    this.#table.unshift(field);
    this.#size += sizeOf(field);
    this.#evict();
    return field;
  }

  #shrink(maxSize: number): void {
    if (maxSize > defaultTableSize) throw broken(`a table of ${maxSize} bytes was not agreed on`);
    this.#maxSize = maxSize;
    this.#evict();
  }

  #evict(): void {
    while (this.#size > this.#maxSize) {
      const oldest = this.#table.pop();
      if (oldest === undefined) return;
      this.#size -= sizeOf(oldest);
    }
  }

  /** Reads an integer that begins in the low bits of the next byte (section 5.1). */
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

/** Encodes an integer that begins in the low bits of a byte, with `flags` above them. */
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

const fixedIndex = ({ name, value }: HeaderField): number =>
  staticFields.findIndex(field => field.name === name && field.value === value) + 1;

/** Writes header blocks for one connection. The same few fields are repeated: they are sent once, and then referred to. */
export class HeaderWriter {
  /** The dynamic table, the oldest entry first. */
  #table: HeaderField[] = [];
  #size = 0;
  #maxSize = defaultTableSize;
  /** The peer must be notified first that our table is empty. */
  #isResetDue = false;
  readonly #blocks = new Map<string, Buffer>();

  /** Sets the size of the peer's table in bytes. */
  limit(bytes: number): void {
    if (bytes >= this.#maxSize) return;
    this.#maxSize = 0;
    this.#table = [];
    this.#isResetDue = true;
    this.#blocks.clear();
  }

  /** Writes a block. `usual`: one of a few lists of fields, identified by `name`; `secret` is never indexed. */
  write(name: string, fields: readonly HeaderField[], secret?: HeaderField): Buffer {
    const known = this.#blocks.get(name);
    if (known !== undefined && secret === undefined) return known;
    const bytes = this.#isResetDue ? [0x20] : [];
    this.#isResetDue = false;
    const before = this.#table.length;
    for (const field of fields) bytes.push(...this.#field(field));
    if (secret !== undefined) bytes.push(0x10, ...text(secret.name), ...text(secret.value));
    const block = Buffer.from(bytes);
    if (this.#table.length > before) this.#blocks.clear();
    else if (secret === undefined && bytes[0] !== 0x20) this.#blocks.set(name, block);
    return block;
  }

  #field(field: HeaderField): number[] {
    const fixed = fixedIndex(field);
    if (fixed > 0) return number(0x80, 7, fixed);
    const index = this.#table.findIndex(({ name, value }) => name === field.name && value === field.value);
    if (index >= 0) return number(0x80, 7, staticFields.length + this.#table.length - index);
    const fits = this.#size + sizeOf(field) <= this.#maxSize;
    if (fits) {
      this.#table.push(field);
      this.#size += sizeOf(field);
    }
    return [fits ? 0x40 : 0, ...text(field.name), ...text(field.value)];
  }
}
