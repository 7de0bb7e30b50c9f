/** The HTTP/1.1 server behind the port: that of fastify, of which only the parsing is used. */
import http, { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type tls from 'node:tls';
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import type { HttpExchange } from '../../interface.js';
import type { ClientConnection } from '../connections/client-connection.js';
import { Http1Exchange } from './exchange.js';
import { PipelinedRequests } from './pipelined-requests.js';

interface Http1Options {
  readonly maxHeaderSize: number;
  /** Milliseconds that the headers of a request may take. */
  readonly headersTimeoutMs: number;
  /** Milliseconds that a connection is kept without a request. */
  readonly idleTimeoutMs: number;
  readonly serve: (exchange: HttpExchange) => void;
}

export interface Http1Server {
  /** Serves a connection whose handshake did not agree on HTTP/2. */
  take(socket: tls.TLSSocket, connection: ClientConnection): void;
  /** To be called when the port is open: idle connections are closed from now on. */
  opened(): void;
  /** Answers ask clients to close their connections from now on. */
  leave(): void;
  /** Closes connections without a running request; new ones only when their first request takes longer than `unusedGraceMs`. */
  closeIdle(): void;
  close(): Promise<void>;
}

/**
 * Milliseconds that a new connection has for its first request before it counts as idle.
 * differs: net/http Server.closeIdleConns gives it five seconds, which would delay every stop.
 */
const unusedGraceMs = 500;

const noSchemas = (): never => {
  throw new Error('no route has a schema');
};

/** Replaces fastify's compilers of schemas, which would be loaded at each start and take megabytes. */
const withoutCompilers: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
};

const byteRefusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Lets a server answer the requests of a client that has closed its own side of the connection, and then end the connection. By default, Node ends it at
 * once. Node has no public property for it.
 */
function answersHalfClosed(server: http.Server): void {
  (server as http.Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
}

/** Ends a connection after its last answer. */
function hangUp(socket: Duplex, answer = ''): void {
  socket.end(answer);
  socket.resume(); // Closing a socket with unread bytes would discard the answer.
  setTimeout(() => socket.destroy(), 1000).unref();
}

/** Answers bytes that are no HTTP request. as net/http server.go, also in its text */
function refuseBytes(socket: Duplex, code: string): void {
  if (!socket.writable) return void socket.destroy();
  const line = byteRefusals[code] ?? '400 Bad Request';
  hangUp(socket, `HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${line}`);
}

/**
 * Returns why the Host header of a request is refused; undefined if it is not. With several, this server would use the first one, a proxy before it maybe
 * another one. as net/http server.go readRequest, also in its text
 */
function hostFault({ rawHeaders, httpVersion }: http.IncomingMessage): string | undefined {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) return 'too many Host headers';
  return hosts === 0 && httpVersion === '1.1' ? 'missing required Host header' : undefined;
}

function refuse(response: ServerResponse, status: number, text: string): void {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length, connection: 'close' };
  response.writeHead(status, headers).end(text);
}

/** Answers a request with a bad Host header, and returns whether it had one. */
function refusesHost(request: http.IncomingMessage, response: ServerResponse): boolean {
  const fault = hostFault(request);
  if (fault !== undefined) refuse(response, 400, `400 Bad Request: ${fault}`);
  return fault !== undefined;
}

class FastifyServer implements Http1Server {
  readonly #options: Http1Options;
  readonly #app: FastifyInstance;
  readonly #pipelines = new WeakMap<object, PipelinedRequests>();
  /** Connections without a request so far, and when they were opened. Node counts them as busy. */
  readonly #unused = new Map<Socket, number>();
  #leaving = false;

  constructor(options: Http1Options) {
    this.#options = options;
    this.#app = this.#createApp();
  }

  /** Resolves when connections can be taken. */
  async ready(): Promise<void> {
    await this.#app.ready();
  }

