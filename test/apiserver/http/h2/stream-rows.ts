/** Rules for streams (RFC 9113, sections 5.1, 6.1 to 6.4, 6.9, 6.10). */
import { frame, frameTypes, settings, settingsFrame } from '../../../../lib/http2/frames.js';
import type { Outcome, Row, Table } from './row.js';
import * as clientFrames from './client-frames.js';

const {
  continuation,
  data,
  endHeaders,
  endStream,
  get,
  headers,
  ids,
  nothing,
  number,
  post,
  resetStream,
  windowUpdate,
} = clientFrames;

const wrong = 'GOAWAY PROTOCOL_ERROR';
const tooLong = 'GOAWAY FRAME_SIZE_ERROR';
/** An error of the stream, or of the connection, since a correct client never does this (5.1: MAY be a connection error). */
const over: readonly Outcome[] = ['RST_STREAM STREAM_CLOSED', 'GOAWAY STREAM_CLOSED'];

const request = clientFrames.block(clientFrames.pseudo('/none'));
const waits = get(1, '/wait');
const uploads = post(1, '/wait');
const answered = get(1, '/none');
const priority = (stream: number, dependsOn: number, bytes = 5): Buffer =>
  frame(clientFrames.priorityFrame, 0, stream, Buffer.concat([number(dependsOn), Buffer.alloc(4)]).subarray(0, bytes));

const idle: readonly Row[] = [
  { name: 'DATA', given: [data(1, 'x')], expect: [wrong, 'GOAWAY STREAM_CLOSED'] },
  { name: 'RST_STREAM', given: [resetStream(1)], expect: wrong },
  { name: 'WINDOW_UPDATE', given: [windowUpdate(1, 1)], expect: wrong },
  { name: 'CONTINUATION', given: [continuation(1, request)], expect: wrong },
  { name: 'RST_STREAM on a server stream', given: [resetStream(2)], expect: wrong },
  { name: 'WINDOW_UPDATE on a server stream', given: [windowUpdate(2, 1)], expect: wrong },
  { name: 'DATA on a server stream', given: [data(2, 'x')], expect: [wrong, 'GOAWAY STREAM_CLOSED'] },
  { name: 'PRIORITY', given: [priority(1, 0), answered], expect: '204' },
];

const halfClosed: readonly Row[] = [
  { name: 'DATA', given: [waits, data(1, 'x')], expect: over },
  { name: 'empty DATA', given: [waits, data(1, nothing, endStream)], expect: over },
  { name: 'HEADERS', given: [waits, headers(1, request)], expect: over },
  { name: 'CONTINUATION', given: [waits, continuation(1, request)], expect: [wrong, ...over] },
  { name: 'after DATA: DATA', given: [uploads, data(1, 'x', endStream), data(1, 'y')], expect: over },
  { name: 'after DATA: HEADERS', given: [uploads, data(1, 'x', endStream), headers(1, request)], expect: over },
  {
    name: 'after trailers: DATA',
    given: [uploads, headers(1, clientFrames.field('x-a', 'b')), data(1, 'y')],
    expect: over,
  },
  { name: 'WINDOW_UPDATE', given: [waits, windowUpdate(1, 1)], expect: 'open' },
  { name: 'PRIORITY', given: [waits, priority(1, 0)], expect: 'open' },
  { name: 'RST_STREAM', given: [waits, resetStream(1)], expect: 'open' },
];

/** Streams that both sides have ended: frames that may have been under way are no error, others MAY be one. */
const closed: readonly Row[] = [
  { name: 'DATA', first: [answered], given: [data(1, 'x')], expect: [...over, '204'] },
  { name: 'HEADERS', first: [answered], given: [headers(1, request)], expect: [...over, wrong, '204'] },
  { name: 'CONTINUATION', first: [answered], given: [continuation(1, request)], expect: [wrong, ...over] },
  { name: 'WINDOW_UPDATE', first: [answered], given: [windowUpdate(1, 1)], expect: '204' },
  { name: 'RST_STREAM', first: [answered], given: [resetStream(1)], expect: '204' },
  { name: 'PRIORITY', first: [answered], given: [priority(1, 0)], expect: '204' },
  { name: 'after RST_STREAM: DATA', given: [uploads, resetStream(1), data(1, 'x')], expect: [...over, 'open'] },
  {
    name: 'after RST_STREAM: HEADERS',
    given: [uploads, resetStream(1), headers(1, request)],
    expect: [...over, wrong, 'open'],
  },
  {
    name: 'after RST_STREAM: CONTINUATION',
    given: [uploads, resetStream(1), continuation(1, request)],
    expect: [wrong, ...over],
  },
  { name: 'after RST_STREAM: WINDOW_UPDATE', given: [uploads, resetStream(1), windowUpdate(1, 1)], expect: 'open' },
  { name: 'after RST_STREAM: RST_STREAM', given: [uploads, resetStream(1), resetStream(1)], expect: 'open' },
  { name: 'after RST_STREAM: PRIORITY', given: [uploads, resetStream(1), priority(1, 0)], expect: 'open' },
];

