import type { Socket } from 'node:net';
import { ChurnMap } from '../../../lib/collections/churn-map.js';
import { errorCodes, Http2Error } from '../../../lib/http2/error.js';
import {
  checkShape,
  contentOf,
  flags,
  type Frame,
  frame,
  FrameReader,
  frameTypes,
  largestWindow,
  numberFrame,
  preface,
  readSettings,
  settings,
  settingsFrame,
  usual,
} from '../../../lib/http2/frames.js';
import { HeaderBlocks, type Headers } from '../../../lib/http2/header-blocks.js';
import { FrameWriter } from '../../../lib/http2/frame-writer.js';
import { declaredLength } from '../body.js';
import type { ResponseHeaders } from '../../interface.js';
import { tellClosed } from './closed-streams.js';
import { GracefulShutdown, gracefulShutdownMs } from './graceful-shutdown.js';
import { isField, type RequestHead, requestHead } from './request-head.js';
import { ResetBudget } from './reset-budget.js';
import { Sender } from './sender.js';
import { type Carrier, ServerStream, streamWindow } from './stream.js';

export interface SessionOptions {
  /** Its handshake agreed on HTTP/2. */
  readonly socket: Socket;
  /** Bytes of the headers of one request. */
  readonly maxHeaderSize: number;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly request: (stream: ServerStream, head: RequestHead, session: Session) => void;
}

// as apiserver/pkg/server/secure_serving.go: what one client may have open, and how much it may send ahead
const mostStreams = 250;
const largestFrame = 256 * 1024;
const sessionWindow = mostStreams * streamWindow;
/** A client is told of room when there is this much more of it. */
const worthTelling = sessionWindow / 8;

/** Bytes in the socket above which nothing is read from it: even a client that asks and never reads makes no more than that wait. */
const floodedSocket = 2 * 1024 * 1024;
/** Milliseconds in which the client has to begin. as golang.org/x/net/http2 prefaceTimeout */
const prefaceTimeout = 10_000;
/** Streams of which we remember that we broke them off: of what the client sent before it heard of that, nothing is an error. */
const maxBroken = 1000;

const nothing = Buffer.alloc(0);

/**
 * The serving side of HTTP/2 (RFC 9113) on one connection. Why our own: of a watch event on its way to 1,000 clients `http2` of Node takes 5.3 us
 * for each, frames made by hand on the same sockets 2, and it cannot end a session while requests arrive without harm to the process
 * (https://github.com/nodejs/node/issues/64113). What saves it: what is said in one turn of the event loop is one write, and a stream is
 * one object, without events and ticks of its own.
 *
 * What a client says wrong on one stream breaks that stream, what is wrong with the connection ends it, with a GOAWAY that says why.
 */
export class Session implements Carrier {
  readonly #options: SessionOptions;
  readonly #outgoing: FrameWriter;
  readonly #sender: Sender;
  readonly #frames = new FrameReader(largestFrame);
  readonly #blocks: HeaderBlocks;
  readonly #budget: ResetBudget;
  readonly #streams = new ChurnMap<number, ServerStream>();
  readonly #broken = new Set<number>();
  /** Streams that are answered before their body was complete, in this turn of the event loop. */
  readonly #halfClosed = new ChurnMap<number, ServerStream>();
  readonly #shutdown: GracefulShutdown;
  /** Of the preface. */
  #missing = preface.length;
  #hasSettings = false;
  readonly #prefaceTimer: NodeJS.Timeout;
  /** The newest stream of the client, served or not. */
  #newest = 0;
  #isOver = false;
  #isPaused = false;
  /** How much the client may send on all streams together. */
  #credit = sessionWindow;
  #taken = 0;
  idleSince: number;

