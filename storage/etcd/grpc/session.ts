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
  /** Connected, and agreed on HTTP/2. */
  readonly socket: Duplex;
  /** `host:port` */
  readonly authority: string;
  readonly scheme: 'http' | 'https';
  /** While calls wait, a silence of so long is asked about... */
  readonly silenceMs: number;
  /** ...and has to be answered in so long. */
  readonly answerMs: number;
  /** The other side has said what it allows: calls can begin. */
  readonly ready: () => void;
  /** No more calls: it is closed, or about to be. Calls that were taken up go on until `closed`. */
  readonly retired: () => void;
  readonly closed: (error: CallError) => void;
}

/** Received on the whole connection until the other side is told to go on. */
const renewAfter = 1 << 30;
/** Bytes of the headers of one answer: etcd's are small. */
const maxHeaders = 1 << 18;
/** Stream numbers end at 2^31. */
const lastStream = 2 ** 30;

/**
 * The calling side of HTTP/2 (RFC 9113) on one connection, for gRPC. Why our own: a call of one message there and one back takes 20 to 33 us of a core;
 * 79 to 91 with `http2` of Node, which makes streams, events and ticks for each, and 137 with grpc-js above that. Over etcd that decides how many
 * writes a second there are: only so are 3,000 creates reached on two cores that client, etcd and Flagship share
 * (`npm run bench -- --table apiserver --storage etcd`). What saves it: all that is said in one turn of the event loop is one write, headers
 * that were said are referred to by a few bytes that stand ready, and an answer is read without a stream of Node in between.
 *
 * Whatever breaks the protocol breaks the connection, and calls are repeated on another one; `refused` says which of them nobody has looked at.
 */
export class Session implements Carrier {
  readonly #options: SessionOptions;
  readonly #outgoing: FrameWriter;
  readonly #frames = new FrameReader();
  readonly #blocks = new HeaderBlocks(maxHeaders);
  readonly #writer = new HeaderWriter();
  readonly #streams = new ChurnMap<number, Stream>();
  readonly #usual = new Map<string, readonly Field[]>();
  /** Streams that wait until there are fewer. */
  #waiting: Stream[] = [];
  /** Streams that have more to say than they may, in the order in which they go on. */
  readonly #blocked = new ChurnMap<number, Stream>();
  #next = 1;
  #isReady = false;
  #isRetired = false;
  #closed: CallError | undefined;
  #maxStreams = Infinity;
  #maxFrame: number = usual.maxFrame;
  #initialWindow: number = usual.window;
  /** How much may be sent on all streams together. */
  #window: number = usual.window;
  #received = 0;
  /** Of a message: it is not compressed, and so long. */
  readonly #prefix = Buffer.alloc(prefixBytes);
  /** Grows with whatever is heard from the other side. */
  heard = 0;
  #heardBefore = 0;
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

  /** Whoever waits for a peer that vanished without a word shall notice. */
  #probe(): void {
    const { heard } = this;
    if (heard === this.#heardBefore && this.#streams.size > 0) {
      this.#outgoing.write(frame(frameTypes.ping, 0, 0, Buffer.alloc(8)));
      const judge = (): void => {
        if (this.heard === heard) this.close(new CallError(codes.unavailable, 'Connection dropped: it is silent'));
      };
      setTimeout(judge, this.#options.answerMs).unref();
    }
    this.#heardBefore = heard;
  }

  /** Half of the calls that are allowed at a time. */
  get isHalfFull(): boolean {
    return this.#streams.size >= this.#maxStreams / 2;
  }

  /** Takes no more calls; closes with the last one. */
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

  /** Begins a call. `extra` headers are the same with every call of that path; a `secret` one is not remembered by the other side. */
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

  /** In several frames, if it is too much for one. */
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
    const known = this.#usual.get(path);
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
    this.#usual.set(path, all);
    return all;
  }

  /** hot: a message that fits into one frame, without a copy. False: it does not, or may not be sent now. */
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

  /** Sends as much of what the stream has to say as it may. */
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

  /** The stream is of no interest any more. */
  cancel(stream: Stream): void {
    if (stream.id === 0) this.#waiting = this.#waiting.filter(one => one !== stream);
    else if (this.#streams.has(stream.id)) {
      this.#outgoing.write(numberFrame(frameTypes.resetStream, stream.id, errorCodes.cancel));
      this.#over(stream);
    }
  }

  /** The other side may send so much more on the stream. */
  renew(stream: Stream, bytes: number): void {
    if (this.#streams.has(stream.id)) this.#outgoing.write(numberFrame(frameTypes.windowUpdate, stream.id, bytes));
  }

  #over(stream: Stream): void {
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
    this.#over(stream);
    stream.end(error);
  }

  #refuse(streams: readonly Stream[]): void {
    if (this.#waiting === streams) this.#waiting = [];
    for (const stream of streams) stream.end(new CallError(codes.unavailable, 'Connection dropped', { refused: true }));
  }

  #receive(chunk: Buffer): void {
    this.heard++;
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
    // Streams are ours, and odd.
    if (id % 2 === 0 ? id !== 0 : id >= this.#next) throw new Error(`HTTP/2: stream ${id} never began`);
    const headers = this.#blocks.take(received);
    if (headers !== undefined) this.#headers(headers);
    else if (type === frameTypes.data) this.#data(received);
    else if (type === frameTypes.windowUpdate) this.#windowUpdate(id, payload.readUInt32BE(0) & largestWindow);
    else if (type === frameTypes.settings) this.#settings(received);
    else if (type === frameTypes.ping) {
      if ((received.flags & flags.ack) === 0) {
        // gRPC in Go measures the connection by a question with each answer.
        this.#outgoing.writeSoon(frame(frameTypes.ping, flags.ack, 0, payload));
      }
    } else if (type === frameTypes.resetStream) this.#reset(id, payload.readUInt32BE(0));
    else if (type === frameTypes.goAway) this.#goAway(payload);
    else if (type === frameTypes.pushPromise) throw new Error('HTTP/2: a push that nobody allowed');
  }

  #data(received: Frame): void {
    const { length } = received.payload;
    this.#received += length;
    if (this.#received >= renewAfter) {
      this.#outgoing.write(numberFrame(frameTypes.windowUpdate, 0, this.#received));
      this.#received = 0;
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

  /** The other side has said all. */
  #finish(stream: Stream, error: CallError | undefined): void {
    // It need not have heard all.
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

  /** The stream, and it alone, is not as it has to be. */
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
    // First of all: what waits must not take the places of what ends.
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