const identifiers: readonly Row[] = [
  { name: 'an even id', given: [headers(2, request)], on: 2, expect: wrong },
  { name: 'a lower id', given: [get(5, '/wait'), get(3, '/none')], on: 3, expect: [wrong, 'GOAWAY STREAM_CLOSED'] },
  { name: 'skipped ids', given: [get(1, '/wait'), get(77, '/none')], on: 77, expect: '204' },
  {
    name: 'RST_STREAM on a skipped id',
    given: [get(5, '/none'), resetStream(3)],
    on: 5,
    expect: ['204', wrong, 'GOAWAY STREAM_CLOSED'],
  },
  {
    name: 'WINDOW_UPDATE on a skipped id',
    given: [get(5, '/none'), windowUpdate(3, 1)],
    on: 5,
    expect: ['204', wrong, 'GOAWAY STREAM_CLOSED'],
  },
  { name: 'DATA on a skipped id', given: [get(5, '/wait'), data(3, 'x')], on: 3, expect: [...over, wrong, 'open'] },
  {
    name: '5.1.2: the 251st',
    given: [...ids(251).map(id => get(id, '/wait')), resetStream(1)],
    on: 501,
    expect: 'RST_STREAM REFUSED_STREAM',
  },
  {
    name: '5.1.2: the 250th',
    given: [...ids(250).map(id => get(id, id === 499 ? '/none' : '/wait')), resetStream(1)],
    on: 499,
    expect: '204',
  },
  {
    name: '5.1.2: a stream that is opened after another one has ended',
    given: [...ids(250).map(id => get(id, '/wait')), resetStream(1), get(501, '/none'), resetStream(3)],
    on: 501,
    expect: '204',
  },
];

const padding = (flag: number, content: string, bytes: number): Buffer =>
  data(1, Buffer.concat([Buffer.from([bytes]), Buffer.from(content)]), flag | clientFrames.padded);
const byPadding: readonly Outcome[] = [wrong, tooLong];

const bodies: readonly Row[] = [
  { name: 'on the connection', given: [data(0, 'x')], expect: wrong },
  {
    name: 'with padding',
    given: [
      post(1, '/echo'),
      data(1, clientFrames.withPadding(Buffer.from('x'), 255), endStream | clientFrames.padded),
    ],
    expect: '200',
  },
  { name: 'only padding', given: [post(1, '/echo'), padding(endStream, 'xyz', 3)], expect: '200' },
  { name: 'padding is one byte too long', given: [uploads, padding(0, 'xyz', 4)], expect: byPadding },
  { name: 'padding is much too long', given: [uploads, padding(0, 'xyz', 255)], expect: byPadding },
  { name: 'padding length is missing', given: [uploads, data(1, nothing, clientFrames.padded)], expect: byPadding },
  { name: 'empty, with more to come', given: [post(1, '/echo'), data(1, ''), data(1, 'x', endStream)], expect: '200' },
];

