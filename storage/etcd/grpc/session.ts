import { ChurnMap } from '../../../lib/collections/churn-map.js';
import type { Duplex } from 'node:stream';
import { CallError, codes } from './call-error.js';
import {
  type Frame,
  FrameReader,
  checkShape,
  contentOf,
  flags,
  frame,
  frameTypes,
  largestWindow,
  numberFrame,
  preface,
  readSettings,
  settings,
  settingsFrame,
  usual,
} from '../../../lib/http2/frames.js';
import { prefixBytes } from './incoming.js';
import { errorCodes } from '../../../lib/http2/error.js';
import { HeaderBlocks, type Headers } from '../../../lib/http2/header-blocks.js';
import { type Field, HeaderWriter } from '../../../lib/http2/hpack.js';
import { FrameWriter } from '../../../lib/http2/frame-writer.js';
import { type Carrier, type Sink, Stream, streamWindow } from './stream.js';

export interface SessionOptions {
  /** A connected socket that has agreed on HTTP/2. */
  readonly socket: Duplex;
  /** `host:port` */
  readonly authority: string;
  readonly scheme: 'http' | 'https';
  /** Milliseconds of silence, while calls wait, after which a ping is sent. */
  readonly silenceMs: number;
  /** Milliseconds within which the ping has to be answered. */
  readonly answerMs: number;
  /** Called when the server has sent its settings: calls can begin. */
  readonly ready: () => void;
  /** Called when the session takes no more calls: it is closed or about to be. Calls that have begun go on until `closed`. */
  readonly retired: () => void;
  readonly closed: (error: CallError) => void;
}

/** Bytes received on the connection after which its flow-control window is renewed. */
const renewAfter = 1 << 30;
/** Bytes of the headers of one answer: etcd's are small. */
const maxHeaders = 1 << 18;
/** Stream numbers end at 2^31; a new session is used long before. */
const lastStream = 2 ** 30;

/**
 * The client side of HTTP/2 (RFC 9113) on one connection, for gRPC. It exists for its cost: a unary call takes 20 to 33 us of a core, against 79
 * to 91 with Node's `http2`, which makes streams, events and ticks for each call, and 137 with grpc-js above that. Over etcd this decides the
 * number of writes per second: only so are 3,000 creates reached on two cores that client, etcd and Flagship share (`npm run bench -- --table
 * apiserver --storage etcd`). It saves by sending everything of one turn of the event loop in one write, by referring to earlier headers with a
 * few prepared bytes, and by reading an answer without a Node stream.
 *
 * A violation of the protocol ends the connection, and calls are repeated on another one; `refused` tells which of them were never processed.
 */
