/** Floods: valid frames that a client can send without end. */
import { frame, settings, settingsFrame } from '../../../../lib/http2/frames.js';
import type { Opening } from './line.js';
import * as clientFrames from './client-frames.js';

const {
  block,
  continuation,
  data,
  endStream,
  get,
  headers,
  ids,
  nothing,
  ping,
  post,
  pseudo,
  resetStream,
  windowUpdate,
} = clientFrames;

const request = block(pseudo('/none'));

interface Flood {
  readonly name: string;
  /** Sent once before the flood. */
  readonly first?: Uint8Array;
  readonly piece: (turn: number) => Uint8Array;
  readonly bytes?: number;
  readonly opening?: Opening;
  /** The connection has to end, since the flood cannot be served for long. */
  readonly ends?: true;
}

export const many = (one: Uint8Array): (() => Uint8Array) => {
  const piece = Buffer.concat(Array.from({ length: Math.ceil(16_384 / one.length) }, () => one));
  return () => piece;
};
const neverReads: Opening = { neverReads: true };
const begun = headers(1, request, endStream);
const perPiece = 200;

/** Returns consecutive streams for each piece. */
export const streams =
  (of: (stream: number) => Uint8Array): Flood['piece'] =>
  turn =>
    Buffer.concat(ids(perPiece, 1 + 2 * perPiece * turn).map(of));

/** More bytes than the buffers of the system hold for a client that does not read. */
const beyondBuffers = 24 << 20;

export const floods: readonly Flood[] = [
  { name: 'PING, never read', opening: neverReads, piece: many(ping()), bytes: beyondBuffers },
  { name: 'SETTINGS, never read', opening: neverReads, piece: many(settingsFrame([])), bytes: beyondBuffers },
  {
    name: 'SETTINGS that change much, never read',
    opening: neverReads,
    piece: many(
      settingsFrame([
        [settings.headerTableSize, 0],
        [settings.headerTableSize, 4096],
      ]),
    ),
  },
  {
    name: 'CONTINUATION without end',
    first: begun,
    piece: many(continuation(1, Buffer.concat([clientFrames.field('x-a', 'b'.repeat(100))]), 0)),
    ends: true,
  },
  {
    name: 'large CONTINUATION without end',
    first: begun,
    piece: many(continuation(1, Buffer.alloc(16_384), 0)),
    ends: true,
  },
  { name: 'empty CONTINUATION without end', first: begun, piece: many(continuation(1, nothing, 0)), ends: true },
  { name: 'empty DATA without end', first: post(1, '/wait'), piece: many(data(1, nothing)) },
  {
    name: 'empty DATA with padding',
    first: post(1, '/wait'),
    piece: many(data(1, Buffer.from([0]), clientFrames.padded)),
  },
  { name: 'PRIORITY', piece: many(frame(clientFrames.priorityFrame, 0, 1, Buffer.alloc(5))) },
  { name: 'unknown types', piece: many(frame(0x20, 0xff, 0, nothing)) },
  { name: 'WINDOW_UPDATE of the connection', piece: many(windowUpdate(0, 1)) },
  { name: 'WINDOW_UPDATE of a stream', first: get(1, '/wait'), piece: many(windowUpdate(1, 1)) },
  {
    name: 'RST_STREAM of an ended stream',
    first: Buffer.concat([get(1, '/wait'), resetStream(1)]),
    piece: many(resetStream(1)),
  },
  {
    name: 'responses that are never read',
    opening: neverReads,
    bytes: 8 << 20,
    piece: streams(id => get(id, '/none')),
  },
  {
    name: 'malformed requests, never read',
    opening: neverReads,
    piece: streams(id => headers(id, block([...pseudo('/none'), ['X', 'a']]))),
  },
  {
    name: 'stream errors by the client, never read',
    opening: neverReads,
    piece: streams(id => Buffer.concat([get(id, '/wait'), windowUpdate(id, 0)])),
  },
];
