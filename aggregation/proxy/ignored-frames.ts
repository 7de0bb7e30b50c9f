/** Frames that a client ignores, and where they may be written into what another server sends to it. */
import { readHead, spdyHeadBytes, unaskedPing } from '../../lib/spdy/frames.js';

const none = Buffer.alloc(0);

interface Framing {
  /** The maximum bytes of the head of a frame. */
  readonly headBytes: number;
  /** A frame from the server that the client ignores. */
  readonly ignored: Buffer;
  /** Returns the bytes of a frame with its head; 0 if more bytes are needed to know, undefined if the bytes are no frame. */
  readonly lengthOf: (head: Buffer) => number | undefined;
}

const spdy: Framing = {
  headBytes: spdyHeadBytes,
  ignored: unaskedPing,
  lengthOf(head) {
    if (head.length < spdyHeadBytes) return 0;
    const frame = readHead(head);
    return frame && spdyHeadBytes + frame.length;
  },
};

const maskBit = 0x80;
/** Lengths of the payload in the second byte that mean a length in the next 2 or 8 bytes. */
const twoBytes = 126;
const eightBytes = 127;

/** as RFC 6455, section 5.2 */
const webSocket: Framing = {
  headBytes: 14,
  ignored: Buffer.of(0x8a, 0), // a pong, section 5.5.3
  lengthOf(head) {
    const second = head[1];
    if (second === undefined) return 0;
    const short = second & ~maskBit;
    const extended = short === twoBytes ? 2 : short === eightBytes ? 8 : 0;
    if (head.length < 2 + extended) return 0;
    const payload = extended === 2 ? head.readUInt16BE(2) : extended === 8 ? Number(head.readBigUInt64BE(2)) : short;
    return 2 + extended + ((second & maskBit) === 0 ? 0 : 4) + payload;
  },
};

/**
 * Follows the frames that a server sends to its client after an upgrade, without looking at their payload, so that a frame that the client ignores can
 * be written between two of them.
 */
export class IgnoredFrames {
  readonly #framing: Framing;
  /** The beginning of a head. */
  #head: Buffer = none;
  /** Bytes of the current frame that have not passed; Infinity if the bytes are no frames. */
  #left = 0;

  private constructor(framing: Framing) {
    this.#framing = framing;
  }

  /** `protocol`: that of the upgrade. Returns undefined if its frames are unknown. */
  static of(protocol: string): IgnoredFrames | undefined {
    if (/^spdy\/3\.1$/i.test(protocol)) return new IgnoredFrames(spdy);
    return /^websocket$/i.test(protocol) ? new IgnoredFrames(webSocket) : undefined;
  }

  /** To be called with all bytes, in their order. */
  passed(bytes: Buffer): void {
    let at = Math.min(this.#left, bytes.length);
    this.#left -= at;
    while (at < bytes.length) {
      const known = this.#head.length;
      const added = bytes.subarray(at, at + this.#framing.headBytes - known);
      const head = known === 0 ? added : Buffer.concat([this.#head, added]);
      const length = this.#framing.lengthOf(head);
      if (length === 0) {
        this.#head = Buffer.from(head);
        return;
      }
      this.#head = none;
      const rest = (length ?? Infinity) - known;
      const passing = Math.min(rest, bytes.length - at);
      this.#left = rest - passing;
      at += passing;
    }
  }

  /** Returns a frame that may be written now; undefined in the middle of a frame of the server. */
  next(): Buffer | undefined {
    return this.#left === 0 && this.#head.length === 0 ? this.#framing.ignored : undefined;
  }
}
