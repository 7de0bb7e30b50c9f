/** Servers that misuse the frames of HTTP/2: after the first bytes on a stream, a piece is sent without end. */
import { flags, frame, frameTypes, numberFrame, settingsFrame } from '../../../lib/http2/frames.js';
import { header, number, ok } from '../../storage/etcd/grpc/puppet.js';

interface FrameBehaviour {
  readonly name: string;
  /** Matches the path and query of the requests that the behaviour answers. */
  readonly at: RegExp;
  readonly first: (stream: number) => Buffer;
  /** Empty: nothing follows. */
  readonly piece: (stream: number) => Buffer;
}

const { data, headers, continuation, resetStream, ping, priority, goAway, windowUpdate } = frameTypes;
const { endHeaders, endStream } = flags;
const nothing = Buffer.alloc(0);
const pieceBytes = 64 * 1024;

const podsList = /\/api\/v1\/pods\?(?!.*watch=true)/;
const podsWatch = /\/api\/v1\/pods\?.*watch=true/;

/** Repeats frames up to a piece that is worth a write. */
const many = (...frames: readonly Buffer[]): Buffer => {
  const one = Buffer.concat(frames);
  return Buffer.concat(Array.from({ length: Math.ceil(pieceBytes / one.length) }, () => one));
};

const begun = (stream: number): Buffer => frame(headers, endHeaders, stream, ok);
type Piece = (stream: number) => Buffer;

/** Misuses the connection, or the headers of an answer, which is the same for every request. */
const flood = (name: string, piece: Piece, first: Piece = begun): FrameBehaviour => ({
  ...{ name: `${name} in a list`, at: podsList },
  ...{ first, piece },
});

/** Misuses the body of an answer, or the end of a stream: a list has a timeout and is read to its end, and a watch has neither. */
const floodBoth = (name: string, piece: Piece, first: Piece = begun): readonly FrameBehaviour[] => [
  flood(name, piece, first),
  { name: `${name} in a watch`, at: podsWatch, first, piece },
];

/** A large entry of the table, and references to it: each byte is a header of 4,000 bytes. */
const bomb = Buffer.concat([
  ok,
  Buffer.concat([Buffer.from([0x40, 1, 0x61, 0x7f, 0xa1, 0x1e]), Buffer.alloc(4000, 'v')]),
  Buffer.alloc(12_000, 0x80 | 62),
]);

/** A small entry of the table, and references to it: each byte is the same header again. The list is just below the limit on its bytes. */
const repeats = Buffer.concat([ok, Buffer.from([0x40, 1, 0x61, 1, 0x62]), Buffer.alloc(1800, 0x80 | 62)]);

export const frameBehaviours: readonly FrameBehaviour[] = [
  flood('pings', () => many(frame(ping, 0, 0, Buffer.alloc(8)))),
  flood('settings', () => many(settingsFrame([[99, 1]]))),
  flood('windows that change', () => many(settingsFrame([[4, 1000]]), settingsFrame([[4, 1001]]))),
  ...floodBoth('empty data', stream => many(frame(data, 0, stream, nothing))),
  flood('padding', stream =>
    many(frame(data, flags.padded, stream, Buffer.concat([Buffer.from([255]), Buffer.alloc(255)]))),
  ),
  ...floodBoth('data of one byte', stream => many(frame(data, 0, stream, Buffer.from(' ')))),
  flood('unknown frames', stream => many(frame(0x2a, 0, stream, nothing))),
  flood('priorities', stream => many(frame(priority, 0, stream, Buffer.alloc(5)))),
  flood(
    'interim answers',
    stream => many(frame(headers, endHeaders, stream, header(':status', '103'))),
    () => nothing,
  ),
  flood('resets of a stream that is over', stream => many(numberFrame(resetStream, stream, 2))),
  flood(
    'data of a stream that is over',
    stream => many(frame(data, 0, stream, Buffer.alloc(100))),
    stream => frame(headers, endHeaders | endStream, stream, ok),
  ),
  flood(
    'headers of a stream that is over',
    stream => many(frame(headers, endHeaders, stream, ok)),
    stream => frame(headers, endHeaders | endStream, stream, ok),
  ),
  flood(
    'continuations',
    stream => many(frame(continuation, 0, stream, nothing)),
    stream => frame(headers, 0, stream, ok),
  ),
  flood(
    'long continuations',
    stream => many(frame(continuation, 0, stream, Buffer.alloc(16_000, 0x88))),
    stream => frame(headers, 0, stream, ok),
  ),
  flood(
    'headers that expand',
    stream => many(frame(headers, endHeaders, stream, bomb)),
    () => nothing,
  ),
  flood(
    'a header that repeats',
    stream => many(frame(headers, endHeaders, stream, repeats)),
    () => nothing,
  ),
  flood('windows that grow', () => many(numberFrame(windowUpdate, 0, 1))),
  ...floodBoth(
    'refusals',
    () => nothing,
    stream => numberFrame(resetStream, stream, 7),
  ),
  ...floodBoth(
    'farewells',
    () => nothing,
    () => frame(goAway, 0, 0, number(0, 0)),
  ),
  flood('farewells that never end', () => many(frame(goAway, 0, 0, number(2 ** 31 - 1, 0)))),
];
