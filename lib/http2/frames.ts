/** The frames of HTTP/2 (RFC 9113, sections 4 and 6). Invalid ones throw an Http2Error. */
import { errorCodes, Http2Error } from './error.js';

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

export const settings = {
  headerTableSize: 1,
  enablePush: 2,
  maxStreams: 3,
  initialWindow: 4,
  maxFrame: 5,
  maxHeaders: 6,
} as const;

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** The values of settings before the peer sends others. */
export const defaults = { window: 65_535, maxFrame: 16_384 } as const;
export const maxWindow = 2 ** 31 - 1;

export const headBytes = 9;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** A view of the received data. */
  readonly payload: Buffer;
}

/** The valid form of a frame type: on a stream or on the connection, and its length. */
interface Shape {
  readonly of: 'stream' | 'connection' | 'either';
  readonly length?: number;
  readonly minLength?: number;
}

const shapes: Readonly<Record<number, Shape>> = {
  [frameTypes.data]: { of: 'stream' },
  [frameTypes.headers]: { of: 'stream' },
  [frameTypes.priority]: { of: 'stream', length: 5 },
  [frameTypes.resetStream]: { of: 'stream', length: 4 },
  [frameTypes.settings]: { of: 'connection' },
  [frameTypes.ping]: { of: 'connection', length: 8 },
  [frameTypes.goAway]: { of: 'connection', minLength: 8 },
  [frameTypes.windowUpdate]: { of: 'either', length: 4 },
  [frameTypes.continuation]: { of: 'stream' },
};

/** Throws when the frame's stream or length is invalid for its type. Unknown types may have any. */
export function checkShape({ type, stream, payload }: Frame): void {
  const shape = shapes[type];
  if (shape === undefined) return;
  if (payload.length !== (shape.length ?? Math.max(payload.length, shape.minLength ?? 0)))
    throw new Http2Error(errorCodes.frameSize, `HTTP/2: a frame of type ${type} with ${payload.length} bytes`);
  if (shape.of !== 'either' && (stream === 0) !== (shape.of === 'connection'))
    throw new Http2Error(errorCodes.protocol, `HTTP/2: a frame of type ${type} on stream ${stream}`);
}

/** Returns the type of a frame and its flags as one number of 16 bits: they are neighbouring bytes of its head. */
export const typeAndFlags = (type: number, flag: number): number => (type << 8) | flag;

/** hot: writes the head of a frame into `into`, with the type and the flags of `typeAndFlags`; its payload of `length` bytes follows. */
export function writeHead(into: Buffer, at: number, length: number, kind: number, stream: number): void {
  into[at] = length >>> 16;
  into[at + 1] = length >>> 8;
  into[at + 2] = length;
  into[at + 3] = kind >>> 8;
  into[at + 4] = kind;
  into[at + 5] = stream >>> 24;
  into[at + 6] = stream >>> 16;
  into[at + 7] = stream >>> 8;
  into[at + 8] = stream;
}

/** Returns a frame with a copy of the payload. */
export function frame(type: number, flag: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + payload.length);
  writeHead(bytes, 0, payload.length, typeAndFlags(type, flag), stream);
  bytes.set(payload, headBytes);
  return bytes;
}

