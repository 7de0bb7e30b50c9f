import { type ConnectionHandler, type Http2ConnectionOptions, Http2Connection } from './connection.js';
import { errorCodes, StreamError } from './error.js';
import { contentOf, flags, type Frame, frame, frameTypes, maxWindow, type SettingPairs, settings } from './frames.js';
import type { HeaderBlock } from './header-blocks.js';
import type { HeaderField } from './hpack.js';
import type { SendingStream } from './sender.js';

/** A request and its answer, as the session sees them. The session calls either `complete` or `fail`, once, unless the stream was canceled. */
export interface ClientStream extends SendingStream {
  /** The number of the stream, which the session sets; 0 before the request has begun. */
  id: number;
  /** The whole request was passed to the session. */
  readonly isSent: boolean;
  /** Takes headers: of an interim answer, of the answer, or the trailers. Returns an error if they are invalid, which resets the stream. */
  headers(fields: readonly HeaderField[], ends: boolean): Error | undefined;
  /** Takes DATA without its padding. `length`: bytes of the window of the stream that the frame took. An error resets the stream. */
  data(content: Buffer, length: number): Error | undefined;
  /** Called when the answer is complete. */
  complete(): void;
  /** Called when the stream was reset, or the connection is gone. A StreamError tells whether the server has processed the request. */
  fail(error: Error): void;
}

/** The options of the connection; its settings are those besides that the server may not push. */
interface ClientSessionOptions extends Omit<Http2ConnectionOptions, 'side'> {
  /** The handler releases received DATA when it is processed (`release`). Default: it is released when it arrives. */
  readonly holdsData?: boolean;
  /** Silence is probed while no requests wait, too. */
  readonly probesIdle?: boolean;
  /** Milliseconds of silence, while requests wait or with `probesIdle`, after which a ping is sent, and within which it has to be answered. */
  readonly silenceMs: number;
  readonly answerMs: number;
  /** Called with the bytes of the header table of the server. The writer of header blocks may use no more. */
  readonly limitTable: (bytes: number) => void;
  /** Called when the server has sent its settings: requests can begin. */
  readonly ready: () => void;
  /** Called when a request may begin in place of one that has ended, or because the server allows more. */
  readonly freed: () => void;
  /** Called when the session takes no more requests: it is closed or about to be. Requests that have begun go on until `closed`. */
  readonly retired: () => void;
  /** Called once. The error is a ConnectionClosed, an Http2Error, or the error of the socket. */
  readonly closed: (error: Error) => void;
}

/** The connection has ended without an error of the protocol or of the system. */
export class ConnectionClosed extends Error {}

/** Stream numbers end at 2^31; a new session is used long before. */
const lastStream = 2 ** 30;
const pingPayload = Buffer.alloc(8);

/**
 * The client side of HTTP/2 (RFC 9113) on one connection: begins streams as far as the server allows, and ends them for a reset, a GOAWAY, silence or
 * the loss of the connection. What is sent and read on a stream belongs to the stream.
 *
 * A violation of the protocol ends the connection.
 */
export class ClientSession<S extends ClientStream> implements ConnectionHandler<S> {
  readonly #options: ClientSessionOptions;
  readonly #connection: Http2Connection<S>;
  readonly #holdsData: boolean;
  #next = 1;
  #isReady = false;
  #isRetired = false;
  #isClosed = false;
  #maxStreams = Infinity;
  #receivedBefore = 0;
  readonly #pulse: NodeJS.Timeout;

