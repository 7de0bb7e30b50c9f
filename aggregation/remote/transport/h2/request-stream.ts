import type { ClientStream } from '../../../../lib/http2/client-session.js';
import { errorCodes, StreamError } from '../../../../lib/http2/error.js';
import type { HeaderField } from '../../../../lib/http2/hpack.js';
import { ReceiveWindow } from '../../../../lib/http2/receive-window.js';
import { ByteCollector } from '../../byte-collector.js';
import type { AnswerHandler, PoolRequest, RequestController } from '../pool.js';
import { bodyTimeout, closedByServer, headersTimeout, malformed, transportError } from '../transport-error.js';
import { answerHead } from './answer-head.js';
import { RequestBody } from './request-body.js';

/** The connection of a request, as its stream sees it. */
export interface StreamConnection {
  /** Bytes that the server may send on a stream before they have been read. */
  readonly streamWindow: number;
  /** Counts what was received from the server. */
  readonly received: number;
  sendData(stream: RequestStream, bytes: Buffer, from: number, ends: boolean): number;
  /** Resets the stream. */
  cancel(stream: RequestStream, code?: number): void;
  /** Lets the server send so many more bytes on the stream. */
  renew(stream: RequestStream, bytes: number): void;
  /** Lets the server send so many more bytes on the connection. */
  release(bytes: number): void;
  /** Counts a request that has ended, or is sent on another connection. */
  ended(stream: RequestStream): void;
  /** Takes no more requests. */
  retire(): void;
}

/** The pool that a request belongs to. */
export interface StreamOwner {
  /** Sends a request anew that the server has not processed. */
  retry(stream: RequestStream): void;
  /** Called when the request has ended, which may never have been sent. */
  ended(stream: RequestStream): void;
}

/** Attempts of a request that servers refuse without processing it. */
const maxAttempts = 3;

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const hasNoBody = (method: string, status: number): boolean => method === 'HEAD' || status === 204 || status === 304;

/**
 * One request over HTTP/2 and its answer. What arrives while the handler has paused is held, and the server may not send more than the window of the
 * stream: a slow reader delays no other stream.
 */
export class RequestStream implements ClientStream, RequestController {
  id = 0;
  allowance = 0;
  readonly request: PoolRequest;
  /** The headers of the request: name in lower case, value, name, value. */
  readonly fields: readonly string[];
  readonly #handler: AnswerHandler;
  readonly #owner: StreamOwner;
  #connection: StreamConnection | undefined;
  #attempts = 0;
  readonly #body: RequestBody;
  #window: ReceiveWindow | undefined;
  #status = 0;
  /** The Content-Length of the answer, and the bytes of it that have come. */
  #declared: number | undefined;
  #received = 0;
  #isPaused = false;
  readonly #held = new ByteCollector();
  /** Bytes of the windows that the held bytes take. */
  #heldLength = 0;
  /** The server has sent everything, some of which may be held. */
  #isComplete = false;
  #isOver = false;
  readonly #timer: NodeJS.Timeout | undefined;
  #receivedBefore = 0;

