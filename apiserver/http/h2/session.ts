import type { Socket } from 'node:net';
import { ChurnMap } from '../../../lib/collections/churn-map.js';
import { type ConnectionHandler, Http2Connection } from '../../../lib/http2/connection.js';
import { errorCodes, Http2Error } from '../../../lib/http2/error.js';
import { contentOf, flags, type Frame, type SettingPairs, settings } from '../../../lib/http2/frames.js';
import type { HeaderBlock } from '../../../lib/http2/header-blocks.js';
import { defaultTableSize } from '../../../lib/http2/hpack.js';
import { literalHeaders } from '../../../lib/http2/literal-headers.js';
import type { ResponseHeaders } from '../../interface.js';
import { declaredLength } from '../body.js';
import type { ChunkCopies } from '../chunk-copies.js';
import type { ClosedStreams } from './closed-streams.js';
import { GracefulShutdown, gracefulShutdownMs } from './graceful-shutdown.js';
import type { HttpDate } from './http-date.js';
import { isField, type RequestHead, requestHead } from './request-head.js';
import { ResetBudget } from './reset-budget.js';
import { ResetStreams } from './reset-streams.js';
import { ServerStream, type ServerStreamConnection, streamWindow } from './stream.js';

interface SessionOptions {
  /** A connection whose TLS handshake agreed on HTTP/2. */
  readonly socket: Socket;
  /** Bytes of the headers of one request. */
  readonly maxHeaderSize: number;
  /** Milliseconds. */
  readonly clock: () => number;
  /** What all sessions of a server share. */
  readonly closedStreams: ClosedStreams;
  readonly date: HttpDate;
  readonly copies: ChunkCopies;
  readonly request: (stream: ServerStream, head: RequestHead, session: ServerSession) => void;
}

// as apiserver/pkg/server/secure_serving.go: the streams that one client may have open, and the bytes that it may send ahead
const maxStreams = 250;
const maxFrame = 256 * 1024;
const sessionWindow = maxStreams * streamWindow;

/** Bytes in the socket above which no DATA is sent: watches do not wait for long lists, but one event may be sent on all streams. */
const maxUnsent = 1024 * 1024;
/** Bytes in the socket above which it is not read: answers to a client that sends requests and never reads are limited to this. */
const pauseAbove = 2 * 1024 * 1024;
/** Milliseconds until the client has to send its preface and settings. as golang.org/x/net/http2 prefaceTimeout */
const prefaceTimeoutMs = 10_000;

/**
 * The server side of HTTP/2 (RFC 9113) on one connection. Why it is implemented here, and what it saves, is recorded in
 * docs/decisions/0001-http2-server.md.
 *
 * A violation of the protocol on one stream resets that stream. A violation that concerns the connection ends it, with a GOAWAY that names the
 * reason.
 */
export class ServerSession implements ServerStreamConnection, ConnectionHandler<ServerStream> {
  readonly #options: SessionOptions;
  readonly #connection: Http2Connection<ServerStream>;
  readonly #budget: ResetBudget;
  readonly #resetStreams = new ResetStreams();
  /** Streams that were answered in this turn of the event loop before their body was complete. */
  readonly #halfClosed = new ChurnMap<number, ServerStream>();
  readonly #shutdown: GracefulShutdown;
  readonly #prefaceTimer: NodeJS.Timeout;
  /** The client has a smaller header table than the default. The next header block has to set the size of our table to 0. */
  #isTableSmaller = false;
  /** When the last stream ended, by the clock of the options. */
  idleSince: number;
  /** The streams whose complete answers wait for the client. */
  readonly waitingStreams = new Set<ServerStream>();
  readonly copies: ChunkCopies;

