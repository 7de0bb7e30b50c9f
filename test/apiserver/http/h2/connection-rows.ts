/** Rules for the connection as a whole (RFC 9113, sections 3.4, 4, 6.5 to 6.8, 7). */
import {
  defaults,
  frame,
  frameTypes,
  typeAndFlags,
  preface,
  settings,
  settingsFrame,
  writeHead,
} from '../../../../lib/http2/frames.js';
import type { Row, Table } from './row.js';
import * as clientFrames from './client-frames.js';

const { data, get, nothing, number, ping, post } = clientFrames;

const unknownType = 0x16;
const allFlags = 0xff;
const largest = (said: ReadonlyMap<number, number>): number => said.get(settings.maxFrame) ?? defaults.maxFrame;

/** Returns the head of a frame without its payload. */
function head(type: number, length: number, stream: number): Buffer {
  const bytes = Buffer.alloc(9);
  writeHead(bytes, 0, length, typeAndFlags(type, 0), stream);
  return bytes;
}

const reserved = (one: Buffer): Buffer => {
  const bytes = Buffer.from(one);
  bytes.writeUInt32BE((bytes.readUInt32BE(5) | 0x80000000) >>> 0, 5);
  return bytes;
};

const setting = (id: number, value: number): Buffer => settingsFrame([[id, value]]);
const settingsOf = (flag: number, stream: number, bytes: number): Buffer =>
  frame(frameTypes.settings, flag, stream, Buffer.alloc(bytes));
const goAway = (stream: number, payload: Buffer): Buffer => frame(frameTypes.goAway, 0, stream, payload);

const opened = get(1, '/wait');
const noPreface = ['GOAWAY PROTOCOL_ERROR', 'closed'] as const;
const tooLong = 'GOAWAY FRAME_SIZE_ERROR';
const wrong = 'GOAWAY PROTOCOL_ERROR';

