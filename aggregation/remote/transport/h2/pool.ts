import type { TLSSocket } from 'node:tls';
import { maxWaiting } from '../../limits.js';
import type { AnswerHandler, Pool, PoolRequest } from '../pool.js';
import { alreadyClosed, closedByServer, connectTimeout, destroyed, tooManyWait } from '../transport-error.js';
import { requestFields } from './request-fields.js';
import { RequestStream, type StreamOwner } from './request-stream.js';
import { RequestSession, type SessionLimits } from './session.js';

/** Connects to the server, with TLS. */
export type Connect = (done: (error: Error | undefined, socket: TLSSocket | undefined) => void) => void;

export interface Http2PoolOptions extends SessionLimits {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly connect: Connect;
  /** Milliseconds from the handshake until the settings of the server. */
  readonly settingsMs: number;
  /** Connections at a time, if requests without long answers need them. */
  readonly maxConnections: number;
  /** Connections at a time, if requests with long answers need them. */
  readonly maxLongConnections: number;
  /** Requests without long answers at a time. */
  readonly maxRequests: number;
  /** Called when the server has not agreed on HTTP/2, with the socket of HTTP/1.1, and with what waits. */
  readonly onHttp1: (socket: TLSSocket, waiting: readonly RequestStream[]) => void;
}

/** Milliseconds until the next attempt to open a further connection after a failed one. */
const pauseMs = 1000;

/**
 * The HTTP/2 connections to one server. A request goes to the first one that has a free stream. If none has, another connection is opened, up to the
 * limit, and the request waits.
 */
export class Http2Pool implements Pool, StreamOwner {
  readonly #options: Http2PoolOptions;
  readonly #authority: string;
  /** The sessions that take requests. */
  readonly #open: RequestSession[] = [];
  /** All sessions: those that are retired finish their requests. */
  readonly #sessions = new Set<RequestSession>();
  /** Requests that wait, in their order: without long answers, and with them. */
  readonly #requests: RequestStream[] = [];
  readonly #long: RequestStream[] = [];
  /** All requests that have not ended. */
  readonly #streams = new Set<RequestStream>();
  /** The number of requests without long answers that were sent. */
  #running = 0;
  #isConnecting = false;
  /** Runs while no further connection is opened, since one has failed. */
  #pause: NodeJS.Timeout | undefined;
  /** The error of further requests. */
  #ended: Error | undefined;
  #isDestroyed = false;
  /** The server has agreed on HTTP/2. */
  #isAgreed = false;
  #closed: (() => void) | undefined;

  constructor(options: Http2PoolOptions) {
    this.#options = options;
    this.#authority = new URL(options.origin).host;
  }

  dispatch(request: PoolRequest, handler: AnswerHandler): void {
    const stream = this.#streamOf(request, handler);
    if (stream === undefined) return;
    this.#streams.add(stream);
    handler.onRequestStart(stream);
    if (stream.isOver) return;
    const queue = this.#queueOf(stream);
    if (queue.length >= this.#maxWaiting(request)) return stream.abort(tooManyWait(this.#authority));
    queue.push(stream);
    this.#flow();
  }

  occupiesConnection(): boolean {
    return !this.#isAgreed;
  }

  /** Returns how many requests may wait. `Connection` counts those of which only a number is sent at a time, since it does so for HTTP/1.1, too. */
  #maxWaiting({ isLong }: PoolRequest): number {
    return isLong || this.#options.maxRequests === Infinity ? maxWaiting : Infinity;
  }

  /** Returns the stream of a request; undefined when it is refused. */
  #streamOf(request: PoolRequest, handler: AnswerHandler): RequestStream | undefined {
    const refused = { abort: () => undefined, pause: () => undefined, resume: () => undefined };
    try {
      if (this.#ended !== undefined) throw this.#ended;
      return new RequestStream(this, request, requestFields(request), handler);
    } catch (error) {
      handler.onResponseError(refused, error as Error);
      return undefined;
    }
  }

