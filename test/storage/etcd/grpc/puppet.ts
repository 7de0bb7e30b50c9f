/** A scripted HTTP/2 server: sends the frames of a test, including invalid ones. */
import { once } from 'node:events';
import net from 'node:net';
import type { Test } from 'tap';
import {
  type Frame,
  FrameReader,
  flags,
  frame,
  frameTypes,
  preface,
  settingsFrame,
} from '../../../../lib/http2/frames.js';
import { type HeaderField, HeaderReader } from '../../../../lib/http2/hpack.js';
import { until } from '../../until.js';

interface Heard extends Frame {
  /** The header block, for frames with headers. */
  readonly fields: readonly HeaderField[];
}

/** The server's side of one connection. */
export interface Line {
  readonly heard: readonly Heard[];
  readonly closed: boolean;
  say(...frames: readonly Uint8Array[]): void;
  /** Resolves with the received frames of a type once there are `count`. */
  hears(type: number, count?: number): Promise<readonly Heard[]>;
  /** Returns the received bytes of data on a stream, or on all. */
  data(stream?: number): number;
}

export interface Puppet {
  readonly endpoint: string;
  readonly lines: readonly Line[];
}

type Settings = Parameters<typeof settingsFrame>[0];

export const settingsAck = frame(frameTypes.settings, flags.ack, 0, Buffer.alloc(0));

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);

/** Returns a header field without indexing. */
export const header = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0]), text(name), text(value)]);

/** `:status: 200` in HPACK's static table. */
export const ok = Buffer.from([0x88]);
export const done = header('grpc-status', '0');

export function message(bytes: string): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, Buffer.from(bytes)]);
}

/** Returns the frames of a complete answer on a stream. */
export const answer = (stream: number, said: string): Buffer[] => [
  frame(frameTypes.headers, flags.endHeaders, stream, ok),
  frame(frameTypes.data, 0, stream, message(said)),
  frame(frameTypes.headers, flags.endHeaders | flags.endStream, stream, done),
];

export function number(value: number, ...more: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 + 4 * more.length);
  for (const [index, one] of [value, ...more].entries()) bytes.writeUInt32BE(one, 4 * index);
  return bytes;
}

/** Returns the side of the server of one connection. */
export function line(socket: net.Socket): Line {
  const heard: Heard[] = [];
  const reader = new FrameReader();
  const headers = new HeaderReader();
  let missing = preface.length;
  let closed = false;
  socket.on('error', () => undefined);
  socket.on('close', () => (closed = true));
  socket.on('data', (chunk: Buffer) => {
    const rest = chunk.subarray(missing);
    missing -= Math.min(missing, chunk.length);
    reader.push(rest, one => {
      const whole = one.type === frameTypes.headers && (one.flags & flags.endHeaders) !== 0;
      const payload = Buffer.from(one.payload);
      heard.push({ ...one, payload, fields: whole ? headers.read(payload) : [] });
    });
  });
  const of = (type: number): Heard[] => heard.filter(one => one.type === type);
  return {
    heard,
    get closed() {
      return closed;
    },
    say: (...frames) => void socket.write(Buffer.concat(frames)),
    async hears(type, count = 1) {
      await until(`${count} frames of type ${type}`, () => of(type).length >= count, 5000);
      return of(type);
    },
    data: stream =>
      of(frameTypes.data)
        .filter(one => stream === undefined || one.stream === stream)
        .reduce((sum, one) => sum + one.payload.length, 0),
  };
}

/** Starts the server, which by itself sends only its settings. */
export async function puppet(t: Test, settings: Settings | 'none' = []): Promise<Puppet> {
  const lines: Line[] = [];
  const server = net.createServer(socket => {
    t.teardown(() => socket.destroy());
    const made = line(socket);
    if (settings !== 'none') made.say(settingsFrame(settings));
    lines.push(made);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { endpoint: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`, lines };
}

export async function connected({ lines }: Puppet, index = 0): Promise<Line> {
  await until('somebody connects', () => lines.length > index, 5000);
  return lines[index] as Line;
}