  take(socket: tls.TLSSocket, connection: ClientConnection): void {
    this.#pipelines.set(socket, new PipelinedRequests(socket, connection));
    this.#unused.set(socket, performance.now());
    socket.allowHalfOpen = true;
    socket.once('close', () => this.#unused.delete(socket));
    this.#app.server.emit('connection', socket);
  }

  opened(): void {
    this.#app.server.emit('listening');
  }

  leave(): void {
    this.#leaving = true;
  }

  closeIdle(): void {
    this.#app.server.closeIdleConnections();
    const now = performance.now();
    for (const [socket, since] of this.#unused) if (now - since > unusedGraceMs) socket.destroy();
  }

  close(): Promise<void> {
    return this.#app.close();
  }

  #createApp(): FastifyInstance {
    const app = fastify({
      // `parseQuery` reads the query, as Go does. Parsing it here too would double the work.
      routerOptions: { querystringParser: () => ({}) },
      exposeHeadRoutes: false,
      schemaController: withoutCompilers,
      forceCloseConnections: false,
      clientErrorHandler: (error, socket) =>
        this.#pipelineOf(socket).serveRefusal(() => refuseBytes(socket, error.code)),
      frameworkErrors: (_error, request, reply) => {
        reply.hijack();
        if (!refusesHost(request.raw, reply.raw)) this.#serve(request.raw, reply.raw);
      },
      serverFactory: handler => this.#createServer(handler),
    });
    for (const method of http.METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
    // Runs before fastify checks the headers of the body: the handlers read bodies, and check their types.
    app.addHook('onRequest', (request, reply) => {
      reply.hijack();
      if (refusesHost(request.raw, reply.raw)) return;
      if (this.#leaving) reply.raw.setHeader('connection', 'close');
      this.#serve(request.raw, reply.raw);
    });
    app.all('*', (_request, reply) => reply);
    return app;
  }

  /** Creates the parser of requests, which runs those of one connection in their order. */
  #createServer(handler: http.RequestListener): http.Server {
    const { maxHeaderSize, headersTimeoutMs, idleTimeoutMs } = this.#options;
    const settings: http.ServerOptions = {
      keepAliveTimeout: idleTimeoutMs,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: headersTimeoutMs / 8,
      requestTimeout: 0,
      requireHostHeader: false, // Node would answer by itself, even before the answers to earlier requests of the connection.
      maxHeaderSize,
    };
    const server = http.createServer(settings, (request, response) => {
      this.#unused.delete(request.socket);
      this.#pipelineOf(request.socket).serve(request, response, () => handler(request, response));
    });
    answersHalfClosed(server);
    // Node would write the 100 when it has parsed the headers, and tell the writer of a former answer that its client has caught up.
    server.on('checkContinue', (request: http.IncomingMessage, response: ServerResponse) => {
      this.#unused.delete(request.socket);
      this.#pipelineOf(request.socket).serve(request, response, () => {
        response.writeContinue();
        handler(request, response);
      });
    });
    // as net/http server.go sendExpectationFailed
    server.on('checkExpectation', (request: http.IncomingMessage, response: ServerResponse) =>
      this.#pipelineOf(request.socket).serve(request, response, () => refuse(response, 417, '')),
    );
    server.on('upgrade', (request: http.IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.allowHalfOpen = false;
      this.#unused.delete(request.socket);
      socket.on('error', () => undefined);
      this.#pipelineOf(request.socket).serveUpgrade(() => this.#upgrade(request, socket, head));
    });
    return server;
  }

  #pipelineOf(socket: Duplex): PipelinedRequests {
    const pipeline = this.#pipelines.get(socket);
    if (!pipeline) throw new Error('a request on a connection that was never taken');
    return pipeline;
  }

  #serve(request: http.IncomingMessage, response: http.ServerResponse): void {
    this.#options.serve(new Http1Exchange(request, response, this.#pipelineOf(request.socket).connection));
  }

  #upgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    const response = new ServerResponse(request);
    response.assignSocket(socket as Socket);
    response.shouldKeepAlive = false; // No further requests are read from it.
    response.once('finish', () => hangUp(socket)); // It is not upgraded.
    if (refusesHost(request, response)) return;
    const { connection } = this.#pipelineOf(request.socket);
    this.#options.serve(new Http1Exchange(request, response, connection, { request, socket, head }));
  }
}

/** Creates the HTTP/1.1 server of a port. It has no socket of its own. */
export async function http1Server(options: Http1Options): Promise<Http1Server> {
  const server = new FastifyServer(options);
  await server.ready();
  return server;
}