const prefaces: readonly Row[] = [
  {
    name: 'HTTP/1.1 in its place',
    raw: true,
    given: [Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n')],
    expect: noPreface,
  },
  { name: 'another one', raw: true, given: [Buffer.from('PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n')], expect: noPreface },
  { name: 'another method', raw: true, given: [Buffer.from('PRX * HTTP/2.0\r\n\r\nSM\r\n\r\n')], expect: noPreface },
  { name: 'no SETTINGS after it', raw: true, given: [preface, get(1, '/none')], expect: noPreface },
  { name: 'a PING after it', raw: true, given: [preface, ping()], expect: noPreface },
  { name: 'an ack of settings after it', raw: true, given: [preface, clientFrames.settingsAck], expect: noPreface },
  { name: 'a second one', given: [preface], expect: ['GOAWAY FRAME_SIZE_ERROR', wrong] },
  {
    name: 'a request together with it',
    raw: true,
    given: [preface, settingsFrame([]), get(1, '/none')],
    expect: '204',
  },
];

const format: readonly Row[] = [
  { name: 'an unknown type', given: [opened, frame(unknownType, 0, 1, Buffer.alloc(8))], expect: 'open' },
  {
    name: 'an unknown type on the connection',
    given: [frame(unknownType, allFlags, 0, Buffer.alloc(8)), opened],
    expect: 'open',
  },
  {
    name: 'an unknown type on an idle stream',
    given: [frame(unknownType, 0, 99, nothing), get(1, '/none')],
    expect: '204',
  },
  {
    name: 'unknown flags on HEADERS',
    given: [clientFrames.headers(1, clientFrames.block(clientFrames.pseudo('/none')), clientFrames.whole | 0xd2)],
    expect: '204',
  },
  {
    name: 'unknown flags on DATA',
    given: [post(1, '/echo'), data(1, 'x', clientFrames.endStream | 0xf6)],
    expect: '200',
  },
  { name: 'unknown flags on PING', given: [ping('01234567', 0xfe), get(1, '/none')], expect: '204' },
  { name: 'unknown flags on SETTINGS', given: [settingsOf(0xfe, 0, 0), get(1, '/none')], expect: '204' },
  {
    name: 'unknown flags on RST_STREAM',
    given: [opened, frame(frameTypes.resetStream, allFlags, 1, number(8))],
    expect: 'open',
  },
  {
    name: 'unknown flags on WINDOW_UPDATE',
    given: [opened, frame(frameTypes.windowUpdate, allFlags, 1, number(1))],
    expect: 'open',
  },
  { name: 'the reserved bit of a stream', given: [reserved(get(1, '/none'))], expect: '204' },
  { name: 'the reserved bit of the connection', given: [reserved(ping()), get(1, '/none')], expect: '204' },
];

const sizes: readonly Row[] = [
  {
    name: 'DATA of the maximum size',
    given: said => [post(1, '/echo'), data(1, Buffer.alloc(Math.min(largest(said), 60_000)), clientFrames.endStream)],
    expect: '200',
  },
  {
    name: 'DATA that is too large',
    given: said => [post(1, '/wait'), data(1, Buffer.alloc(largest(said) + 1))],
    expect: [tooLong, 'RST_STREAM FRAME_SIZE_ERROR'],
  },
  {
    name: 'HEADERS that are too large',
    given: said => [clientFrames.headers(1, Buffer.alloc(largest(said) + 1))],
    expect: tooLong,
  },
  {
    name: 'SETTINGS that are too large',
    given: said => [settingsOf(0, 0, 6 * Math.ceil(largest(said) / 6 + 1))],
    expect: tooLong,
  },
  {
    name: 'an unknown type that is too large',
    given: said => [frame(unknownType, 0, 0, Buffer.alloc(largest(said) + 1))],
    expect: tooLong,
  },
  {
    name: 'the head is too large already: HEADERS',
    given: [head(frameTypes.headers, 2 ** 24 - 1, 1)],
    expect: tooLong,
  },
  { name: 'the head is too large already: PING', given: [head(frameTypes.ping, 2 ** 24 - 1, 0)], expect: tooLong },
];

const badSettings: readonly Row[] = [
  { name: 'ENABLE_PUSH 2', given: [setting(settings.enablePush, 2)], expect: wrong },
  { name: 'ENABLE_PUSH 1', given: [setting(settings.enablePush, 1), get(1, '/none')], expect: '204' },
  {
    name: 'INITIAL_WINDOW_SIZE 2^31',
    given: [setting(settings.initialWindow, 2 ** 31)],
    expect: 'GOAWAY FLOW_CONTROL_ERROR',
  },
  {
    name: 'INITIAL_WINDOW_SIZE 2^32-1',
    given: [setting(settings.initialWindow, 2 ** 32 - 1)],
    expect: 'GOAWAY FLOW_CONTROL_ERROR',
  },
  {
    name: 'INITIAL_WINDOW_SIZE 2^31-1',
    given: [setting(settings.initialWindow, 2 ** 31 - 1), get(1, '/none')],
    expect: '204',
  },
  { name: 'MAX_FRAME_SIZE 0', given: [setting(settings.maxFrame, 0)], expect: wrong },
  { name: 'MAX_FRAME_SIZE 2^14-1', given: [setting(settings.maxFrame, 2 ** 14 - 1)], expect: wrong },
  { name: 'MAX_FRAME_SIZE 2^24', given: [setting(settings.maxFrame, 2 ** 24)], expect: wrong },
  { name: 'MAX_FRAME_SIZE 2^24-1', given: [setting(settings.maxFrame, 2 ** 24 - 1), get(1, '/none')], expect: '204' },
  {
    name: 'HEADER_TABLE_SIZE 2^32-1',
    given: [setting(settings.headerTableSize, 2 ** 32 - 1), get(1, '/none')],
    expect: '204',
  },
  { name: 'HEADER_TABLE_SIZE 0', given: [setting(settings.headerTableSize, 0), get(1, '/none')], expect: '204' },
  { name: 'MAX_CONCURRENT_STREAMS 0', given: [setting(settings.maxStreams, 0), get(1, '/none')], expect: '204' },
  { name: 'MAX_HEADER_LIST_SIZE 2^32-1', given: [setting(6, 2 ** 32 - 1), get(1, '/none')], expect: '204' },
  { name: 'an unknown setting', given: [setting(0xfefe, 2 ** 32 - 1), get(1, '/none')], expect: '204' },
  { name: 'an unknown setting 0', given: [setting(0, 0), get(1, '/none')], expect: '204' },
  {
    name: 'an invalid value after a valid one of the same setting',
    given: [
      settingsFrame([
        [settings.maxFrame, 2 ** 14],
        [settings.maxFrame, 1],
      ]),
    ],
    expect: wrong,
  },
  { name: 'none', given: [settingsFrame([]), get(1, '/none')], expect: '204' },
  { name: '5 bytes', given: [settingsOf(0, 0, 5)], expect: tooLong },
  { name: '7 bytes', given: [settingsOf(0, 0, 7)], expect: tooLong },
  { name: 'an ack with settings', given: [settingsOf(clientFrames.ack, 0, 6)], expect: tooLong },
  { name: 'an ack with a byte', given: [settingsOf(clientFrames.ack, 0, 1)], expect: tooLong },
  // The RFC does not define this; many servers ignore it.
  { name: 'an ack without settings', given: [clientFrames.settingsAck, get(1, '/none')], expect: ['204', wrong] },
  { name: 'on an open stream', given: [opened, settingsOf(0, 1, 0)], expect: wrong },
  { name: 'on an idle stream', given: [settingsOf(0, 1, 6)], expect: wrong },
  { name: 'an ack on a stream', given: [opened, settingsOf(clientFrames.ack, 1, 0)], expect: wrong },
];

const pings: readonly Row[] = [
  { name: 'PING of 7 bytes', given: [ping('0123456')], expect: tooLong },
  { name: 'PING of 9 bytes', given: [ping('012345678')], expect: tooLong },
  { name: 'PING without content', given: [ping('')], expect: tooLong },
  { name: 'PING on a stream', given: [opened, frame(frameTypes.ping, 0, 1, Buffer.alloc(8))], expect: wrong },
  // The RFC does not define this; many servers ignore it.
  {
    name: 'an ack without a PING',
    given: [ping('01234567', clientFrames.ack), get(1, '/none')],
    expect: ['204', wrong],
  },
  { name: 'GOAWAY of 7 bytes', given: [goAway(0, Buffer.alloc(7))], expect: tooLong },
  { name: 'GOAWAY without content', given: [goAway(0, nothing)], expect: tooLong },
  { name: 'GOAWAY on a stream', given: [opened, goAway(1, number(0, 0))], expect: wrong },
  {
    name: 'PUSH_PROMISE',
    given: [
      post(1, '/wait'),
      frame(
        frameTypes.pushPromise,
        clientFrames.endHeaders,
        1,
        Buffer.concat([number(2), clientFrames.block(clientFrames.pseudo('/'))]),
      ),
    ],
    expect: wrong,
  },
  {
    name: 'PUSH_PROMISE on an idle stream',
    given: [frame(frameTypes.pushPromise, clientFrames.endHeaders, 1, number(2))],
    expect: wrong,
  },
  {
    name: 'PUSH_PROMISE on the connection',
    given: [frame(frameTypes.pushPromise, clientFrames.endHeaders, 0, number(2))],
    expect: wrong,
  },
  {
    name: 'RST_STREAM with an unknown code',
    given: [opened, frame(frameTypes.resetStream, 0, 1, number(0xfefefefe))],
    expect: 'open',
  },
];

export const connectionRows: Table = {
  '3.4 preface': prefaces,
  '4.1 format': format,
  '4.2 size': sizes,
  '6.5 SETTINGS': badSettings,
  '6.6 to 6.8, 7 PUSH_PROMISE, PING, GOAWAY': pings,
};