const five = Buffer.alloc(5);
const heads: readonly Row[] = [
  { name: 'on the connection', given: [headers(0, request)], expect: wrong },
  {
    name: 'with padding',
    given: [headers(1, clientFrames.withPadding(request, 100), clientFrames.whole | clientFrames.padded)],
    expect: '204',
  },
  {
    name: 'padding is too long',
    given: [headers(1, Buffer.concat([Buffer.from([255]), request]), clientFrames.whole | clientFrames.padded)],
    expect: byPadding,
  },
  {
    name: 'padding length is missing',
    given: [headers(1, nothing, clientFrames.whole | clientFrames.padded)],
    expect: byPadding,
  },
  {
    name: 'with a priority',
    given: [headers(1, Buffer.concat([five, request]), clientFrames.whole | clientFrames.priority)],
    expect: '204',
  },
  {
    name: 'with both',
    given: [
      headers(
        1,
        clientFrames.withPadding(Buffer.concat([five, request]), 7),
        clientFrames.whole | clientFrames.priority | clientFrames.padded,
      ),
    ],
    expect: '204',
  },
  {
    name: 'truncated priority',
    given: [headers(1, Buffer.alloc(4), clientFrames.whole | clientFrames.priority)],
    expect: byPadding,
  },
  {
    name: 'padding that covers the priority',
    given: [
      headers(
        1,
        clientFrames.withPadding(Buffer.alloc(4), 9),
        clientFrames.whole | clientFrames.priority | clientFrames.padded,
      ),
    ],
    expect: byPadding,
  },
  // An error in RFC 7540, which RFC 9113 does not have.
  {
    name: 'depending on itself',
    given: [
      headers(1, Buffer.concat([number(1), Buffer.alloc(1), request]), clientFrames.whole | clientFrames.priority),
    ],
    expect: ['204', 'RST_STREAM PROTOCOL_ERROR', wrong],
  },
];

const priorities: readonly Row[] = [
  { name: 'PRIORITY on the connection', given: [priority(0, 1)], expect: wrong },
  {
    name: 'PRIORITY of 4 bytes',
    given: [uploads, priority(1, 0, 4)],
    expect: ['RST_STREAM FRAME_SIZE_ERROR', tooLong],
  },
  {
    name: 'PRIORITY of 6 bytes',
    given: [uploads, priority(1, 0, 6)],
    expect: ['RST_STREAM FRAME_SIZE_ERROR', tooLong],
  },
  {
    name: 'PRIORITY depending on itself',
    given: [uploads, priority(1, 1)],
    expect: ['open', 'RST_STREAM PROTOCOL_ERROR', wrong],
  },
  { name: 'RST_STREAM on the connection', given: [resetStream(0)], expect: wrong },
  {
    name: 'RST_STREAM of 3 bytes',
    given: [uploads, frame(frameTypes.resetStream, 0, 1, Buffer.alloc(3))],
    expect: tooLong,
  },
  { name: 'RST_STREAM of 5 bytes', given: [uploads, frame(frameTypes.resetStream, 0, 1, five)], expect: tooLong },
];

const most = 2 ** 31 - 1;
const initialWindow = (value: number): Buffer => settingsFrame([[settings.initialWindow, value]]);
const flowError: readonly Outcome[] = ['RST_STREAM FLOW_CONTROL_ERROR', 'GOAWAY FLOW_CONTROL_ERROR'];

/** Returns more DATA than a server with windows of 256 KiB may allow. */
const flood = (frames: number): Buffer[] => Array.from({ length: frames }, () => data(1, Buffer.alloc(16_384)));

