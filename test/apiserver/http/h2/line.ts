/** One HTTP/2 connection to the port: sends the frames of a test, and records the frames of the server. */
import { once } from 'node:events';
import tls from 'node:tls';
import type { Test } from 'tap';
import {
  type Frame,
  contentOf,
  frame,
  frameTypes,
  headBytes,
  preface,
  settingsFrame,
} from '../../../../lib/http2/frames.js';
import { type HeaderField, HeaderReader } from '../../../../lib/http2/hpack.js';
import { until } from '../../../storage/until.js';
import { identity } from './server.js';
import { ack, codeName, endHeaders, endStream, settingsAck } from './client-frames.js';

/** What a stream has received so far. */
interface Reply {
  /** Status of the response; 0 while there is none. */
  readonly status: number;
  /** Informational statuses before the response. */
  readonly before: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `END_STREAM`, or the reset, such as `RST_STREAM CANCEL`. */
  readonly end: string | undefined;
  /** The last RST_STREAM, also after the end of the stream. */
  readonly reset: string | undefined;
}

export interface Line {
  /** All frames that were received. */
  readonly frames: readonly Frame[];
  readonly socket: tls.TLSSocket;
  /** The current settings of the server. */
  readonly settings: ReadonlyMap<number, number>;
  readonly closed: boolean;
  /** The first error of a GOAWAY; NO_ERROR if none had an error. */
  readonly goAway: string | undefined;
  send(...frames: readonly Uint8Array[]): void;
  /** Resolves to the frames of a type, once there are this many. */
  received(type: number, count?: number): Promise<readonly Frame[]>;
  /** Resolves when the server has read everything sent before. */
  roundTrip(): Promise<void>;
  reply(stream: number): Reply;
  /** Resolves when the stream or the connection has ended. */
  whole(stream: number): Promise<Reply>;
  /** Returns the bytes of DATA on a stream so far; absent: on all streams. */
  data(stream?: number): number;
  /** Returns by how much the server has increased a window. */
  windowIncrease(stream: number): number;
  /** Resolves to the outcome when the server has ended the connection. */
  ends(): Promise<string>;
}

type Settings = Parameters<typeof settingsFrame>[0];

export interface Opening {
  /** Settings that follow the preface. `raw`: nothing is sent. */
  readonly settings?: Settings | 'raw';
  /** Does not read from the socket. */
  readonly neverReads?: true;
}

const timeoutMs = 10_000;

/** Splits a byte stream into frames of any size. */
function frameSplitter(take: (frame: Frame) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let have = 0;
  let need = headBytes;
  return chunk => {
    parts.push(chunk);
    have += chunk.length;
    if (have < need) return;
    let rest = Buffer.concat(parts);
    for (;;) {
      need = rest.length < headBytes ? headBytes : headBytes + rest.readUIntBE(0, 3);
      if (rest.length < need) break;
      const payload = Buffer.from(rest.subarray(headBytes, need));
      take({ type: rest[3] ?? 0, flags: rest[4] ?? 0, stream: rest.readUInt32BE(5), payload });
      rest = rest.subarray(need);
    }
    parts = [rest];
    have = rest.length;
  };
}

interface Stream {
  status: number;
  readonly before: number[];
  headers: Record<string, string>;
  readonly body: Buffer[];
  bytes: number;
  windowIncrease: number;
  end: string | undefined;
  reset: string | undefined;
}

const fresh = (): Stream => ({
  ...{ status: 0, before: [], headers: {}, body: [], bytes: 0, windowIncrease: 0, end: undefined, reset: undefined },
});

/** Records received frames by stream. */
class Recorder {
  readonly frames: Frame[] = [];
  readonly settings = new Map<number, number>();
  readonly streams = new Map<number, Stream>();
  goAway: string | undefined;
  readonly #reader = new HeaderReader();
  #begun: Buffer[] = [];
  #ends = false;
  readonly #send: (bytes: Buffer) => void;

  constructor(send: (bytes: Buffer) => void) {
    this.#send = send;
  }

  of(id: number): Stream {
    const known = this.streams.get(id) ?? fresh();
    this.streams.set(id, known);
    return known;
  }

  take(one: Frame): void {
    this.frames.push(one);
    const stream = this.of(one.stream);
    const ends = (one.flags & endStream) !== 0;
    if (one.type === frameTypes.data) this.#data(stream, one, ends);
    else if (one.type === frameTypes.headers) this.#headers(stream, one, ends);
    else if (one.type === frameTypes.continuation) this.#headers(stream, one, this.#ends);
    else if (one.type === frameTypes.resetStream) this.#reset(stream, one);
    else if (one.type === frameTypes.goAway) this.#goAway(one);
    else if (one.type === frameTypes.windowUpdate) stream.windowIncrease += one.payload.readUInt32BE(0);
    else if (one.type === frameTypes.settings) this.#settings(one);
  }