  constructor(options: ClientSessionOptions) {
    this.#options = options;
    this.#holdsData = options.holdsData ?? false;
    const { socket } = options;
    this.#connection = new Http2Connection<S>(this, {
      ...options,
      side: 'client',
      settings: [[settings.enablePush, 0], ...options.settings],
    });
    socket.on('error', error => this.close(error));
    socket.on('close', () => this.close(new ConnectionClosed()));
    this.#pulse = setInterval(() => this.#probe(), options.silenceMs).unref();
  }

  /** Counts the chunks received from the server. */
  get received(): number {
    return this.#connection.chunks;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#connection.streams.size;
  }

  /** The number of streams that the server allows at a time; without a limit Infinity. */
  get maxStreams(): number {
    return this.#maxStreams;
  }

  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Whether a request may begin now. */
  get hasRoom(): boolean {
    return this.#isReady && !this.#isRetired && this.#connection.streams.size < this.#maxStreams;
  }

  /** Sends a ping after a silence, and closes the session when nothing is received then: the server may have vanished. */
  #probe(): void {
    const { received } = this;
    if (received === this.#receivedBefore && (this.size > 0 || this.#options.probesIdle)) {
      this.#connection.writer.write(frame(frameTypes.ping, 0, 0, pingPayload));
      const check = (): void => {
        if (this.received === received) this.close(new ConnectionClosed('it is silent'));
      };
      setTimeout(check, this.#options.answerMs).unref();
    }
    this.#receivedBefore = received;
  }

  /** Takes no more requests, and closes the session with the last one. */
  retire(): void {
    if (!this.#isRetired) {
      this.#isRetired = true;
      this.#options.retired();
    }
    if (this.size === 0) this.close(new ConnectionClosed());
  }

  /** Closes the connection. Streams that are open fail with the error. */
  close(error: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.retire();
    clearInterval(this.#pulse);
    this.#options.socket.destroy();
    for (const stream of this.#connection.end()) stream.fail(error);
    this.#options.closed(error);
  }

  // The methods for streams.

  /** Gives a stream its number, and counts it. The caller has checked `hasRoom`, and calls `sendHeaders` before it does anything else. */
  begin(stream: S): void {
    stream.id = this.#next;
    this.#next += 2;
    this.#connection.newest = stream.id;
    this.#connection.streams.set(stream.id, stream);
  }

  /** hot: sends the header block of a stream that has begun. The block is copied. */
  sendHeaders(stream: S, block: Buffer, ends: boolean): void {
    this.#connection.sender.headers(stream.id, block, ends);
    if (this.#next > lastStream) this.retire();
  }

  /** hot: sends two parts in one frame. Returns false, and sends nothing, unless both may be sent now. */
  sendWhole(stream: S, first: Uint8Array, second: Uint8Array, ends: boolean): boolean {
    return this.#connection.sender.wholeData(stream, first, second, ends);
  }

  /** hot: sends as much of the bytes, from `from` on, as may be sent now, and copies it. Returns the index of the first byte that was not sent. */
  sendData(stream: S, bytes: Buffer, from: number, ends: boolean): number {
    return this.#connection.sender.data(stream, bytes, from, ends);
  }

  /** Resets a stream that is no longer needed. It is not called any more. */
  cancel(stream: S, code: number = errorCodes.cancel): void {
    if (!this.#connection.streams.has(stream.id)) return;
    this.#connection.reset(stream.id, code);
    this.#remove(stream);
  }

  /** Lets the server send so many more bytes on a stream. */
  renew(stream: S, bytes: number): void {
    if (this.#connection.streams.has(stream.id)) this.#connection.renew(stream.id, bytes);
  }

  /** Counts bytes of DATA, with their padding, that are processed. Only with `holdsData`. */
  release(bytes: number): void {
    this.#connection.release(bytes);
  }

  #remove(stream: S): void {
    this.#connection.remove(stream);
    if (this.#isRetired) return void (this.size === 0 && this.retire());
    this.#options.freed();
  }

  #fail(stream: S, error: Error): void {
    this.#remove(stream);
    stream.fail(error);
  }

  // The methods for received frames.

  fail(error: unknown): void {
    this.close(error instanceof Error ? error : new Error(String(error)));
  }

  onHeaders({ stream: id, fields, isCut, ends }: HeaderBlock): void {
    const stream = this.#connection.streamOf(id);
    if (stream === undefined) return;
    if (isCut) return this.refuse(id, errorCodes.enhanceYourCalm);
    this.#settle(stream, stream.headers(fields, ends), ends);
  }

  onData(stream: S | undefined, received: Frame): void {
    const { length } = received.payload;
    if (stream === undefined || !this.#holdsData) this.#connection.release(length);
    const content = contentOf(received);
    if (stream === undefined) return;
    this.#settle(stream, stream.data(content, length), (received.flags & flags.endStream) !== 0);
  }

  #settle(stream: S, error: Error | undefined, ends: boolean): void {
    if (error !== undefined) {
      this.cancel(stream);
      stream.fail(error);
    } else if (ends && this.#connection.streams.has(stream.id)) this.#finish(stream);
  }

  /** Ends a stream whose answer is complete. */
  #finish(stream: S): void {
    // The server need not have read everything.
    if (!stream.isSent) this.#connection.reset(stream.id, errorCodes.none);
    this.#remove(stream);
    stream.complete();
  }

  /** Resets a stream that violates the protocol, and it alone. */
  refuse(id: number, code: number): void {
    const stream = this.#connection.streams.get(id);
    if (stream === undefined) return;
    this.#connection.reset(id, code);
    this.#fail(stream, new StreamError(`The stream was broken off with code ${code}`));
  }

  onSettings(pairs: SettingPairs): void {
    for (const [id, value] of pairs) {
      if (id === settings.headerTableSize) this.#options.limitTable(value);
      else if (id === settings.maxStreams) this.#maxStreams = value;
    }
    if (!this.#isReady) {
      this.#isReady = true;
      this.#options.ready();
    }
    this.#options.freed();
  }

  onReset(stream: S, code: number): void {
    const refused = code === errorCodes.refusedStream;
    this.#fail(stream, new StreamError(`The stream was reset with code ${code}`, { refused }));
  }

  onGoAway(payload: Buffer): void {
    const last = payload.readUInt32BE(0) & maxWindow;
    const code = payload.readUInt32BE(4);
    const why = payload.toString('utf8', 8);
    // The session retires first: waiting requests must not begin in place of those that end.
    this.retire();
    for (const stream of [...this.#connection.streams.values()])
      if (stream.id > last)
        this.#fail(stream, new StreamError(`The connection ends with code ${code}: ${why}`, { refused: true }));
  }

  onPong(): void {
    // Every received chunk shows that the server is alive.
  }
}
