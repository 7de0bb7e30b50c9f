import { errorCodes, Http2Error } from './error.js';
import { type Frame, contentOf, flags, frameTypes } from './frames.js';
import { type HeaderField, HeaderReader } from './hpack.js';

export interface HeaderBlock {
  readonly stream: number;
  /** END_STREAM was set. */
  readonly ends: boolean;
  readonly fields: readonly HeaderField[];
  /** The list exceeded the limit, and `fields` is its beginning. */
  readonly isCut: boolean;
}

/** The most frames of one header block: they could be empty, and continue without end. */
const maxParts = 128;

/** Returns the indexes in the joined parts at which the parts after the first one begin. */
function beginsOf(parts: readonly Buffer[]): number[] {
  let end = 0;
  return parts.slice(0, -1).map(({ length }) => (end += length));
}

/** Joins headers that come in several frames, between which no other frame may come. */
export class HeaderBlocks {
  readonly #maxBytes: number;
  readonly #reader: HeaderReader;
  #begun: { readonly stream: number; readonly ends: boolean; readonly parts: Buffer[]; bytes: number } | undefined;

  /** `maxBytes`: bytes of one list of headers. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#reader = new HeaderReader(maxBytes);
  }

  /** Takes every frame of the connection, also of unknown streams. Returns the headers that it completes. Throws when another frame is due. */
  take(frame: Frame): HeaderBlock | undefined {
    const { stream, type, payload } = frame;
    const last = (frame.flags & flags.endHeaders) !== 0;
    if (type !== frameTypes.continuation) {
      if (this.#begun !== undefined) throw new Http2Error(errorCodes.protocol, 'HTTP/2: headers break off');
      if (type !== frameTypes.headers) return undefined;
      const ends = (frame.flags & flags.endStream) !== 0;
      const content = contentOf(frame);
      if (last) return this.#read(stream, ends, content);
      this.#begun = { stream, ends, parts: [content], bytes: content.length };
      return undefined;
    }
    const block = this.#begun;
    if (block?.stream !== stream) throw new Http2Error(errorCodes.protocol, 'HTTP/2: headers go on that never began');
    block.parts.push(payload);
    block.bytes += payload.length;
    if (block.bytes > this.#maxBytes || block.parts.length > maxParts)
      throw new Http2Error(errorCodes.enhanceYourCalm, 'HTTP/2: headers without end');
    if (!last) return undefined;
    this.#begun = undefined;
    return this.#read(stream, block.ends, Buffer.concat(block.parts, block.bytes), beginsOf(block.parts));
  }

  #read(stream: number, ends: boolean, block: Buffer, frames?: readonly number[]): HeaderBlock {
    const fields = this.#reader.read(block, frames);
    return { stream, ends, fields, isCut: this.#reader.isCut };
  }
}
