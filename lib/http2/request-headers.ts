import { BlockWriter } from './block-writer.js';
import { defaultTableSize, staticFields } from './hpack.js';

/** The pseudo-headers of a request. */
interface RequestLine {
  readonly method: string;
  readonly scheme: string;
  readonly authority: string;
  /** Percent-encoded path and query. */
  readonly path: string;
}

/**
 * Headers that have the same value in most requests to one server, credentials included: the server has them in memory anyway, and no intermediary
 * mixes the requests of this connection with others.
 */
const repeated = new Set(['authorization', 'user-agent', 'accept', 'content-type', 'impersonate-user']);

/** Bytes of a table entry in addition to its text (RFC 7541, section 4.1). */
const entryBytes = 32;
const getIndex = 2;
const postIndex = 3;
const httpIndex = 6;
const httpsIndex = 7;

interface Entry {
  readonly value: string;
  /** How many entries were inserted before this one. */
  readonly at: number;
}

/**
 * hot: writes the header blocks of requests on one connection. Of headers that rarely change, the first value enters the table of the server, and costs
 * one byte from then on. No entry is ever evicted. Blocks have to be sent in the order in which they were written.
 */
export class RequestHeaderWriter {
  readonly #writer = new BlockWriter();
  readonly #entries = new Map<string, Entry>();
  #inserted = 0;
  #left = defaultTableSize;
  /** The server has to be told that the table is empty. */
  #isClearDue = false;

  /** Uses no table any more if that of the server is smaller than the default. `bytes`: its size. */
  limit(bytes: number): void {
    if (bytes >= defaultTableSize || this.#left < 0) return;
    this.#left = -1;
    this.#entries.clear();
    this.#isClearDue = true;
  }

  /** Returns the block of a request, as a view that is valid until the next call. `fields`: name in lower case, value, name, value. */
  write({ method, scheme, authority, path }: RequestLine, fields: readonly string[]): Buffer {
    const writer = this.#writer;
    writer.begin(this.#isClearDue);
    this.#isClearDue = false;
    if (method === 'GET') writer.index(getIndex);
    else if (method === 'POST') writer.index(postIndex);
    else writer.field(':method', method);
    writer.index(scheme === 'https' ? httpsIndex : httpIndex);
    this.#repeated(':authority', authority);
    writer.field(':path', path);
    for (let i = 0; i + 1 < fields.length; i += 2) {
      const name = fields[i] ?? '';
      const value = fields[i + 1] ?? '';
      if (repeated.has(name)) this.#repeated(name, value);
      else writer.field(name, value);
    }
    return writer.block();
  }

  #repeated(name: string, value: string): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) {
      if (entry.value === value) this.#writer.index(staticFields.length + this.#inserted - entry.at);
      else this.#writer.field(name, value);
      return;
    }
    const size = name.length + value.length + entryBytes;
    if (size > this.#left) return this.#writer.field(name, value);
    this.#left -= size;
    this.#entries.set(name, { value, at: this.#inserted++ });
    this.#writer.insert(name, value);
  }
}