const windows: readonly Row[] = [
  { name: '0 on a stream', given: [waits, windowUpdate(1, 0)], expect: 'RST_STREAM PROTOCOL_ERROR' },
  {
    name: '0 on a stream, with the reserved bit',
    given: [waits, windowUpdate(1, 2 ** 31)],
    expect: 'RST_STREAM PROTOCOL_ERROR',
  },
  { name: '0 on the connection', given: [windowUpdate(0, 0)], expect: wrong },
  { name: '3 bytes', given: [waits, frame(frameTypes.windowUpdate, 0, 1, Buffer.alloc(3))], expect: tooLong },
  { name: '5 bytes', given: [frame(frameTypes.windowUpdate, 0, 0, Buffer.alloc(5, 1))], expect: tooLong },
  { name: 'a stream at the maximum', given: [waits, windowUpdate(1, most - 65_535)], expect: 'open' },
  {
    name: 'a stream above the maximum',
    given: [waits, windowUpdate(1, most - 65_534)],
    expect: 'RST_STREAM FLOW_CONTROL_ERROR',
  },
  {
    name: 'a stream above the maximum, in two steps',
    given: [waits, windowUpdate(1, most - 70_000), windowUpdate(1, 70_000)],
    expect: 'RST_STREAM FLOW_CONTROL_ERROR',
  },
  {
    name: 'a stream above the maximum, which is answered before its body has arrived',
    given: [post(1, '/none'), windowUpdate(1, most), windowUpdate(1, most)],
    expect: 'RST_STREAM FLOW_CONTROL_ERROR',
  },
  {
    name: 'a stream that is answered before its body has arrived',
    given: [post(1, '/none'), windowUpdate(1, 5)],
    expect: '204',
  },
  { name: 'the connection at the maximum', given: [windowUpdate(0, most - 65_535), answered], expect: '204' },
  {
    name: 'the connection above the maximum',
    given: [windowUpdate(0, most - 65_534)],
    expect: 'GOAWAY FLOW_CONTROL_ERROR',
  },
  { name: 'the reserved bit of the increment', given: [waits, windowUpdate(1, 2 ** 31 + 1)], expect: 'open' },
  {
    name: 'settings move a stream above the maximum',
    given: [waits, windowUpdate(1, most - 65_535), initialWindow(65_536)],
    expect: 'GOAWAY FLOW_CONTROL_ERROR',
  },
  {
    name: 'settings move a stream below 0, and WINDOW_UPDATE to the maximum',
    given: [initialWindow(0), waits, windowUpdate(1, most)],
    expect: 'open',
  },
  { name: 'DATA beyond the window', given: [uploads, ...flood(200)], expect: flowError },
];

const begun = headers(1, request.subarray(0, 10), endStream);
const rest = request.subarray(10);
const between = (name: string, one: Buffer): Row => ({
  name: `${name} in between`,
  given: [begun, one, continuation(1, rest)],
  expect: wrong,
});

const continuations: readonly Row[] = [
  { name: 'one', given: [begun, continuation(1, rest)], expect: '204' },
  {
    name: 'several',
    given: [
      headers(1, nothing, endStream),
      ...[0, 12, 24, 36].map(at => continuation(1, request.subarray(at, at + 12), 0)),
      continuation(1, request.subarray(48)),
    ],
    expect: '204',
  },
  { name: 'unknown flags', given: [begun, continuation(1, rest, 0xff)], expect: '204' },
  {
    name: 'of trailers',
    given: [
      post(1, '/echo'),
      data(1, 'x'),
      headers(1, clientFrames.field('x-a', 'b').subarray(0, 3), endStream),
      continuation(1, clientFrames.field('x-a', 'b').subarray(3)),
    ],
    expect: '200',
  },
  between('DATA', data(1, 'x')),
  between('HEADERS', headers(1, rest)),
  between('HEADERS of another stream', headers(3, request)),
  between('PRIORITY', priority(1, 0)),
  between('RST_STREAM', resetStream(1)),
  between('SETTINGS', settingsFrame([])),
  between('PING', clientFrames.ping()),
  between('WINDOW_UPDATE', windowUpdate(0, 1)),
  between('GOAWAY', frame(frameTypes.goAway, 0, 0, number(0, 0))),
  between('a type that nobody knows', frame(0x16, 0, 1, nothing)),
  between('CONTINUATION of another stream', continuation(3, rest)),
  between('CONTINUATION of the connection', continuation(0, rest)),
  { name: 'after the end of the headers', given: [waits, continuation(1, rest)], expect: [wrong, ...over] },
  {
    name: 'after complete HEADERS',
    given: [headers(1, request, endHeaders), continuation(1, rest)],
    expect: wrong,
  },
  {
    name: 'after the last CONTINUATION',
    given: [headers(1, request, 0), continuation(1, nothing), continuation(1, nothing)],
    expect: wrong,
  },
  { name: 'on the connection', given: [continuation(0, request)], expect: wrong },
];

export const streamRows: Table = {
  '5.1 idle': idle,
  '5.1 half-closed': halfClosed,
  '5.1 closed': closed,
  '5.1.1 identifiers': identifiers,
  '6.1 DATA': bodies,
  '6.2 HEADERS': heads,
  '6.3, 6.4 PRIORITY, RST_STREAM': priorities,
  '6.9 WINDOW_UPDATE': windows,
  '6.10 CONTINUATION': continuations,
};