  constructor(options: SessionOptions) {
    const { socket, maxHeaderSize, clock, copies } = options;
    this.#options = options;
    this.copies = copies;
    this.#budget = new ResetBudget(clock);
    this.idleSince = clock();
    this.#prefaceTimer = setTimeout(() => socket.destroy(), prefaceTimeoutMs).unref();
    this.#connection = new Http2Connection<ServerStream>(this, {
      socket,
      side: 'server',
      settings: [
        [settings.maxStreams, maxStreams],
        [settings.initialWindow, streamWindow],
        [settings.maxFrame, maxFrame],
        [settings.maxHeaders, maxHeaderSize],
      ],
      window: sessionWindow,
      renewAfter: sessionWindow / 8,
      maxFrame,
      maxHeaderBytes: maxHeaderSize,
      maxUnsent,
      pauseAbove,
    });
    this.#shutdown = new GracefulShutdown(this.#connection, () => this.#closeIfDone());
    socket.on('close', () => this.#end());
  }

  /** The open streams. */
  get streams(): ChurnMap<number, ServerStream> {
    return this.#connection.streams;
  }

  /** Bytes for the client that were not sent yet. */
  get waiting(): number {
    return this.#connection.writer.waiting;
  }

  /** Bytes that were sent to the client so far. */
  get left(): number {
    return this.#connection.writer.left;
  }

  /** Takes no more requests, and closes with the last one. Requests that arrive before the client knows of it are served. */
  leave(): void {
    if (!this.#connection.isOver) this.#shutdown.begin();
  }

  destroy(): void {
    this.#options.socket.destroy();
  }

  #closeIfDone(): void {
    if (this.#shutdown.isConcluded && this.streams.size === 0 && !this.#connection.isOver) this.#close();
  }

  /** Sends the frames that were written, and gives the client time to read them: a socket that is closed with unread input discards its output. */
  #close(): void {
    const { socket } = this.#options;
    this.#resetHalfClosed();
    this.#connection.writer.flush();
    this.#end();
    socket.resume();
    socket.end(() => void setTimeout(() => socket.destroy(), gracefulShutdownMs).unref());
  }

  #end(): void {
    clearTimeout(this.#prefaceTimer);
    for (const stream of this.#connection.end()) this.#closeStream(stream);
  }

  #closeStream(stream: ServerStream): void {
    if (this.waitingStreams.size > 0) this.waitingStreams.delete(stream);
    stream.close();
    this.#options.closedStreams.add(stream);
  }

  #remove(stream: ServerStream): void {
    this.#connection.remove(stream);
    this.#closeStream(stream);
    if (this.streams.size > 0) return;
    this.idleSince = this.#options.clock();
    this.#closeIfDone();
  }

  // The methods for streams.

  /** hot: every answer. */
  sendHead(id: number, status: number, headers: ResponseHeaders, ends: boolean): void {
    if (status >= 200) headers['date'] ??= this.#options.date.at(Date.now());
    const block = literalHeaders(status, headers, this.#isTableSmaller);
    this.#isTableSmaller = false;
    this.#connection.sender.headers(id, block, ends);
  }

  /** hot: every chunk of an answer, and so every event of a watch. */
  sendData(stream: ServerStream, bytes: Buffer, from: number, ends: boolean): number {
    return this.#connection.sender.data(stream, bytes, from, ends);
  }

  waits(stream: ServerStream): void {
    this.waitingStreams.add(stream);
  }

  resetStream(stream: ServerStream, code: number): void {
    this.#sendReset(stream.id, code);
    this.#remove(stream);
  }

  /**
   * Asks a client that still sends a body to stop (RFC 9113, section 8.1), at the end of the turn: until then the stream is half-closed, and a
   * frame on it may still be an error.
   */
  answered(stream: ServerStream): void {
    if (!stream.body.isComplete) {
      if (this.#halfClosed.size === 0) setImmediate(() => this.#resetHalfClosed());
      this.#halfClosed.set(stream.id, stream);
      this.#resetStreams.add(stream.id);
    }
    this.#remove(stream);
  }

  #resetHalfClosed(): void {
    for (const [id] of this.#halfClosed.entries()) this.#connection.reset(id, errorCodes.none);
    this.#halfClosed.clear();
  }

  release(bytes: number): void {
    this.#connection.release(bytes);
  }

  renew(stream: ServerStream, bytes: number): void {
    this.#connection.renew(stream.id, bytes);
  }

  /** Resets a stream, and ignores what the client still sends on it. */
  #sendReset(id: number, code: number): void {
    this.#connection.reset(id, code);
    this.#resetStreams.add(id);
  }

  // The methods for received frames.

  fail(error: unknown): void {
    if (!(error instanceof Http2Error)) throw error;
    this.#shutdown.fail(error);
    this.#close();
  }

  #spend(): void {
    if (!this.#budget.spend()) throw new Http2Error(errorCodes.enhanceYourCalm, 'HTTP/2: too many streams break off');
  }

  refuse(id: number, code: number): void {
    this.#halfClosed.delete(id);
    this.#spend();
    const stream = this.streams.get(id);
    if (stream !== undefined) stream.reset(code);
    else this.#sendReset(id, code);
  }

  ending(id: number): ServerStream | undefined {
    return this.#halfClosed.get(id);
  }

  onHeaders(received: HeaderBlock): void {
    const { stream: id } = received;
    if (id % 2 === 0) throw new Http2Error(errorCodes.protocol, `HTTP/2: a client has no stream ${id}`);
    const stream = this.streams.get(id);
    if (stream !== undefined) return this.#trailers(stream, received);
    if (id <= this.#connection.newest) {
      if (this.#resetStreams.has(id)) return;
      throw new Http2Error(errorCodes.streamClosed, `HTTP/2: headers on stream ${id}, which is over`);
    }
    if (id > this.#connection.lastServed) return; // A GOAWAY has told the client.
    this.#connection.newest = id;
    this.#request(received);
  }

  #trailers(stream: ServerStream, { stream: id, fields, ends }: HeaderBlock): void {
    if (stream.body.isComplete) return this.refuse(id, errorCodes.streamClosed);
    const areTrailers = ends && fields.every(field => !field.name.startsWith(':') && isField(field));
    return areTrailers ? this.#endBody(stream) : this.refuse(id, errorCodes.protocol);
  }

  #request({ stream: id, fields, isCut, ends }: HeaderBlock): void {
    if (this.streams.size >= maxStreams) return this.refuse(id, errorCodes.refusedStream);
    if (isCut) return this.#answerTooLarge(id, ends);
    const head = requestHead(fields);
    if (head === undefined) return this.refuse(id, errorCodes.protocol);
    const declared = declaredLength(head.headers['content-length']);
    if (ends && declared !== undefined && declared > 0) return this.refuse(id, errorCodes.protocol);
    const stream = new ServerStream(this, id, !ends, declared);
    this.streams.set(id, stream);
    this.#options.request(stream, head, this);
  }

  /** as golang.org/x/net/http2 serverConn.handleHeaderListTooLong */
  #answerTooLarge(id: number, ends: boolean): void {
    this.sendHead(id, 431, { 'content-length': 0 }, true);
    if (!ends) this.#sendReset(id, errorCodes.none);
  }

  onData(stream: ServerStream | undefined, received: Frame): void {
    const { length } = received.payload;
    const content = contentOf(received);
    if (stream === undefined || stream.body.isComplete) {
      this.release(length);
      const { stream: id } = received;
      if (!this.#resetStreams.has(id) && id <= this.#connection.lastServed) this.refuse(id, errorCodes.streamClosed);
      return;
    }
    const fault = stream.receive(content, length);
    if (fault === errorCodes.none) return (received.flags & flags.endStream) !== 0 ? this.#endBody(stream) : undefined;
    this.release(length);
    this.refuse(stream.id, fault);
  }

  #endBody(stream: ServerStream): void {
    if (stream.declared !== undefined && stream.received !== stream.declared)
      return this.refuse(stream.id, errorCodes.protocol);
    stream.body.end();
  }

  onReset(stream: ServerStream): void {
    this.#spend();
    this.#remove(stream);
  }

  onGoAway(): void {
    this.leave();
  }

  onSettings(pairs: SettingPairs): void {
    clearTimeout(this.#prefaceTimer);
    for (const [id, value] of pairs)
      if (id === settings.headerTableSize && value < defaultTableSize) this.#isTableSmaller = true;
  }

  onPong(payload: Buffer): void {
    this.#shutdown.acknowledge(payload);
  }
}