  #reset(stream: Stream, { payload }: Frame): void {
    stream.reset = `RST_STREAM ${codeName(payload.readUInt32BE(0))}`;
    stream.end ??= stream.reset;
  }

  #goAway({ payload }: Frame): void {
    if (this.goAway === undefined || this.goAway === 'NO_ERROR') this.goAway = codeName(payload.readUInt32BE(4));
  }

  #data(stream: Stream, one: Frame, ends: boolean): void {
    stream.bytes += one.payload.length;
    stream.body.push(contentOf(one));
    if (ends) stream.end ??= 'END_STREAM';
  }

  #headers(stream: Stream, one: Frame, ends: boolean): void {
    this.#begun.push(one.type === frameTypes.headers ? contentOf(one) : one.payload);
    this.#ends = ends;
    if ((one.flags & endHeaders) === 0) return;
    const fields = this.#reader.read(Buffer.concat(this.#begun));
    this.#begun = [];
    this.#fields(stream, fields);
    if (ends) stream.end ??= 'END_STREAM';
  }

  #fields(stream: Stream, fields: readonly HeaderField[]): void {
    const status = Number(fields.find(({ name }) => name === ':status')?.value ?? 0);
    if (status >= 100 && status < 200) return void stream.before.push(status);
    stream.status ||= status;
    for (const { name, value } of fields) stream.headers[name] = value;
  }

  #settings({ flags, payload }: Frame): void {
    if ((flags & ack) !== 0) return;
    for (let at = 0; at < payload.length; at += 6)
      this.settings.set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    this.#send(settingsAck);
  }
}

const replyOf = ({ status, before, headers, body, end, reset }: Stream): Reply => ({
  ...{ status, before, headers, end, reset },
  body: Buffer.concat(body).toString('latin1'),
});

function line(socket: tls.TLSSocket): Line {
  let closed = false;
  let pings = 0;
  const send = (...frames: readonly Uint8Array[]): void => {
    if (socket.writable) socket.write(Buffer.concat(frames));
  };
  const recorder = new Recorder(send);
  socket.on('error', () => undefined);
  socket.on('close', () => (closed = true));
  socket.on(
    'data',
    frameSplitter(one => recorder.take(one)),
  );
  const wait = (what: string, holds: () => boolean): Promise<void> => until(what, () => closed || holds(), timeoutMs);
  const of = (type: number): Frame[] => recorder.frames.filter(one => one.type === type);
  return {
    frames: recorder.frames,
    socket,
    settings: recorder.settings,
    get closed() {
      return closed;
    },
    get goAway() {
      return recorder.goAway;
    },
    send,
    async received(type, count = 1) {
      await wait(`${count} frames of type ${type}`, () => of(type).length >= count);
      return of(type);
    },
    async roundTrip() {
      const content = Buffer.from(`ping ${String(pings++).padStart(3, '0')}`);
      send(frame(frameTypes.ping, 0, 0, content));
      await wait('an answer to a ping', () => of(frameTypes.ping).some(one => one.payload.equals(content)));
    },
    reply: id => replyOf(recorder.of(id)),
    async whole(id) {
      await wait(`the end of stream ${id}`, () => recorder.of(id).end !== undefined);
      return replyOf(recorder.of(id));
    },
    data: id =>
      id === undefined
        ? [...recorder.streams.values()].reduce((sum, { bytes }) => sum + bytes, 0)
        : recorder.of(id).bytes,
    windowIncrease: id => recorder.of(id).windowIncrease,
    async ends() {
      await until('the connection ends', () => closed, timeoutMs);
      return recorder.goAway === undefined ? 'closed' : `GOAWAY ${recorder.goAway}`;
    },
  };
}

/** Opens an HTTP/2 connection, and sends preface and settings unless `raw`. */
export async function open(t: Test, port: number, { settings = [], neverReads }: Opening = {}): Promise<Line> {
  const socket = tls.connect({ host: '127.0.0.1', port, servername: 'localhost', ALPNProtocols: ['h2'], ...identity });
  t.teardown(() => socket.destroy());
  await once(socket, 'secureConnect');
  socket.setNoDelay(true);
  const made = line(socket);
  if (neverReads) socket.pause();
  if (settings === 'raw') return made;
  made.send(preface, settingsFrame(settings));
  if (!neverReads) await made.received(frameTypes.settings);
  return made;
}
