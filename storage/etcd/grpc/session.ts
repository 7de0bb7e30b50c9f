import type { Duplex } from 'node:stream';
import { type ConnectionHandler, Http2Connection } from '../../../lib/http2/connection.js';
import { errorCodes } from '../../../lib/http2/error.js';
import {
  contentOf,
  defaults,
  flags,
  type Frame,
  frame,
  frameTypes,
  maxWindow,
  type SettingPairs,
  settings,
} from '../../../lib/http2/frames.js';
import type { Headers } from '../../../lib/http2/header-blocks.js';
import { type Field, HeaderWriter } from '../../../lib/http2/hpack.js';
import { CallError, codes } from './call-error.js';
import { prefixBytes } from './incoming.js';
import { type CallConnection, CallStream, type CallOwner, streamWindow } from './stream.js';

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
const maxHeaderBytes = 1 << 18;
/** Stream numbers end at 2^31; a new session is used long before. */
const lastStream = 2 ** 30;

const dropped = (why?: string, cause?: unknown): CallError =>
  new CallError(codes.unavailable, `Connection dropped${why === undefined ? '' : `: ${why}`}`, { cause });

/** Returns the error of a call that was not sent. */
const refusal = (): CallError => new CallError(codes.unavailable, 'Connection dropped', { refused: true });

/**
 * The client side of HTTP/2 (RFC 9113) on one connection, for gRPC. Why it is implemented here, and what it saves, is recorded in
 * docs/decisions/0002-etcd-client.md. It saves by sending everything of one turn in one write, by referring to earlier headers with a few prepared
 * bytes, and by reading an answer without a Node stream.
 *
 * A violation of the protocol ends the connection, and calls are repeated on another one; `refused` tells which of them were never processed.
 */
