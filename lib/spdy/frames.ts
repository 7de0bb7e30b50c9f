/** The frames of SPDY/3.1, as far as streams over one connection need them. as draft-mbelshe-httpbis-spdy-00 */

/** Bytes before the payload of a frame. */
export const spdyHeadBytes = 8;

export const spdyFrames = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

export const spdyFlags = { fin: 1, unidirectional: 2 } as const;

export const resetCodes = { protocolError: 1, refusedStream: 3, cancel: 5, internalError: 6 } as const;

/** The beginning of a frame. A data frame has the type `data`. */
export interface FrameHead {
  readonly type: number | 'data';
  /** The stream of a data frame; 0 for other frames. */
  readonly streamId: number;
  readonly flags: number;
  /** Bytes of the payload. */
  readonly length: number;
}

const version = 3;

/** Returns undefined for a control frame of another version. */
export function readHead(bytes: Buffer): FrameHead | undefined {
  const first = bytes.readUInt32BE(0);
  const second = bytes.readUInt32BE(4);
  const rest = { flags: second >>> 24, length: second & 0xffffff };
  if (first >>> 31 === 0) return { type: 'data', streamId: first, ...rest };
  return (first >>> 16) - 0x8000 === version ? { type: first & 0xffff, streamId: 0, ...rest } : undefined;
}

/** Returns the head of a data frame, whose payload of `length` bytes follows. */
export function dataHead(streamId: number, frameFlags: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(spdyHeadBytes);
  head.writeUInt32BE(streamId, 0);
  head.writeUInt32BE(((frameFlags << 24) | length) >>> 0, 4);
  return head;
}

/** Returns a control frame whose payload consists of numbers of four bytes and a block of headers. */
export function controlFrame(
  type: number,
  numbers: readonly number[],
  { block = Buffer.alloc(0), flags: frameFlags = 0 }: { readonly block?: Buffer; readonly flags?: number } = {},
): Buffer {
  const frame = Buffer.allocUnsafe(spdyHeadBytes + numbers.length * 4 + block.length);
  frame.writeUInt32BE((((0x8000 | version) << 16) | type) >>> 0, 0);
  frame.writeUInt32BE(((frameFlags << 24) | (frame.length - spdyHeadBytes)) >>> 0, 4);
  numbers.forEach((number, i) => frame.writeUInt32BE(number >>> 0, spdyHeadBytes + i * 4));
  block.copy(frame, spdyHeadBytes + numbers.length * 4);
  return frame;
}

/** Returns the frame that opens a stream. The priority and the slot in the two bytes before the headers are 0. */
export function synStreamFrame(streamId: number, block: Buffer, frameFlags: number): Buffer {
  const body = Buffer.alloc(10 + block.length);
  body.writeUInt32BE(streamId, 0);
  block.copy(body, 10);
  return controlFrame(spdyFrames.synStream, [], { block: body, flags: frameFlags });
}

/**
 * A ping with the number of the last one that the client could send: as an answer to none, the client ignores it. as draft-mbelshe-httpbis-spdy-00,
 * section 2.6.5
 */
export const unaskedPing = controlFrame(spdyFrames.ping, [0x7fffffff]);