export class Session implements Carrier {
  readonly #options: SessionOptions;
  readonly #outgoing: FrameWriter;
  readonly #frames = new FrameReader();
  readonly #blocks = new HeaderBlocks(maxHeaders);
  readonly #writer = new HeaderWriter();
  readonly #streams = new ChurnMap<number, Stream>();
  readonly #fieldsByPath = new Map<string, readonly Field[]>();
  /** Streams that wait until fewer are open. */
  #waiting: Stream[] = [];
  /** Streams whose data waits for window, in the order in which they continue. */
  readonly #blocked = new ChurnMap<number, Stream>();
  #next = 1;
  #isReady = false;
  #isRetired = false;
  #closed: CallError | undefined;
  #maxStreams = Infinity;
  #maxFrame: number = usual.maxFrame;
  #initialWindow: number = usual.window;
  /** Bytes that may be sent on all streams together. */
  #window: number = usual.window;
  #unrenewed = 0;
  /** The prefix of an uncompressed message; its length is written for each message. */
  readonly #prefix = Buffer.alloc(prefixBytes);
  /** Counts the chunks received from the server. */
  received = 0;
  #receivedBefore = 0;
  readonly #pulse: NodeJS.Timeout;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { socket } = options;
    this.#outgoing = new FrameWriter(socket);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', error => this.close(new CallError(codes.unavailable, `Connection dropped: ${error.message}`)));
    socket.on('close', () => this.close(new CallError(codes.unavailable, 'Connection dropped')));
    const ours = [
      [settings.enablePush, 0],
      [settings.initialWindow, streamWindow],
    ] as const;
    this.#outgoing.write(preface);
    this.#outgoing.write(settingsFrame(ours));
    this.#outgoing.write(numberFrame(frameTypes.windowUpdate, 0, largestWindow - usual.window));
    this.#pulse = setInterval(() => this.#probe(), options.silenceMs).unref();
  }

  /** Sends a ping after a silence while calls wait, and closes the session when nothing is received then: the peer may have vanished. */
  #probe(): void {
    const { received: heard } = this;
    if (heard === this.#receivedBefore && this.#streams.size > 0) {
      this.#outgoing.write(frame(frameTypes.ping, 0, 0, Buffer.alloc(8)));
      const check = (): void => {
        if (this.received === heard) this.close(new CallError(codes.unavailable, 'Connection dropped: it is silent'));
      };
      setTimeout(check, this.#options.answerMs).unref();
    }
    this.#receivedBefore = heard;
  }

  /** True when half of the calls that are allowed at a time are under way. */
  get isHalfFull(): boolean {
    return this.#streams.size >= this.#maxStreams / 2;
  }

  /** Takes no more calls, and closes the session with the last one. */
  retire(): void {
    if (!this.#isRetired) {
      this.#isRetired = true;
      this.#options.retired();
      this.#refuse(this.#waiting);
    }
    if (this.#streams.size === 0) this.close(new CallError(codes.unavailable, 'Connection dropped'));
  }

  close(error: CallError): void {
    if (this.#closed !== undefined) return;
    this.#closed = error;
    this.retire();
    clearInterval(this.#pulse);
    this.#options.socket.destroy();
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    this.#blocked.clear();
    for (const stream of streams) stream.end(error);
    this.#options.closed(error);
  }

  /** Begins a call. `extra` headers are the same for every call of that path; a `secret` header is kept out of the server's header table. */
  open(path: string, sink: Sink, extra: readonly Field[], secret?: Field): Stream {
    const stream = new Stream(this, path, sink, extra, secret);
    if (this.#closed !== undefined || this.#isRetired) this.#refuse([stream]);
    else if (this.#streams.size >= this.#maxStreams) this.#waiting.push(stream);
    else this.#begin(stream);
    return stream;
  }

  #begin(stream: Stream): void {
    stream.id = this.#next;
    stream.window = this.#initialWindow;
    this.#next += 2;
    this.#streams.set(stream.id, stream);
    const { path, secret } = stream;
    this.#writeHeaders(stream.id, this.#writer.write(path, this.#fields(stream), secret));
    if (this.#next > lastStream) this.retire();
  }

  /** Writes a header block, in several frames if it is too large for one. */
  #writeHeaders(id: number, block: Buffer): void {
    let type: number = frameTypes.headers;
    let rest = block;
    for (; rest.length > this.#maxFrame; rest = rest.subarray(this.#maxFrame)) {
      this.#outgoing.write(frame(type, 0, id, rest.subarray(0, this.#maxFrame)));
      type = frameTypes.continuation;
    }
    this.#outgoing.write(frame(type, flags.endHeaders, id, rest));
  }

  #fields({ path, extra }: Stream): readonly Field[] {
    const known = this.#fieldsByPath.get(path);
    if (known !== undefined) return known;
    const fields = Object.entries({
      ':method': 'POST',
      ':scheme': this.#options.scheme,
      ':path': path,
      ':authority': this.#options.authority,
      'content-type': 'application/grpc',
      te: 'trailers',
    }).map(([name, value]) => ({ name, value }));
    const all = [...fields, ...extra];
    this.#fieldsByPath.set(path, all);
    return all;
  }

  /** hot: sends a message that fits into one frame, without a copy. False: it does not fit, or may not be sent now. */
  sendWhole(stream: Stream, message: Uint8Array, ends: boolean): boolean {
    const size = prefixBytes + message.length;
    if (stream.id === 0 || size > Math.min(this.#window, stream.window, this.#maxFrame)) return false;
    this.#outgoing.writeHead(size, frameTypes.data, ends ? flags.endStream : 0, stream.id);
    this.#prefix.writeUInt32BE(message.length, 1);
    this.#outgoing.write(this.#prefix);
    this.#outgoing.write(message);
    this.#window -= size;
    stream.window -= size;
    return true;
  }

  /** Sends as much of the stream's waiting data as the windows allow. */
  flow(stream: Stream): void {
    if (stream.id === 0) return;
    while (stream.hasMore && this.#sendSome(stream));
    if (stream.hasMore) this.#blocked.set(stream.id, stream);
    else this.#blocked.delete(stream.id);
  }

  #sendSome(stream: Stream): boolean {
    const { rest } = stream;
    const size = Math.min(rest.length, this.#window, stream.window, this.#maxFrame);
    if (size <= 0 && rest.length > 0) return false;
    const ends = stream.isLast && size === rest.length;
    this.#outgoing.writeHead(size, frameTypes.data, ends ? flags.endStream : 0, stream.id);
    this.#outgoing.write(rest.subarray(0, size));
    this.#window -= size;
    stream.sent(size);
    return true;
  }

  /** Resets a stream that is no longer needed. */
  cancel(stream: Stream): void {
    if (stream.id === 0) this.#waiting = this.#waiting.filter(one => one !== stream);
    else if (this.#streams.has(stream.id)) {
      this.#outgoing.write(numberFrame(frameTypes.resetStream, stream.id, errorCodes.cancel));
      this.#remove(stream);
    }
  }

  /** Lets the server send so many more bytes on the stream. */
  renew(stream: Stream, bytes: number): void {
    if (this.#streams.has(stream.id)) this.#outgoing.write(numberFrame(frameTypes.windowUpdate, stream.id, bytes));
  }

  #remove(stream: Stream): void {
    this.#streams.delete(stream.id);
    this.#blocked.delete(stream.id);
    if (this.#isRetired) return void (this.#streams.size === 0 && this.retire());
    this.#beginWaiting();
  }

  #beginWaiting(): void {
    while (this.#waiting.length > 0 && this.#streams.size < this.#maxStreams && !this.#isRetired) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#begin(next);
      this.flow(next);
    }
  }

  #end(stream: Stream, error: CallError | undefined): void {
    this.#remove(stream);
    stream.end(error);
  }

  #refuse(streams: readonly Stream[]): void {
    if (this.#waiting === streams) this.#waiting = [];
    for (const stream of streams) stream.end(new CallError(codes.unavailable, 'Connection dropped', { refused: true }));
  }

  #receive(chunk: Buffer): void {
    this.received++;
    try {
      if (!this.#isReady && chunk.toString('latin1', 0, 5) === 'HTTP/') throw new Error('it speaks HTTP/1');
      this.#frames.push(chunk, received => this.#take(received));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.close(new CallError(codes.unavailable, `Connection dropped: ${why}`, { cause: error }));
    }
  }

  #take(received: Frame): void {
    const { type, stream: id, payload } = received;
    if (!this.#isReady && type !== frameTypes.settings) throw new Error('HTTP/2: no settings at the start');
    checkShape(received);
    // The client's streams have odd numbers.
    if (id % 2 === 0 ? id !== 0 : id >= this.#next) throw new Error(`HTTP/2: stream ${id} never began`);
    const headers = this.#blocks.take(received);
    if (headers !== undefined) this.#headers(headers);
    else if (type === frameTypes.data) this.#data(received);
    else if (type === frameTypes.windowUpdate) this.#windowUpdate(id, payload.readUInt32BE(0) & largestWindow);
    else if (type === frameTypes.settings) this.#settings(received);
    else if (type === frameTypes.ping) {
      if ((received.flags & flags.ack) === 0) {
        // gRPC in Go measures the bandwidth with a ping for each answer.
        this.#outgoing.writeSoon(frame(frameTypes.ping, flags.ack, 0, payload));
      }
    } else if (type === frameTypes.resetStream) this.#reset(id, payload.readUInt32BE(0));
    else if (type === frameTypes.goAway) this.#goAway(payload);
    else if (type === frameTypes.pushPromise) throw new Error('HTTP/2: a push that nobody allowed');
  }

  #data(received: Frame): void {
    const { length } = received.payload;
    this.#unrenewed += length;
    if (this.#unrenewed >= renewAfter) {
      this.#outgoing.write(numberFrame(frameTypes.windowUpdate, 0, this.#unrenewed));
      this.#unrenewed = 0;
    }
    const stream = this.#streams.get(received.stream);
    if (stream === undefined) return;
    const error = stream.data(contentOf(received), length);
    if (error !== undefined) {
      this.cancel(stream);
      stream.end(error);
    } else if ((received.flags & flags.endStream) !== 0) {
      this.#finish(stream, stream.status());
    }
  }

  #headers({ stream: id, fields, isCut, ends }: Headers): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (isCut) return this.#break(stream, errorCodes.enhanceYourCalm);
    stream.headers(fields);
    if (ends) this.#finish(stream, stream.status());
  }

  /** The server has sent everything. */
  #finish(stream: Stream, error: CallError | undefined): void {
    // The server need not have read everything.
    if (stream.hasMore || !stream.isLast)
      this.#outgoing.write(numberFrame(frameTypes.resetStream, stream.id, errorCodes.none));
    this.#end(stream, error);
  }

  #windowUpdate(id: number, bytes: number): void {
    const stream = this.#streams.get(id);
    if (id === 0) {
      this.#window += bytes;
      if (bytes === 0 || this.#window > largestWindow) throw new Error('HTTP/2: an impossible window');
    } else if (stream !== undefined) {
      stream.window += bytes;
      if (bytes === 0) this.#break(stream, errorCodes.protocol);
      else if (stream.window > largestWindow) this.#break(stream, errorCodes.flowControl);
    }
    this.#flowOn();
  }

  /** Resets a stream that violates the protocol, and it alone. */
  #break(stream: Stream, code: number): void {
    this.#outgoing.write(numberFrame(frameTypes.resetStream, stream.id, code));
    this.#end(stream, new CallError(codes.unavailable, `The call was broken off with code ${code}`));
  }

  #flowOn(): void {
    for (const stream of [...this.#blocked.values()]) {
      if (this.#window <= 0) return;
      this.flow(stream);
    }
  }

  #settings({ payload, flags: flag }: Frame): void {
    if ((flag & flags.ack) !== 0) return;
    for (const [id, value] of readSettings(payload, 'server')) {
      if (id === settings.headerTableSize) this.#writer.limit(value);
      else if (id === settings.maxStreams) this.#maxStreams = value;
      else if (id === settings.maxFrame) this.#maxFrame = value;
      else if (id === settings.initialWindow) {
        for (const stream of this.#streams.values()) {
          stream.window += value - this.#initialWindow;
          if (stream.window > largestWindow) throw new Error('HTTP/2: an impossible window');
        }
        this.#initialWindow = value;
      }
    }
    this.#outgoing.write(frame(frameTypes.settings, flags.ack, 0, Buffer.alloc(0)));
    if (!this.#isReady) {
      this.#isReady = true;
      this.#options.ready();
    }
    this.#beginWaiting();
    this.#flowOn();
  }

  #reset(id: number, code: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    const refused = code === errorCodes.refusedStream;
    this.#end(stream, new CallError(codes.unavailable, `The call was reset with code ${code}`, { refused }));
  }

  #goAway(payload: Buffer): void {
    const last = payload.readUInt32BE(0) & largestWindow;
    const code = payload.readUInt32BE(4);
    const why = payload.toString('utf8', 8);
    // The session retires first: waiting streams must not begin in place of those that end.
    this.retire();
    for (const stream of [...this.#streams.values()]) {
      if (stream.id <= last) continue;
      const error = new CallError(codes.unavailable, `The connection ends with code ${code}: ${why}`, {
        refused: true,
      });
      this.#end(stream, error);
    }
  }
}