export class CallSession implements CallConnection, ConnectionHandler<CallStream> {
  readonly #options: SessionOptions;
  readonly #connection: Http2Connection<CallStream>;
  readonly #writer = new HeaderWriter();
  readonly #fieldsByPath = new Map<string, readonly Field[]>();
  /** Streams that wait until fewer are open. */
  #waiting: CallStream[] = [];
  #next = 1;
  #isReady = false;
  #isRetired = false;
  #isClosed = false;
  #maxStreams = Infinity;
  /** The prefix of an uncompressed message; its length is written for each message. */
  readonly #prefix = Buffer.alloc(prefixBytes);
  #receivedBefore = 0;
  readonly #pulse: NodeJS.Timeout;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { socket } = options;
    this.#connection = new Http2Connection<CallStream>(this, {
      socket,
      side: 'client',
      settings: [
        [settings.enablePush, 0],
        [settings.initialWindow, streamWindow],
      ],
      window: maxWindow,
      renewAfter,
      maxFrame: defaults.maxFrame,
      maxHeaderBytes,
      // A gRPC server in Go measures the bandwidth with a ping for each answer.
      delaysPongs: true,
    });
    socket.on('error', error => this.close(dropped(error.message)));
    socket.on('close', () => this.close(dropped()));
    this.#pulse = setInterval(() => this.#probe(), options.silenceMs).unref();
  }

  /** Counts the chunks received from the server. */
  get received(): number {
    return this.#connection.chunks;
  }

  /** Sends a ping after a silence while calls wait, and closes the session when nothing is received then: the peer may have vanished. */
  #probe(): void {
    const { received } = this;
    if (received === this.#receivedBefore && this.#connection.streams.size > 0) {
      this.#connection.writer.write(frame(frameTypes.ping, 0, 0, Buffer.alloc(8)));
      const check = (): void => {
        if (this.received === received) this.close(dropped('it is silent'));
      };
      setTimeout(check, this.#options.answerMs).unref();
    }
    this.#receivedBefore = received;
  }

  /** True when half of the calls that are allowed at a time are under way. */
  get isHalfFull(): boolean {
    return this.#connection.streams.size >= this.#maxStreams / 2;
  }

  /** Takes no more calls, and closes the session with the last one. */
  retire(): void {
    if (!this.#isRetired) {
      this.#isRetired = true;
      this.#options.retired();
      this.#refuseWaiting();
    }
    if (this.#connection.streams.size === 0) this.close(dropped());
  }

  close(error: CallError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.retire();
    clearInterval(this.#pulse);
    this.#options.socket.destroy();
    for (const stream of this.#connection.end()) stream.end(error);
    this.#options.closed(error);
  }

  /** Begins a call. `extra` headers are the same for every call of that path; a `secret` header is kept out of the server's header table. */
  open(path: string, owner: CallOwner, extra: readonly Field[], secret?: Field): CallStream {
    const stream = new CallStream(this, path, owner, extra, secret);
    if (this.#isClosed || this.#isRetired) stream.end(refusal());
    else if (this.#connection.streams.size >= this.#maxStreams) this.#waiting.push(stream);
    else this.#begin(stream);
    return stream;
  }

  #begin(stream: CallStream): void {
    stream.id = this.#next;
    this.#next += 2;
    this.#connection.newest = stream.id;
    this.#connection.streams.set(stream.id, stream);
    const { path, secret } = stream;
    this.#connection.sender.headers(stream.id, this.#writer.write(path, this.#fields(stream), secret), false);
    if (this.#next > lastStream) this.retire();
  }

  #fields({ path, extra }: CallStream): readonly Field[] {
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

  // The methods for streams.

  /** hot. */
  sendWhole(stream: CallStream, message: Uint8Array, ends: boolean): boolean {
    if (stream.id === 0) return false;
    this.#prefix.writeUInt32BE(message.length, 1);
    return this.#connection.sender.wholeData(stream, this.#prefix, message, ends);
  }

  sendData(stream: CallStream, bytes: Buffer, ends: boolean): number {
    return stream.id === 0 ? 0 : this.#connection.sender.data(stream, bytes, 0, ends);
  }

  cancel(stream: CallStream): void {
    if (stream.id === 0) this.#waiting = this.#waiting.filter(one => one !== stream);
    else if (this.#connection.streams.has(stream.id)) {
      this.#connection.reset(stream.id, errorCodes.cancel);
      this.#remove(stream);
    }
  }

  renew(stream: CallStream, bytes: number): void {
    if (this.#connection.streams.has(stream.id)) this.#connection.renew(stream.id, bytes);
  }

  #remove(stream: CallStream): void {
    this.#connection.remove(stream);
    if (this.#isRetired) return void (this.#connection.streams.size === 0 && this.retire());
    this.#beginWaiting();
  }

  #beginWaiting(): void {
    while (this.#waiting.length > 0 && this.#connection.streams.size < this.#maxStreams && !this.#isRetired) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#begin(next);
      next.flow();
    }
  }

  #end(stream: CallStream, error: CallError | undefined): void {
    this.#remove(stream);
    stream.end(error);
  }

  #refuseWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const stream of waiting) stream.end(refusal());
  }

  // The methods for received frames.

  fail(error: unknown): void {
    this.close(dropped(error instanceof Error ? error.message : String(error), error));
  }

  onHeaders({ stream: id, fields, isCut, ends }: Headers): void {
    const stream = this.#connection.streamOf(id);
    if (stream === undefined) return;
    if (isCut) return this.refuse(id, errorCodes.enhanceYourCalm);
    stream.headers(fields);
    if (ends) this.#finish(stream);
  }

  onData(stream: CallStream | undefined, received: Frame): void {
    const { length } = received.payload;
    this.#connection.release(length);
    const content = contentOf(received);
    if (stream === undefined) return;
    const error = stream.data(content, length);
    if (error !== undefined) {
      this.cancel(stream);
      stream.end(error);
    } else if ((received.flags & flags.endStream) !== 0) this.#finish(stream);
  }

  /** Ends a call whose answer is complete. */
  #finish(stream: CallStream): void {
    const error = stream.status();
    // The server need not have read everything.
    if (stream.hasQueue || !stream.isLast) this.#connection.reset(stream.id, errorCodes.none);
    this.#end(stream, error);
  }

  /** Resets a stream that violates the protocol, and it alone. */
  refuse(id: number, code: number): void {
    const stream = this.#connection.streams.get(id);
    if (stream === undefined) return;
    this.#connection.reset(id, code);
    this.#end(stream, new CallError(codes.unavailable, `The call was broken off with code ${code}`));
  }

  onSettings(pairs: SettingPairs): void {
    for (const [id, value] of pairs) {
      if (id === settings.headerTableSize) this.#writer.limit(value);
      else if (id === settings.maxStreams) this.#maxStreams = value;
    }
    if (!this.#isReady) {
      this.#isReady = true;
      this.#options.ready();
    }
    this.#beginWaiting();
  }

  onReset(stream: CallStream, code: number): void {
    const refused = code === errorCodes.refusedStream;
    this.#end(stream, new CallError(codes.unavailable, `The call was reset with code ${code}`, { refused }));
  }

  onGoAway(payload: Buffer): void {
    const last = payload.readUInt32BE(0) & maxWindow;
    const code = payload.readUInt32BE(4);
    const why = payload.toString('utf8', 8);
    // The session retires first: waiting streams must not begin in place of those that end.
    this.retire();
    for (const stream of [...this.#connection.streams.values()]) {
      if (stream.id <= last) continue;
      const error = new CallError(codes.unavailable, `The connection ends with code ${code}: ${why}`, {
        refused: true,
      });
      this.#end(stream, error);
    }
  }

  onPong(): void {
    // Every received chunk shows that the server is alive.
  }
}
