import { type Frame, contentOf, flags, frameTypes } from './frames.js';
import { type Field, HeaderReader } from './hpack.js';

export interface Headers {
  readonly stream: number;
  /** Nothing follows. */
  readonly ends: boolean;
  readonly fields: readonly Field[];
}

/** Of one answer, as they come: etcd's are small. */
const mostBytes = 1 << 18;

/** Puts headers together that come in several frames, between which nothing else may come. */
export class HeaderBlocks {
  readonly #reader = new HeaderReader();
  #begun: { readonly stream: number; readonly ends: boolean; readonly parts: Buffer[]; bytes: number } | undefined;

  /** What the frame completes. Throws when it should be another one. Every frame of the connection passes here: also of streams that nobody listens to. */
  take(frame: Frame): Headers | undefined {
    const { stream, type, payload } = frame;
    const last = (frame.flags & flags.endHeaders) !== 0;
    if (type !== frameTypes.continuation) {
      if (this.#begun !== undefined) throw new Error('HTTP/2: headers break off');
      if (type !== frameTypes.headers) return undefined;
      const ends = (frame.flags & flags.endStream) !== 0;
      const content = contentOf(frame);
      if (last) return { stream, ends, fields: this.#reader.read(content) };
      this.#begun = { stream, ends, parts: [content], bytes: content.length };
      return undefined;
    }
    const block = this.#begun;
    if (block?.stream !== stream) throw new Error('HTTP/2: headers go on that never began');
    block.parts.push(payload);
    block.bytes += payload.length;
    if (block.bytes > mostBytes) throw new Error('HTTP/2: headers without end');
    if (!last) return undefined;
    this.#begun = undefined;
    return { stream, ends: block.ends, fields: this.#reader.read(Buffer.concat(block.parts)) };
  }
}
