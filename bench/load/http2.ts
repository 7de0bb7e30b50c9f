/** A minimal HTTP/2 client that only counts: it reads only the head of each frame, and sends prepared bytes. */
import type { Endpoint } from '../../aggregation/interface.js';
import {
  contentOf,
  defaults,
  flags,
  type Frame,
  frame,
  FrameReader,
  frameTypes,
  maxWindow,
  numberFrame,
  preface,
  settings,
  settingsFrame,
} from '../../lib/http2/frames.js';
import { commonHeaders, openSocket } from './socket.js';

interface Http2 {
  /** Sends a GET; `body` gets the parts of the answer. Resolves when it has begun. Rejects if it is an error or ends. */
  follow(path: string, body: (part: Buffer) => void): Promise<void>;
  /** Sends a GET and discards the answer. Resolves at its end; rejects if it is an error. */
  send(path: string): Promise<void>;
  close(): void;
}

/** Received bytes after which the connection's window is opened again. */
const reopenAfter = 1 << 30;
/** `:status 200`, from the static table of HPACK. */
const statusOk = 0x88;
const nothing = Buffer.alloc(0);

/** Returns an HPACK string without compression. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest >>>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

/** Returns header fields without indexing. */
const fields = (all: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat(Object.entries(all).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));

interface Stream {
  body(part: Buffer): void;
  begun(): void;
  ended(): void;
  failed(error: Error): void;
}

const endsStream = ({ type, flags: flag }: Frame): boolean =>
  (type === frameTypes.data || type === frameTypes.headers) && (flag & flags.endStream) !== 0;

export async function openHttp2(endpoint: Endpoint): Promise<Http2> {
  const socket = await openSocket(endpoint, 'h2');
  const { Host: authority = '', ...others } = commonHeaders(endpoint);
  const more = Object.fromEntries(Object.entries(others).map(([name, value]) => [name.toLowerCase(), value]));
  const request = { ':method': 'GET', ':scheme': 'https', ':authority': authority };
  const common = fields({ ...request, accept: 'application/json', ...more });
  const streams = new Map<number, Stream>();
  const reader = new FrameReader();
  let nextStream = 1;
  let taken = 0;

  function fail(error: Error): void {
    for (const stream of streams.values()) stream.failed(error);
    streams.clear();
  }
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));

  // hot: once per frame.
  function onFrame(received: Frame): void {
    const { type, flags: flag, stream: id, payload } = received;
    const stream = streams.get(id);
    if (type === frameTypes.data) {
      taken += payload.length;
      if (payload.length > 0) stream?.body(payload);
    } else if (type === frameTypes.headers) {
      if (contentOf(received)[0] === statusOk) stream?.begun();
      else stream?.failed(new Error('the server refused a request'));
    } else if (type === frameTypes.settings && (flag & flags.ack) === 0) {
      socket.write(frame(frameTypes.settings, flags.ack, 0, nothing));
    } else if (type === frameTypes.ping && (flag & flags.ack) === 0) {
      socket.write(frame(frameTypes.ping, flags.ack, 0, payload));
    } else if (type === frameTypes.resetStream || type === frameTypes.goAway) {
      fail(new Error('the server ended a stream'));
    }
    if (endsStream(received)) stream?.ended();
  }

  socket.on('data', (chunk: Buffer) => {
    reader.push(chunk, onFrame);
    if (taken < reopenAfter) return;
    socket.write(numberFrame(frameTypes.windowUpdate, 0, taken));
    taken = 0;
  });
  socket.write(
    Buffer.concat([
      preface,
      settingsFrame([[settings.initialWindow, maxWindow]]),
      numberFrame(frameTypes.windowUpdate, 0, maxWindow - defaults.window),
    ]),
  );

  /** Starts a request. Returns the stream's id. */
  function begin(path: string, stream: Stream): number {
    const id = nextStream;
    nextStream += 2;
    streams.set(id, stream);
    const block = Buffer.concat([fields({ ':path': path }), common]);
    socket.write(frame(frameTypes.headers, flags.endHeaders | flags.endStream, id, block));
    return id;
  }

  return {
    follow: (path, body) =>
      new Promise((begun, reject) => {
        const ended = () => reject(new Error('the server ended a stream'));
        begin(path, { body, begun, ended, failed: reject });
      }),
    send: path =>
      new Promise((resolve, reject) => {
        const ended = () => {
          streams.delete(id);
          resolve();
        };
        const id = begin(path, { body: () => undefined, begun: () => undefined, ended, failed: reject });
      }),
    close() {
      streams.clear();
      socket.destroy();
    },
  };
}
