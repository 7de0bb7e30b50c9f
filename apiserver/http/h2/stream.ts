import { errorCodes } from '../../../lib/http2/error.js';
import { ReceiveWindow } from '../../../lib/http2/receive-window.js';
import type { SendingStream } from '../../../lib/http2/sender.js';
import type { ResponseHeaders, ResponseStream } from '../../interface.js';
import type { ChunkCopies } from '../chunk-copies.js';
import { DrainSlot } from '../drain-slot.js';
import { defaultStallTimeoutMs } from '../response-stream.js';
import { IncomingBody } from './incoming-body.js';

/** Bytes of a request body that a client may send ahead. as apiserver/pkg/server/secure_serving.go resourceBody99Percentile */
export const streamWindow = 256 * 1024;

/** The connection of a stream, as the stream sees it. */
export interface ServerStreamConnection {
  readonly copies: ChunkCopies;
  sendHead(id: number, status: number, headers: ResponseHeaders, ends: boolean): void;
  /** Sends as much of the bytes, from `from` on, as may be sent now, and copies it. Returns the index of the first byte that was not sent. */
  sendData(stream: ServerStream, bytes: Buffer, from: number, ends: boolean): number;
  /** Sends a RST_STREAM, and closes the stream. */
  resetStream(stream: ServerStream, code: number): void;
  /** Closes a stream whose answer was sent completely. */
  answered(stream: ServerStream): void;
  /** The answer of a stream is complete, and waits for the client. */
  waits(stream: ServerStream): void;
  /** Counts received bytes that are processed, for the window of the connection. */
  release(bytes: number): void;
  /** Lets the client send so many more bytes on the stream. */
  renew(stream: ServerStream, bytes: number): void;
}

const none = Buffer.alloc(0);

/** hot: one request and its answer on a connection. */
export class ServerStream implements ResponseStream, SendingStream {
  readonly id: number;
  readonly body: IncomingBody;
  readonly #connection: ServerStreamConnection;
  readonly #slot = new DrainSlot();
  #onClose: (() => void)[] | undefined;
  allowance = 0;
  /** The window for the request's body; undefined when the request has none. */
  readonly #window: ReceiveWindow | undefined;
  /** Bytes of the body so far. */
  received = 0;
  /** The Content-Length of the request. */
  readonly declared: number | undefined;
  /** Chunks that could not be sent yet: the first one from `#from` on. */
  #queue: Buffer[] = [];
  #from = 0;
  /** No chunk follows the queue. */
  isEnded = false;
  closed = false;

  constructor(connection: ServerStreamConnection, id: number, hasBody: boolean, declared: number | undefined) {
    this.id = id;
    this.#connection = connection;
    this.declared = declared;
    this.#window = hasBody ? new ReceiveWindow(streamWindow, streamWindow / 2) : undefined;
    this.body = new IncomingBody(!hasBody, bytes => this.#release(bytes));
  }

  get hasQueue(): boolean {
    return this.#queue.length > 0;
  }

  /** The bytes of the answer that the client does not accept. */
  get unwanted(): number {
    return this.#queue.reduce((sum, { length }) => sum + length, -this.#from);
  }

  head(status: number, headers: ResponseHeaders, ends: boolean): void {
    if (this.closed) return;
    this.#connection.sendHead(this.id, status, headers, ends);
    if (ends) this.#complete();
  }

  write(chunk: Buffer): boolean {
    if (this.closed || this.isEnded || chunk.length === 0) return true;
    return this.#send(chunk);
  }

  writeAll(chunks: readonly Buffer[]): boolean {
    return chunks.length === 0 || this.write(this.#connection.copies.joined(chunks));
  }

  /** `last`: the last chunk of the body. */
  end(last: Buffer = none): void {
    if (this.closed || this.isEnded) return;
    this.isEnded = true;
    this.#send(last);
    if (this.hasQueue) this.#connection.waits(this);
  }

  /** Resolves as in ResponseStream. The connection copies what it sends, so that the stream refers to the chunks in its queue alone. */
  drained(): Promise<boolean> {
    if (this.closed || this.#queue.length === 0) return Promise.resolve(!this.closed);
    return this.#slot.wait(defaultStallTimeoutMs, () => this.reset(errorCodes.internal));
  }

  #send(chunk: Buffer): boolean {
    if (this.#queue.length > 0) {
      if (chunk.length > 0) this.#queue.push(chunk);
      return false;
    }
    const from = this.#connection.sendData(this, chunk, 0, this.isEnded);
    if (from < chunk.length) {
      this.#queue.push(chunk);
      this.#from = from;
      return false;
    }
    if (this.isEnded) this.#complete();
    return true;
  }

  flow(): void {
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      this.#from = this.#connection.sendData(this, first, this.#from, this.isEnded && this.#queue.length === 1);
      if (this.#from < first.length) return;
      this.#queue.shift();
      this.#from = 0;
    }
    if (this.isEnded) this.#complete();
    this.#slot.wake(true);
  }

  #complete(): void {
    this.isEnded = true;
    this.#connection.answered(this);
  }

  reset(code: number): void {
    if (!this.closed) this.#connection.resetStream(this, code);
  }

  onClose(listener: () => void): void {
    (this.#onClose ??= []).push(listener);
  }

  /** Called by the connection: nothing more is sent or received. Listeners are notified at the end of the turn. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#queue = [];
    this.body.breakOff();
    this.body.leave();
    this.#slot.wake(false);
  }

  notifyClosed(): void {
    const listeners = this.#onClose;
    this.#onClose = undefined;
    for (const listener of listeners ?? []) listener();
  }

  /** Called by the connection for a part of the body. `length`: bytes of the window that it takes. Returns an error code, or `none`. */
  receive(content: Buffer, length: number): number {
    this.received += content.length;
    if (this.#window?.receive(length) !== true) return errorCodes.flowControl;
    if (this.declared !== undefined && this.received > this.declared) return errorCodes.protocol;
    if (length > content.length) this.#release(length - content.length);
    if (content.length > 0) this.body.push(content);
    return errorCodes.none;
  }

  #release(bytes: number): void {
    this.#connection.release(bytes);
    if (this.closed || this.body.isComplete) return;
    const due = this.#window?.release(bytes) ?? 0;
    if (due > 0) this.#connection.renew(this, due);
  }
}