  #queueOf({ request }: RequestStream): RequestStream[] {
    return request.isLong ? this.#long : this.#requests;
  }

  /** Sends what may be sent, and connects if more waits. */
  #flow(): void {
    while (this.#running < this.#options.maxRequests && this.#sendFirst(this.#requests, false)) this.#running++;
    while (this.#sendFirst(this.#long, true));
    const { maxConnections, maxLongConnections, maxRequests } = this.#options;
    const { length } = this.#open;
    // A server that allows no streams would be connected again and again for the same requests. They wait: it may allow some, or the session ends.
    if (this.#open.some(session => session.allowsNone)) return;
    const isNeeded =
      (this.#requests.length > 0 && this.#running < maxRequests && length < maxConnections) ||
      (this.#long.length > 0 && length < maxLongConnections);
    if (isNeeded && !this.#isConnecting && (length === 0 || this.#pause === undefined)) this.#connect();
  }

  /** Sends the first of the waiting requests. Returns false when none waits, or none may begin. */
  #sendFirst(waiting: RequestStream[], isLong: boolean): boolean {
    if (waiting.length === 0) return false;
    const session = this.#open.find(one => one.hasRoom(isLong));
    const stream = session && waiting.shift();
    if (stream === undefined) return false;
    session?.begin(stream);
    return true;
  }

  #connect(): void {
    this.#isConnecting = true;
    this.#options.connect((error, socket) => {
      if (socket?.alpnProtocol === 'h2' && !this.#isDestroyed) return this.#start(socket);
      this.#isConnecting = false;
      if (socket === undefined) return this.#failed(error ?? closedByServer());
      if (this.#isDestroyed) return void socket.destroy();
      this.#options.onHttp1(socket, [...this.#requests.splice(0), ...this.#long.splice(0)]);
    });
  }

  #start(socket: TLSSocket): void {
    this.#isAgreed = true;
    const { streamWindow, window, settingsMs } = this.#options;
    const late = connectTimeout(this.#authority, settingsMs);
    const timer = setTimeout(() => session.close(late), settingsMs);
    let isReady = false;
    const session: RequestSession = new RequestSession({
      ...{ socket, streamWindow, window, authority: this.#authority },
      ready: () => {
        clearTimeout(timer);
        isReady = true;
        this.#isConnecting = false;
        this.#open.push(session);
      },
      freed: () => this.#flow(),
      retired: () => this.#removeOpen(session),
      closed: error => {
        clearTimeout(timer);
        this.#sessions.delete(session);
        if (!isReady) this.#isConnecting = false;
        // A server that accepts connections and serves nothing must not be connected again and again for the same requests.
        if (session.served === 0) this.#failed(error);
        else this.#flow();
      },
    });
    this.#sessions.add(session);
  }

  #removeOpen(session: RequestSession): void {
    const index = this.#open.indexOf(session);
    if (index >= 0) this.#open.splice(index, 1);
  }

  /** Fails the requests that wait for a connection, unless there is another one. */
  #failed(error: Error): void {
    if (this.#isDestroyed) return;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#endPause(), pauseMs).unref();
    // What waits may get a stream of another connection; after the pause a further one is tried.
    if (this.#open.length > 0 || this.#isConnecting) return;
    for (const stream of [...this.#requests, ...this.#long]) stream.abort(error);
  }

  #endPause(): void {
    this.#pause = undefined;
    this.#flow();
  }

  retry(stream: RequestStream): void {
    if (!stream.request.isLong) this.#running--;
    this.#queueOf(stream).unshift(stream);
    // The connection may be about to fail its other requests.
    setImmediate(() => this.#flow());
  }

  ended(stream: RequestStream): void {
    this.#streams.delete(stream);
    if (!stream.isBegun) {
      const queue = this.#queueOf(stream);
      const index = queue.indexOf(stream);
      if (index >= 0) queue.splice(index, 1);
    } else if (!stream.request.isLong) {
      this.#running--;
      if (this.#requests.length > 0) this.#flow();
    }
    if (this.#streams.size === 0) this.#closed?.();
  }

  async close(): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    this.#ended = alreadyClosed();
    if (this.#streams.size > 0) await new Promise<void>(resolve => (this.#closed = resolve));
    await this.destroy();
  }

  destroy(): Promise<void> {
    const error = destroyed();
    this.#ended = error;
    this.#isDestroyed = true;
    clearTimeout(this.#pause);
    for (const stream of [...this.#streams]) stream.abort(error);
    for (const session of [...this.#sessions]) session.close(error);
    return Promise.resolve();
  }
}