/** Returns a frame without flags whose payload is one number of 32 bits. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + 4);
  writeHead(bytes, 0, 4, typeAndFlags(type, 0), stream);
  bytes.writeUInt32BE(value, headBytes);
  return bytes;
}

export type SettingPairs = readonly (readonly [id: number, value: number])[];

/** Returns a SETTINGS frame. RFC 9113 6.5 */
export function settingsFrame(pairs: SettingPairs): Buffer {
  const payload = Buffer.alloc(6 * pairs.length);
  for (const [index, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  }
  return frame(frameTypes.settings, 0, 0, payload);
}

/** Valid ranges of settings (section 6.5.2). */
const allowed: Readonly<Record<number, readonly [min: number, max: number]>> = {
  [settings.initialWindow]: [0, maxWindow],
  [settings.maxFrame]: [defaults.maxFrame, 2 ** 24 - 1],
};

/** Reads settings. Throws when they are invalid. `by`: the peer; a server may only disable pushes. */
export function readSettings(payload: Buffer, by: 'client' | 'server'): SettingPairs {
  const push = [0, by === 'client' ? 1 : 0] as const;
  if (payload.length % 6 !== 0) throw new Http2Error(errorCodes.frameSize, 'HTTP/2: settings are cut off');
  return Array.from({ length: payload.length / 6 }, (_, index) => {
    const id = payload.readUInt16BE(6 * index);
    const value = payload.readUInt32BE(6 * index + 2);
    const [min, max] = id === settings.enablePush ? push : (allowed[id] ?? [0, Infinity]);
    const code = id === settings.initialWindow ? errorCodes.flowControl : errorCodes.protocol;
    if (value < min || value > max) throw new Http2Error(code, `HTTP/2: setting ${id} is ${value}`);
    return [id, value];
  });
}

/** Returns the payload without padding and priority. */
export function contentOf({ payload, flags: flag, type }: Frame): Buffer {
  if ((flag & (flags.padded | flags.priority)) === 0) return payload;
  let start = 0;
  let end = payload.length;
  if ((flag & flags.padded) !== 0) {
    end -= payload[0] ?? 0;
    start = 1;
  }
  if (type === frameTypes.headers && (flag & flags.priority) !== 0) start += 5;
  if (start > end) throw new Http2Error(errorCodes.protocol, 'HTTP/2: a frame is all padding');
  return payload.subarray(start, end);
}

/** Splits received data into frames. */
export class FrameReader {
  readonly #maxFrame: number;
  /** The parts of an incomplete frame, their bytes, and the bytes that it needs, as far as they are known. */
  #parts: Buffer[] = [];
  #received = 0;
  #needed: number = headBytes;

  /** `maxFrame`: the largest payload that we accept. */
  constructor(maxFrame: number = defaults.maxFrame) {
    this.#maxFrame = maxFrame;
  }

  /** Calls `take` for each complete frame. Throws when one is too large. */
  push(chunk: Buffer, take: (frame: Frame) => void): void {
    let at = this.#received > 0 ? this.#complete(chunk, take) : 0;
    while (chunk.length - at >= headBytes) {
      const end = at + headBytes + this.#sizeAt(chunk, at);
      if (end > chunk.length) break;
      take(frameAt(chunk, at, end));
      at = end;
    }
    // The last bytes are copied, so that they do not keep the whole chunk.
    if (at < chunk.length) this.#begin(Buffer.from(chunk.subarray(at)));
  }

  #begin(begun: Buffer): void {
    this.#parts = [begun];
    this.#received = begun.length;
    this.#needed = begun.length < headBytes ? headBytes : headBytes + this.#sizeAt(begun, 0);
  }

  /** Completes a frame that began in an earlier chunk, joining its parts once. Returns where it ends in this chunk. */
  #complete(chunk: Buffer, take: (frame: Frame) => void): number {
    let at = 0;
    while (this.#received > 0) {
      const part = chunk.subarray(at, at + this.#needed - this.#received);
      at += part.length;
      this.#parts.push(part);
      this.#received += part.length;
      if (this.#received < this.#needed) break;
      const begun = Buffer.concat(this.#parts, this.#received);
      if (this.#needed === headBytes) {
        this.#begin(begun);
        if (this.#received < this.#needed) continue;
      }
      this.#parts = [];
      this.#received = 0;
      this.#needed = headBytes;
      take(frameAt(begun, 0, begun.length));
    }
    return at;
  }

  #sizeAt(bytes: Buffer, at: number): number {
    const size = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    if (size > this.#maxFrame) throw new Http2Error(errorCodes.frameSize, `HTTP/2: a frame of ${size} bytes`);
    return size;
  }
}

const frameAt = (bytes: Buffer, at: number, end: number): Frame => ({
  type: bytes[at + 3] ?? 0,
  flags: bytes[at + 4] ?? 0,
  stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
  payload: bytes.subarray(at + headBytes, end),
});