  constructor(owner: StreamOwner, request: PoolRequest, fields: readonly string[], handler: AnswerHandler) {
    this.#owner = owner;
    this.request = request;
    this.fields = fields;
    this.#handler = handler;
    this.#body = new RequestBody(this, request.body);
    const { timeoutMs } = request;
    this.#timer = timeoutMs > 0 ? setTimeout(() => this.#timeOut(), timeoutMs) : undefined;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The request is sent, or was. */
  get isBegun(): boolean {
    return this.#connection !== undefined;
  }

  /** Returns whether the request has a body. */
  get hasBody(): boolean {
    return !this.#body.isEmpty;
  }

  /** Sends the body. The headers were sent on this connection. */
  begin(connection: StreamConnection): void {
    this.#connection = connection;
    this.#attempts++;
    this.#receivedBefore = connection.received;
    this.#window = new ReceiveWindow(connection.streamWindow, connection.streamWindow / 2);
    this.#body.begin();
  }

  /** Ends the request for another protocol, which gets the request and the handler. */
  handOver(): AnswerHandler {
    this.#end();
    return this.#handler;
  }

  // The methods for sending.

  get isSent(): boolean {
    return this.#body.isSent;
  }

  get hasQueue(): boolean {
    return this.#body.hasQueue;
  }

  flow(): void {
    this.#body.flow();
  }

  /** Sends as much as may be sent now, from `from` on. Returns the index of the first byte that was not sent. */
  send(bytes: Buffer, from: number, ends: boolean): number {
    return this.#connection?.sendData(this, bytes, from, ends) ?? from;
  }

  // The methods for the handler.

  abort(reason: Error): void {
    if (this.#isOver) return;
    if (!this.#isComplete) this.#connection?.cancel(this);
    this.#fail(reason);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (this.#isOver || !this.#isPaused) return;
    this.#isPaused = false;
    if (this.#held.length > 0) {
      const length = this.#heldLength;
      this.#heldLength = 0;
      const error = this.#deliver(this.#held.take(), length);
      if (error !== undefined) return this.abort(error);
    }
    // The handler may have paused again.
    if (this.#isComplete && !this.#waits) this.#finish();
  }

  /** The handler does not take the rest now. */
  get #waits(): boolean {
    return this.#isPaused && this.#held.length > 0;
  }

  // The methods for received frames.

  headers(fields: readonly HeaderField[], ends: boolean): Error | undefined {
    // Trailers have no meaning in the API of Kubernetes.
    if (this.#status > 0) return ends ? undefined : malformed('headers within the body');
    const head = answerHead(fields);
    if (head === undefined) return malformed('its headers are invalid');
    const { status, headers, length } = head;
    if (status === 101 || (status < 200 && ends)) return malformed(`status ${status}`);
    if (status >= 200) {
      this.#status = status;
      if (!hasNoBody(this.request.method, status)) this.#declared = length;
      this.#timer?.refresh();
    }
    try {
      this.#handler.onResponseStart(this, status, headers);
      return undefined;
    } catch (error) {
      return errorOf(error);
    }
  }

  /** hot: every DATA frame of an answer. */
  data(content: Buffer, length: number): Error | undefined {
    if (this.#window?.receive(length) !== true || this.#status === 0) {
      this.#connection?.release(length);
      return malformed(this.#status === 0 ? 'a body without headers' : 'more data than allowed');
    }
    this.#received += content.length;
    if (this.#declared !== undefined && this.#received > this.#declared) {
      this.#connection?.release(length);
      return malformed('it is longer than its Content-Length');
    }
    // Empty frames, and those of padding alone, do not keep the request alive.
    if (content.length > 0) this.#timer?.refresh();
    if (this.#isPaused) {
      this.#held.append(content);
      this.#heldLength += length;
      return undefined;
    }
    return this.#deliver(content, length);
  }

  #deliver(content: Buffer, length: number): Error | undefined {
    this.#release(length);
    if (content.length === 0) return undefined;
    try {
      this.#handler.onResponseData(this, content);
      return undefined;
    } catch (error) {
      return errorOf(error);
    }
  }

  #release(length: number): void {
    this.#connection?.release(length);
    const due = this.#window?.release(length) ?? 0;
    if (due > 0) this.#connection?.renew(this, due);
  }

  complete(): void {
    this.#isComplete = true;
    if (!this.#waits) this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    if (this.#status === 0) return this.#fail(malformed('no headers'));
    if (this.#declared !== undefined && this.#received < this.#declared) return this.#fail(closedByServer());
    this.#end();
    this.#handler.onResponseEnd();
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    const isRefused = error instanceof StreamError && error.refused && this.#status === 0;
    if (!isRefused || this.#attempts >= maxAttempts || !this.#body.rewind()) return this.#fail(transportError(error));
    this.id = 0;
    this.allowance = 0;
    this.#connection?.ended(this);
    this.#connection = undefined;
    this.#owner.retry(this);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    if (this.#heldLength > 0) this.#connection?.release(this.#heldLength);
    this.#heldLength = 0;
    this.#held.take();
    this.#end();
    this.#handler.onResponseError(this, error);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#body.end();
    this.#connection?.ended(this);
    this.#owner.ended(this);
  }

  #timeOut(): void {
    if (this.#isPaused) return void this.#timer?.refresh();
    const connection = this.#connection;
    this.abort(this.#status === 0 ? headersTimeout() : bodyTimeout());
    // Nothing at all was received since: later requests get another connection.
    if (connection?.received === this.#receivedBefore) connection.retire();
  }

  /** Resets the stream because its request cannot be sent. */
  breakOff(reason: Error): void {
    if (this.#isOver) return;
    if (!this.#isComplete) this.#connection?.cancel(this, errorCodes.internal);
    this.#fail(reason);
  }
}
