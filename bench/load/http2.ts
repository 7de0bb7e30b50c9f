/** The least of HTTP/2 that follows streams which the server sends without end: a frame costs nine bytes of reading. */
import type { Endpoint } from '../../aggregation/interface.js';
import { commonHeaders, openSocket } from './socket.js';

export interface Http2 {
  /** GET; `body` hears the parts of the answer. Rejects when it is no success. */
  follow(path: string, body: (part: Buffer) => void): Promise<void>;
  close(): void;
}

const types = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const;
const flags = { ack: 1, endStream: 1, endHeaders: 4, padded: 8 } as const;
const initialWindowSetting = 4;
const largestWindow = 2 ** 31 - 1;
const standardWindow = 65_535;
/** So much is taken before the connection's window is opened again. */
const reopenAfter = 1 << 30;
const frameHead = 9;
/** `:status 200`, from the static table of HPACK. */
const statusOk = 0x88;

function frame(type: number, flag: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(frameHead);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flag, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

function windowUpdate(bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes);
  return frame(types.windowUpdate, 0, 0, payload);
}

/** A string of HPACK, not compressed. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest >>>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

/** Fields that no table remembers. */
const fields = (all: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat(Object.entries(all).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));

interface Stream {
  body(part: Buffer): void;
  begun(): void;
  failed(error: Error): void;
}

function preface(): Buffer {
  const window = Buffer.alloc(6);
  window.writeUInt16BE(initialWindowSetting);
  window.writeUInt32BE(largestWindow, 2);
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(types.settings, 0, 0, window),
    windowUpdate(largestWindow - standardWindow),
  ]);
}

export async function openHttp2(endpoint: Endpoint): Promise<Http2> {
  const socket = await openSocket(endpoint, 'h2');
  const { Host: authority = '', ...others } = commonHeaders(endpoint);
  const more = Object.fromEntries(Object.entries(others).map(([name, value]) => [name.toLowerCase(), value]));
  const streams = new Map<number, Stream>();
  let nextStream = 1;
  let taken = 0;
  let begun: Buffer | undefined;

  function fail(error: Error): void {
    for (const stream of streams.values()) stream.failed(error);
    streams.clear();
  }
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));

  // hot: once per frame.
  function hear(type: number, flag: number, id: number, payload: Buffer): void {
    if (type === types.data) {
      taken += payload.length;
      if (payload.length > 0) streams.get(id)?.body(payload);
    } else if (type === types.headers) {
      const at = (flag & flags.padded) !== 0 ? 1 : 0;
      if (payload[at] === statusOk) streams.get(id)?.begun();
      else streams.get(id)?.failed(new Error('the server refused a request'));
    } else if (type === types.settings && (flag & flags.ack) === 0) {
      socket.write(frame(types.settings, flags.ack, 0, Buffer.alloc(0)));
    } else if (type === types.ping && (flag & flags.ack) === 0) {
      socket.write(frame(types.ping, flags.ack, 0, Buffer.from(payload)));
    } else if (type === types.reset || type === types.goAway) {
      fail(new Error('the server ended a stream'));
    }
    if ((type === types.data || type === types.headers) && (flag & flags.endStream) !== 0)
      streams.get(id)?.failed(new Error('the server ended a stream'));
  }

  socket.on('data', (chunk: Buffer) => {
    const data = begun === undefined ? chunk : Buffer.concat([begun, chunk]);
    let at = 0;
    while (data.length - at >= frameHead) {
      const length = data.readUIntBE(at, 3);
      const start = at + frameHead;
      if (data.length - start < length) break;
      const id = data.readUInt32BE(at + 5) & largestWindow;
      hear(data[at + 3] ?? 0, data[at + 4] ?? 0, id, data.subarray(start, start + length));
      at = start + length;
    }
    begun = at === data.length ? undefined : data.subarray(at);
    if (taken < reopenAfter) return;
    socket.write(windowUpdate(taken));
    taken = 0;
  });
  socket.write(preface());

  return {
    follow: (path, body) =>
      new Promise((resolve, reject) => {
        const id = nextStream;
        nextStream += 2;
        streams.set(id, { body, begun: resolve, failed: reject });
        const request = { ':method': 'GET', ':scheme': 'https', ':authority': authority, ':path': path };
        const block = fields({ ...request, accept: 'application/json', ...more });
        socket.write(frame(types.headers, flags.endHeaders | flags.endStream, id, block));
      }),
    close() {
      streams.clear();
      socket.destroy();
    },
  };
}
