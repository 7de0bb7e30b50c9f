/** Builders for the frames and header blocks of an HTTP/2 client, valid and invalid. */
import { flags, frame, frameTypes } from '../../../../lib/http2/frames.js';

const codes = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  CONNECT_ERROR: 10,
  ENHANCE_YOUR_CALM: 11,
  INADEQUATE_SECURITY: 12,
  HTTP_1_1_REQUIRED: 13,
} as const;

export type Code = keyof typeof codes;

export const codeName = (value: number): string =>
  Object.entries(codes).find(([, code]) => code === value)?.[0] ?? `code ${value}`;

export type Pair = readonly [name: string, value: string];

export const priorityFrame = 2;
export const { endStream, endHeaders, ack, padded, priority } = flags;
export const whole = endStream | endHeaders;
export const nothing = Buffer.alloc(0);

/** Encodes an integer of HPACK in the last bits of its first byte; `above` are the bits before it (RFC 7541, 5.1). */
export function integer(above: number, bits: number, value: number): Buffer {
  const full = 2 ** bits - 1;
  if (value < full) return Buffer.from([above | value]);
  const bytes = [above | full];
  let rest = value - full;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

export const text = (value: string): Buffer =>
  Buffer.concat([integer(0, 7, Buffer.byteLength(value, 'latin1')), Buffer.from(value, 'latin1')]);

/** Encodes a header field without indexing. */
export const field = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0]), text(name), text(value)]);

/** Encodes a header field with incremental indexing, which the other side adds to its dynamic table. */
export const lasting = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0x40]), text(name), text(value)]);

export const block = (pairs: readonly Pair[]): Buffer =>
  Buffer.concat(pairs.map(([name, value]) => field(name, value)));

export const pseudo = (path: string, method = 'GET'): readonly Pair[] => [
  [':method', method],
  [':scheme', 'https'],
  [':path', path],
  [':authority', 'localhost'],
];

export const headers = (stream: number, content: Uint8Array, flag: number = whole): Buffer =>
  frame(frameTypes.headers, flag, stream, content);

/** Returns a request without a body. */
export const get = (stream: number, path: string, ...more: readonly Pair[]): Buffer =>
  headers(stream, block([...pseudo(path), ...more]));

/** Returns the headers of a request with a body. */
export const post = (stream: number, path: string, ...more: readonly Pair[]): Buffer =>
  headers(stream, block([...pseudo(path, 'POST'), ...more]), endHeaders);

export const data = (stream: number, content: string | Uint8Array, flag = 0): Buffer =>
  frame(frameTypes.data, flag, stream, typeof content === 'string' ? Buffer.from(content) : content);

export const continuation = (stream: number, content: Uint8Array, flag: number = endHeaders): Buffer =>
  frame(frameTypes.continuation, flag, stream, content);

export function number(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

export const windowUpdate = (stream: number, value: number): Buffer =>
  frame(frameTypes.windowUpdate, 0, stream, number(value));

export const resetStream = (stream: number, code: Code = 'CANCEL'): Buffer =>
  frame(frameTypes.resetStream, 0, stream, number(codes[code]));

export const ping = (content = '01234567', flag = 0): Buffer => frame(frameTypes.ping, flag, 0, Buffer.from(content));

export const settingsAck = frame(frameTypes.settings, ack, 0, nothing);

/** Returns the content with this many bytes of padding. */
export const withPadding = (content: Uint8Array, bytes: number): Buffer =>
  Buffer.concat([Buffer.from([bytes]), content, Buffer.alloc(bytes)]);

/** Returns the ids of this many client streams in order. */
export const ids = (count: number, first = 1): number[] =>
  Array.from({ length: count }, (_, index) => first + 2 * index);
