import process from 'node:process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Lane } from '../../../lib/turn-queue.js';
import type { HttpExchange, Peer, ResponseHeaders, ResponseStream, Upgrade } from '../../interface.js';
import { carriesBody, declaredLength, readBody, streamBody } from '../body.js';
import { chunkedTarget } from './chunked.js';
import type { ClientConnection } from '../connections/client-connection.js';
import { WritableResponse } from '../response-stream.js';

/** The scheme and host before the path of a request in absolute form, which clients send to proxies (RFC 9112, 3.2.2). */
const absoluteForm = /^https?:\/\/[^/?]*/i;

/** Drops what the client of a refused upgrade sends, and disconnects it when it leaves, as Node does with those of other requests. */
function readToEnd(socket: Duplex): void {
  socket.once('end', () => socket.destroy()).resume();
}

/** hot: one request over HTTP/1.1, and its answer. */
export class Http1Exchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly protocol = 'HTTP/1.1';
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #connection: ClientConnection;
  #upgrade: Upgrade | undefined;
  #answered = false;
  #onAnswer: ((status: number) => void) | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, connection: ClientConnection, upgrade?: Upgrade) {
    const target = request.url ?? '/';
    const url = target.startsWith('/') ? target : target.replace(absoluteForm, '') || '/';
    const queryStart = url.indexOf('?');
    this.method = request.method ?? 'GET';
    this.path = queryStart < 0 ? url : url.slice(0, queryStart);
    this.query = queryStart < 0 ? '' : url.slice(queryStart + 1);
    this.headers = request.headers;
    this.rawHeaders = request.rawHeaders;
    this.#connection = connection;
    this.#request = request;
    this.#response = response;
    this.#upgrade = upgrade;
  }

  get peer(): Peer {
    return this.#connection.peer;
  }

  get lane(): Lane {
    return this.#connection.lane;
  }

  get answered(): boolean {
    return this.#answered;
  }

  get upgrades(): string | undefined {
    return this.#upgrade && this.#request.headers.upgrade;
  }

  body(limit: number): Promise<Buffer> {
    return readBody(this.#request, this.#bodyLength(), limit);
  }

  incoming(): AsyncIterable<Buffer> | undefined {
    if (this.#bodyLength() === 0) return undefined;
    // What a reader leaves of the body must not keep the connection from its next request, or from noticing that the client is gone.
    this.#response.once('close', () => this.#request.resume());
    return streamBody(this.#request);
  }

  respond(status: number, headers: ResponseHeaders, body: Buffer | undefined): void {
    if (!this.#begin(status)) return;
    if (carriesBody(status)) headers['content-length'] ??= body?.length ?? 0;
    this.#response.writeHead(status, headers);
    this.#response.end(body);
  }

  stream(status: number, headers: ResponseHeaders): ResponseStream {
    const { copies } = this.#connection;
    if (!this.#begin(status)) return new WritableResponse(this.#response, copies);
    this.#response.writeHead(status, headers);
    const { socket } = this.#response;
    // A body that is there already goes with the headers: a write of its own would cost a TLS record and a system call.
    socket?.cork();
    this.#response.flushHeaders();
    process.nextTick(() => socket?.uncork());
    return new WritableResponse(chunkedTarget(this.#response, copies) ?? this.#response, copies);
  }

  abort(): void {
    this.#response.destroy();
  }

  leave(): void {
    this.#response.shouldKeepAlive = false;
  }

  onAnswer(listener: (status: number) => void): void {
    this.#onAnswer = listener;
  }

  onClose(listener: () => void): void {
    if (this.#upgrade) return void this.#upgrade.socket.once('close', listener);
    const { socket } = this.#request;
    const response = this.#response;
    const leave = (): void => {
      response.off('close', leave);
      socket.off('end', leave);
      listener();
    };
    response.once('close', leave);
    if (socket.readableEnded) process.nextTick(leave);
    else socket.once('end', leave);
  }

  takeOver(): Upgrade | undefined {
    if (!this.#upgrade || !this.#begin(101)) return undefined;
    this.#response.detachSocket(this.#request.socket);
    const upgrade = this.#upgrade;
    this.#upgrade = undefined;
    return upgrade;
  }

  /** Returns the length of the request body in bytes; undefined for a chunked one, whose length is not known in advance. */
  #bodyLength(): number | undefined {
    const { headers } = this.#request;
    const length = declaredLength(headers['content-length']);
    return length === undefined && headers['transfer-encoding'] === undefined ? 0 : length;
  }

  /** Marks the request as answered. Returns false when it was answered before (by a deadline), or the client is gone. */
  #begin(status: number): boolean {
    if (this.#answered) return false;
    this.#answered = true;
    this.#onAnswer?.(status);
    if (this.#upgrade && status !== 101) readToEnd(this.#upgrade.socket);
    return !this.#response.destroyed;
  }
}
