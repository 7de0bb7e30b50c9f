/** The frames of HTTP/2 (RFC 9113, section 4 and 6). */

export const frameTypes = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

export const settings = { headerTableSize: 1, enablePush: 2, maxStreams: 3, initialWindow: 4, maxFrame: 5 } as const;

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export const usual = { window: 65_535, maxFrame: 16_384 } as const;
export const largestWindow = 2 ** 31 - 1;

export const headBytes = 9;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Cut out of what was received. */
  readonly payload: Buffer;
}

/** What a frame has to be: of a stream, or of the whole connection; so long, or of any length. */
interface Shape {
  readonly of: 'stream' | 'connection' | 'either';
  readonly length?: number;
  readonly least?: number;
}

const shapes: Readonly<Record<number, Shape>> = {
  [frameTypes.data]: { of: 'stream' },
  [frameTypes.headers]: { of: 'stream' },
  [frameTypes.resetStream]: { of: 'stream', length: 4 },
  [frameTypes.settings]: { of: 'connection' },
  [frameTypes.ping]: { of: 'connection', length: 8 },
  [frameTypes.goAway]: { of: 'connection', least: 8 },
  [frameTypes.windowUpdate]: { of: 'either', length: 4 },
  [frameTypes.continuation]: { of: 'stream' },
};

/** Throws when a frame cannot be: every type has its place and its length. Types that nobody knows may be anything. */
export function checkShape({ type, stream, payload }: Frame): void {
  const shape = shapes[type];
  if (shape === undefined) return;
  if (payload.length !== (shape.length ?? Math.max(payload.length, shape.least ?? 0)))
    throw new Error(`HTTP/2: a frame of type ${type} with ${payload.length} bytes`);
  if (shape.of !== 'either' && (stream === 0) !== (shape.of === 'connection'))
    throw new Error(`HTTP/2: a frame of type ${type} on stream ${stream}`);
}

/** Writes the head of a frame into `into`; its payload of `length` bytes follows. */
export function writeHead(into: Buffer, at: number, length: number, type: number, flag: number, stream: number): void {
  into.writeUIntBE(length, at, 3);
  into[at + 3] = type;
  into[at + 4] = flag;
  into.writeUInt32BE(stream, at + 5);
}

export function frame(type: number, flag: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + payload.length);
  writeHead(bytes, 0, payload.length, type, flag, stream);
  bytes.set(payload, headBytes);
  return bytes;
}

export function numberFrame(type: number, stream: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + 4);
  writeHead(bytes, 0, 4, type, 0, stream);
  bytes.writeUInt32BE(value, headBytes);
  return bytes;
}

export function settingsFrame(pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * pairs.length);
  for (const [index, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  }
  return frame(frameTypes.settings, 0, 0, payload);
}

/** What the other side may say of itself (section 6.5.2). */
const allowed: Readonly<Record<number, readonly [least: number, most: number]>> = {
  [settings.enablePush]: [0, 0],
  [settings.initialWindow]: [0, largestWindow],
  [settings.maxFrame]: [usual.maxFrame, 2 ** 24 - 1],
};

/** Throws when they are none. */
export function readSettings(payload: Buffer): [id: number, value: number][] {
  if (payload.length % 6 !== 0) throw new Error('HTTP/2: settings are cut off');
  return Array.from({ length: payload.length / 6 }, (_, index) => {
    const id = payload.readUInt16BE(6 * index);
    const value = payload.readUInt32BE(6 * index + 2);
    const [least, most] = allowed[id] ?? [0, Infinity];
    if (value < least || value > most) throw new Error(`HTTP/2: setting ${id} is ${value}`);
    return [id, value];
  });
}

/** The payload without padding and priority. */
export function contentOf({ payload, flags: flag, type }: Frame): Buffer {
  if ((flag & (flags.padded | flags.priority)) === 0) return payload;
  let start = 0;
  let end = payload.length;
  if ((flag & flags.padded) !== 0) {
    end -= payload[0] ?? 0;
    start = 1;
  }
  if (type === frameTypes.headers && (flag & flags.priority) !== 0) start += 5;
  if (start > end) throw new Error('HTTP/2: a frame is all padding');
  return payload.subarray(start, end);
}

const none = Buffer.alloc(0);

/** Cuts what is received into frames. */
export class FrameReader {
  #begun: Buffer = none;

  /** Calls `take` for each frame that is whole. Throws when one is larger than we allow. */
  push(chunk: Buffer, take: (frame: Frame) => void): void {
    let rest = chunk;
    // Only what was begun is put together: what follows stays where it is.
    while (this.#begun.length > 0) {
      const missing = lengthOf(this.#begun) - this.#begun.length;
      this.#begun = Buffer.concat([this.#begun, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (this.#begun.length < lengthOf(this.#begun)) {
        if (rest.length === 0) return;
        continue;
      }
      const whole = this.#begun;
      this.#begun = none;
      take(frameAt(whole, 0, whole.length));
    }
    let at = 0;
    while (rest.length - at >= headBytes) {
      const end = at + headBytes + sizeAt(rest, at);
      if (end > rest.length) break;
      take(frameAt(rest, at, end));
      at = end;
    }
    if (at < rest.length) this.#begun = Buffer.from(rest.subarray(at));
  }
}

function sizeAt(bytes: Buffer, at: number): number {
  const size = bytes.readUIntBE(at, 3);
  if (size > usual.maxFrame) throw new Error(`HTTP/2: a frame of ${size} bytes`);
  return size;
}

/** Of the frame that begins so: as far as it is known. */
const lengthOf = (begun: Buffer): number => (begun.length < headBytes ? headBytes : headBytes + sizeAt(begun, 0));

const frameAt = (bytes: Buffer, at: number, end: number): Frame => ({
  type: bytes[at + 3] ?? 0,
  flags: bytes[at + 4] ?? 0,
  stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
  payload: bytes.subarray(at + headBytes, end),
});
