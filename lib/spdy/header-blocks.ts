/** The compressed headers of SPDY/3. */
import { createInflate, constants, type Inflate } from 'node:zlib';
import { dictionary } from './dictionary.js';

/** Headers by lower-case names. The values of a repeated header are in one list. */
export type SpdyHeaders = ReadonlyMap<string, readonly string[]>;

/** Maximum bytes of the headers of one frame, compressed and not. as spdystream, whose limit is larger */
export const maxHeaderBytes = 64 * 1024;
/** Maximum bytes of one stored block of deflate. */
const maxStored = 0xffff;

/** Returns the checksum by which zlib names a dictionary. as RFC 1950 */
function adler32(bytes: Buffer): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return ((b << 16) | a) >>> 0;
}

/**
 * Writes the headers of a connection as one zlib stream. They are stored and not compressed: they are short, and a frame is made at once. An empty
 * block after each makes readers pass on what they have, as a flush of zlib does.
 */
export class SpdyHeaderWriter {
  #isBegun = false;

  /** Throws a RangeError when the headers are too long. */
  write(headers: Readonly<Record<string, string>>): Buffer {
    const entries = Object.entries(headers);
    const texts = entries.flat().map(text => Buffer.from(text, 'utf8'));
    const plain = Buffer.alloc(4 + texts.reduce((sum, text) => sum + 4 + text.length, 0));
    if (plain.length > maxStored) throw new RangeError('the headers of a stream are too long');
    plain.writeUInt32BE(entries.length, 0);
    let at = 4;
    for (const text of texts) {
      plain.writeUInt32BE(text.length, at);
      text.copy(plain, at + 4);
      at += 4 + text.length;
    }
    const parts = [this.#isBegun ? Buffer.alloc(0) : beginning, storedHead(plain.length), plain, storedHead(0)];
    this.#isBegun = true;
    return Buffer.concat(parts);
  }
}

/** The head of a zlib stream with a dictionary. */
const beginning = Buffer.alloc(6);
beginning.writeUInt16BE(0x78bb, 0);
beginning.writeUInt32BE(adler32(dictionary), 2);

function storedHead(length: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(length, 1);
  head.writeUInt16LE(~length & 0xffff, 3);
  return head;
}

function parse(bytes: Buffer): SpdyHeaders {
  const headers = new Map<string, readonly string[]>();
  let at = 0;
  const number = (): number => {
    if (at + 4 > bytes.length) throw new Error('the headers of a stream are cut off');
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > bytes.length) throw new Error('the headers of a stream are cut off');
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  for (let left = number(); left > 0; left--) {
    const name = text().toLowerCase();
    headers.set(name, text().split('\0'));
  }
  return headers;
}

/** Reads the headers of a connection, block after block. */
export class SpdyHeaderReader {
  readonly #inflate: Inflate = createInflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  #parts: Buffer[] = [];
  #length = 0;
  #failure: Error | undefined;

  constructor() {
    this.#inflate.on('error', error => (this.#failure = error));
    this.#inflate.on('data', (part: Buffer) => {
      this.#length += part.length;
      if (this.#length > maxHeaderBytes) this.#inflate.destroy();
      else this.#parts.push(part);
    });
  }

  /** Resolves with the headers of the next block. Rejects when they are invalid or too long. One call at a time. */
  async read(block: Buffer): Promise<SpdyHeaders> {
    if (this.#failure) throw this.#failure;
    this.#parts = [];
    this.#length = 0;
    await new Promise<void>((resolve, reject) => {
      const closed = (): void => reject(this.#failure ?? new Error('the connection is closed'));
      this.#inflate.once('close', closed);
      this.#inflate.write(block, error => {
        this.#inflate.off('close', closed);
        if (error) reject(error);
        else resolve();
      });
    });
    if (this.#length > maxHeaderBytes) throw new Error('the headers of a stream are too long');
    return parse(Buffer.concat(this.#parts));
  }

  close(): void {
    this.#inflate.destroy();
  }
}