  constructor(options: SessionOptions) {
    const { socket, maxHeaderSize, clock } = options;
    this.#options = options;
    this.#blocks = new HeaderBlocks(maxHeaderSize);
    this.#budget = new ResetBudget(clock);
    this.idleSince = clock();
    this.#outgoing = new FrameWriter(socket, () => this.#drained());
    this.#sender = new Sender(this.#outgoing);
    this.#shutdown = new GracefulShutdown(
      this.#outgoing,
      () => this.#newest,
      () => this.#closeIfDone(),
    );
    this.#outgoing.write(
      settingsFrame([
        [settings.maxStreams, mostStreams],
        [settings.initialWindow, streamWindow],
        [settings.maxFrame, largestFrame],
        [settings.maxHeaders, maxHeaderSize],
      ]),
    );
    this.#outgoing.write(numberFrame(frameTypes.windowUpdate, 0, sessionWindow - usual.window));
    this.#prefaceTimer = setTimeout(() => socket.destroy(), prefaceTimeout).unref();
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('close', () => this.#end());
  }

  get streams(): ChurnMap<number, ServerStream> {
    return this.#streams;
  }

  /** Bytes for the client that have not left. */
  get waiting(): number {
    return this.#outgoing.waiting;
  }

  get left(): number {
    return this.#outgoing.left;
  }

  /** Takes no more requests, and closes with the last one. Those that come before the client has heard of it are served. */
  leave(): void {
    if (!this.#isOver) this.#shutdown.begin();
  }

  destroy(): void {
    this.#options.socket.destroy();
  }

  #closeIfDone(): void {
    if (this.#shutdown.isSaid && this.#streams.size === 0 && !this.#isOver) this.#close();
  }

  /** Lets what was said leave, and gives the client the time to read it: a socket that is closed over unread bytes takes it along. */
  #close(): void {
    const { socket } = this.#options;
    this.#breakHalfClosed();
    this.#outgoing.flush();
    this.#end();
    socket.resume();
    socket.end(() => void setTimeout(() => socket.destroy(), gracefulShutdownMs).unref());
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#prefaceTimer);
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) this.#forget(stream);
  }

  #forget(stream: ServerStream): void {
    this.#sender.forget(stream);
    stream.close();
    tellClosed(stream);
  }

  #remove(stream: ServerStream): void {
    this.#streams.delete(stream.id);
    this.#forget(stream);
    if (this.#streams.size > 0) return;
    this.idleSince = this.#options.clock();
    this.#closeIfDone();
  }

  // What streams ask for.

  /** hot. */
  head(id: number, status: number, headers: ResponseHeaders, ends: boolean): void {
    this.#sender.head(id, status, headers, ends);
  }

  /** hot. */
  send(stream: ServerStream, bytes: Buffer, from: number, ends: boolean): number {
    return this.#sender.send(stream, bytes, from, ends);
  }

  reset(stream: ServerStream, code: number): void {
    this.#break(stream.id, code);
    this.#remove(stream);
  }

  /**
   * Asks a client that still sends a body to stop (RFC 9113, 8.1), at the end of the turn: until then the stream is half-closed, and what the
   * client says on it may still be an error.
   */
  answered(stream: ServerStream): void {
    if (!stream.body.isComplete) {
      if (this.#halfClosed.size === 0) setImmediate(() => this.#breakHalfClosed());
      this.#halfClosed.set(stream.id, stream);
      this.#remember(stream.id);
    }
    this.#remove(stream);
  }

  #breakHalfClosed(): void {
    for (const [id] of this.#halfClosed.entries()) this.#sayReset(id, errorCodes.none);
    this.#halfClosed.clear();
  }

  taken(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken < worthTelling || this.#isOver) return;
    this.#credit += this.#taken;
    this.#outgoing.write(numberFrame(frameTypes.windowUpdate, 0, this.#taken));
    this.#taken = 0;
  }

  renew(stream: ServerStream, bytes: number): void {
    this.#outgoing.write(numberFrame(frameTypes.windowUpdate, stream.id, bytes));
  }

  #break(id: number, code: number): void {
    this.#sayReset(id, code);
    this.#remember(id);
  }

  #sayReset(id: number, code: number): void {
    if (!this.#isOver) this.#outgoing.write(numberFrame(frameTypes.resetStream, id, code));
  }

  #remember(id: number): void {
    this.#broken.add(id);
    if (this.#broken.size > maxBroken) for (const oldest of this.#broken) return void this.#broken.delete(oldest);
  }

  #drained(): void {
    if (this.#isOver) return;
    // Before others fill up the room: a client with large windows would not be heard until it has all it asked for.
    if (this.#isPaused && !this.#sender.isFull) {
      this.#isPaused = false;
      this.#options.socket.resume();
    }
    this.#sender.flow();
  }

  // What the client says.

  #receive(chunk: Buffer): void {
    if (this.#isOver) return;
    try {
      const rest = this.#missing > 0 ? this.#begin(chunk) : chunk;
      this.#frames.push(rest, this.#take);
    } catch (error) {
      if (!(error instanceof Http2Error)) throw error;
      this.#shutdown.fail(error);
      this.#close();
    }
    if (this.#outgoing.waiting < floodedSocket || this.#isOver) return;
    this.#isPaused = true;
    this.#options.socket.pause();
  }

  /** What comes after the preface. */
  #begin(chunk: Buffer): Buffer {
    const from = preface.length - this.#missing;
    const part = chunk.subarray(0, this.#missing);
    if (!part.equals(preface.subarray(from, from + part.length)))
      throw new Http2Error(errorCodes.protocol, 'HTTP/2: no preface');
    this.#missing -= part.length;
    return chunk.subarray(part.length);
  }

  /** hot. */
  readonly #take = (received: Frame): void => {
    if (this.#isOver) return;
    const { type, stream: id, payload } = received;
    if (!this.#hasSettings && type !== frameTypes.settings)
      throw new Http2Error(errorCodes.protocol, 'HTTP/2: no settings at the start');
    checkShape(received);
    const headers = this.#blocks.take(received);
    if (headers !== undefined) return this.#headers(headers);
    if (type === frameTypes.data) return this.#data(received);
    if (type === frameTypes.windowUpdate) return this.#windowUpdate(id, payload.readUInt32BE(0) & largestWindow);
    if (type === frameTypes.settings) return this.#settings(received);
    if (type === frameTypes.ping) return this.#ping(received);
    if (type === frameTypes.resetStream) return this.#reset(id);
    if (type === frameTypes.goAway) return this.leave();
    if (type === frameTypes.pushPromise) throw new Http2Error(errorCodes.protocol, 'HTTP/2: a push by a client');
  };

  /** The stream of a frame; undefined when it is over. Throws when it never began. */
  #streamOf(id: number): ServerStream | undefined {
    const stream = this.#streams.get(id);
    if (stream === undefined && (id > this.#newest || id % 2 === 0) && id <= this.#shutdown.last)
      throw new Http2Error(errorCodes.protocol, `HTTP/2: stream ${id} never began`);
    return stream;
  }

  /** What was said on a stream may not be said: it, and it alone, is broken off. */
  #refuse(id: number, code: number): void {
    if (!this.#budget.spend()) throw new Http2Error(errorCodes.enhanceYourCalm, 'HTTP/2: too many streams break off');
    const stream = this.#streams.get(id);
    if (stream !== undefined) stream.reset(code);
    else this.#break(id, code);
  }

  #headers({ stream: id, fields, isCut, ends }: Headers): void {
    if (id % 2 === 0) throw new Http2Error(errorCodes.protocol, `HTTP/2: a client has no stream ${id}`);
    const stream = this.#streams.get(id);
    if (stream !== undefined) {
      if (stream.body.isComplete) return this.#refuse(id, errorCodes.streamClosed);
      const areTrailers = ends && fields.every(field => !field.name.startsWith(':') && isField(field));
      return areTrailers ? this.#bodyEnds(stream) : this.#refuse(id, errorCodes.protocol);
    }
    if (id <= this.#newest) {
      if (this.#broken.has(id)) return;
      throw new Http2Error(errorCodes.streamClosed, `HTTP/2: headers on stream ${id}, which is over`);
    }
    if (id > this.#shutdown.last) return; // the client was told
    this.#newest = id;
    if (this.#streams.size >= mostStreams) return this.#refuse(id, errorCodes.refusedStream);
    const head = isCut ? undefined : requestHead(fields);
    if (isCut) this.#answerTooLarge(id, ends);
    else if (head === undefined) this.#refuse(id, errorCodes.protocol);
    else this.#request(id, head, ends);
  }

  /** as net/http2 handleHeaderListTooLong */
  #answerTooLarge(id: number, ends: boolean): void {
    this.#sender.head(id, 431, { 'content-length': 0 }, true);
    if (!ends) this.#break(id, errorCodes.none);
  }

  #request(id: number, head: RequestHead, ends: boolean): void {
    const declared = declaredLength(head.headers['content-length']);
    if (ends && declared !== undefined && declared > 0) return this.#refuse(id, errorCodes.protocol);
    const stream = new ServerStream(this, id, !ends, declared);
    this.#streams.set(id, stream);
    this.#options.request(stream, head, this);
  }

  #data(received: Frame): void {
    const { length } = received.payload;
    this.#credit -= length;
    if (this.#credit < 0) throw new Http2Error(errorCodes.flowControl, 'HTTP/2: more data than allowed');
    const stream = this.#streamOf(received.stream);
    const content = contentOf(received);
    if (stream === undefined || stream.body.isComplete) {
      this.taken(length);
      if (!this.#broken.has(received.stream) && received.stream <= this.#shutdown.last)
        this.#refuse(received.stream, errorCodes.streamClosed);
      return;
    }
    const fault = stream.take(content, length);
    if (fault === errorCodes.none) return (received.flags & flags.endStream) !== 0 ? this.#bodyEnds(stream) : undefined;
    this.taken(length);
    this.#refuse(stream.id, fault);
  }

  #bodyEnds(stream: ServerStream): void {
    if (stream.declared !== undefined && stream.received !== stream.declared)
      return this.#refuse(stream.id, errorCodes.protocol);
    stream.body.end();
  }

  #windowUpdate(id: number, bytes: number): void {
    if (id === 0) {
      if (bytes === 0) throw new Http2Error(errorCodes.protocol, 'HTTP/2: a window that does not grow');
      if (!this.#sender.allow(bytes)) throw new Http2Error(errorCodes.flowControl, 'HTTP/2: an impossible window');
      return;
    }
    const stream = this.#streamOf(id) ?? this.#halfClosed.get(id);
    if (stream === undefined) return;
    const grows = bytes > 0;
    if (grows && this.#sender.allowStream(stream, bytes)) return;
    this.#halfClosed.delete(id);
    this.#refuse(id, grows ? errorCodes.flowControl : errorCodes.protocol);
  }

  #settings({ payload, flags: flag }: Frame): void {
    if ((flag & flags.ack) !== 0) {
      if (payload.length > 0) throw new Http2Error(errorCodes.frameSize, 'HTTP/2: an acknowledgement with settings');
      return;
    }
    this.#hasSettings = true;
    clearTimeout(this.#prefaceTimer);
    this.#outgoing.write(frame(frameTypes.settings, flags.ack, 0, nothing));
    if (!this.#sender.set(readSettings(payload, 'client'), this.#streams.values()))
      throw new Http2Error(errorCodes.flowControl, 'HTTP/2: an impossible window');
  }

  #ping({ payload, flags: flag }: Frame): void {
    if ((flag & flags.ack) === 0) this.#outgoing.write(frame(frameTypes.ping, flags.ack, 0, payload));
    else this.#shutdown.answered(payload);
  }

  #reset(id: number): void {
    const stream = this.#streamOf(id);
    if (stream === undefined) return;
    if (!this.#budget.spend()) throw new Http2Error(errorCodes.enhanceYourCalm, 'HTTP/2: too many streams break off');
    this.#remove(stream);
  }
}
