/**
 * One TLS port for HTTP/2 and HTTP/1.1. The TLS server only shakes hands; what ALPN agreed on decides whether the socket goes to the
 * HTTP/2 server (bare `stream` events: the compatibility layer of node:http2 costs a third) or to fastify's HTTP/1.1 server.
 */
import { once } from 'node:events';
import http from 'node:http';
import http2, { type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import fastify from 'fastify';
import type { Exchange, Peer } from '../interface.js';
import { Http1Exchange } from './exchange-h1.js';
import { Http2Exchange } from './exchange-h2.js';
import { closeGracefully } from './graceful-close.js';
import { stallTimeout } from './response-stream.js';
import { stalls } from './stalls.js';

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly certificate: string; // PEM, with intermediates
  readonly key: string; // PEM
  /** PEM of the authorities whose client certificates are asked for; named to clients in the handshake. */
  readonly clientAuthorities: string | undefined;
  /** A TLS handshake failed. */
  readonly onHandshakeError?: () => void;
  /** Sockets beyond this number are refused. */
  readonly maxConnections?: number;
  /** Milliseconds after which a client that reads nothing of what waits for it is cut off. */
  readonly stallTimeout?: number;
  /** Milliseconds that the headers of a request may take (HTTP/1.1). */
  readonly headersTimeout?: number;
  readonly serve: (exchange: Exchange) => void;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Goes on, but asks HTTP/1.1 clients to come back over a new connection, which may lead elsewhere. */
  retire(): void;
  /** Takes no new connections, tells clients to go elsewhere (GOAWAY, `Connection: close`). Resolves when the last connection is gone. */
  drain(): Promise<void>;
  /** Ends what is left of the connections. */
  close(): Promise<void>;
  /** Replaces the certificate for new connections. */
  renew(certificate: string, key: string): void;
}

const maxHeaderSize = 1 << 20; // as net/http DefaultMaxHeaderBytes

/** as apiserver/pkg/server/secure_serving.go: what one client may have open, and how much it may send ahead. */
const http2Settings = {
  maxConcurrentStreams: 250,
  initialWindowSize: 256 * 1024,
  maxFrameSize: 256 * 1024,
  maxHeaderListSize: maxHeaderSize,
};

/**
 * A session may hold this many MB of responses that its client does not read yet. With node's default of 10 a few large
 * answers at once on one connection end in ENHANCE_YOUR_CALM.
 */
const maxSessionMemory = 1000;

const handshakeTimeout = 10_000;
const usualHeadersTimeout = 32_000; // as secure_serving.go ReadHeaderTimeout
const idleTimeout = 90_000; // as secure_serving.go IdleTimeout

const byteRefusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** An answer to what is no request. as net/http server.go, whose words these are */
function refuseBytes(socket: Duplex, code: string): void {
  if (!socket.writable) return void socket.destroy();
  const line = byteRefusals[code] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${line}`);
  socket.resume(); // a close with unread bytes would take the answer with it
  setTimeout(() => socket.destroy(), 1000).unref();
}

/** An answer to who speaks HTTP where HTTPS is spoken. as net/http server.go, whose words these are */
function refusePlain(handshake: tls.TLSSocket): void {
  // What the handshake was about to go over; of it there is no public word.
  const { _parent: plain } = handshake as { readonly _parent?: Socket };
  if (!plain?.writable) return;
  plain.on('error', () => undefined);
  plain.end('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
}

function peerOf(socket: tls.TLSSocket): Peer {
  return { certificate: socket.getPeerCertificate(false).raw, address: socket.remoteAddress ?? '' };
}

/** Opens the port and serves until closed. Rejects with the system's error when the port cannot be had. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const peers = new WeakMap<object, Peer>();
  const sockets = new Set<tls.TLSSocket>();
  const sessions = new Set<http2.ServerHttp2Session>();
  let draining = false;
  const { headersTimeout = usualHeadersTimeout } = options;
  const stalled = stalls(options.stallTimeout ?? stallTimeout, idleTimeout, () => performance.now());
  const peerAt = (socket: object): Peer => peers.get(socket) ?? { certificate: undefined, address: '' };

  const app = fastify({
    exposeHeadRoutes: false,
    forceCloseConnections: false,
    clientErrorHandler: (error, socket) => refuseBytes(socket, error.code),
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      options.serve(new Http1Exchange(request.raw, reply.raw, peerAt(request.raw.socket)));
    },
    serverFactory: handler => {
      const server = http.createServer(
        {
          keepAliveTimeout: idleTimeout,
          headersTimeout,
          connectionsCheckingInterval: headersTimeout / 8,
          requestTimeout: 0,
          maxHeaderSize,
        },
        handler,
      );
      server.on('upgrade', upgrade);
      return server;
    },
  });
  for (const method of http.METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  // Before fastify looks at the headers of the body: bodies are read, and judged, by those who want them.
  app.addHook('onRequest', (request, reply) => {
    reply.hijack();
    if (draining) reply.raw.setHeader('connection', 'close');
    options.serve(new Http1Exchange(request.raw, reply.raw, peerAt(request.raw.socket)));
  });
  app.all('*', (_request, reply) => reply);

  function upgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    const response = new http.ServerResponse(request);
    response.assignSocket(socket as Socket);
    response.shouldKeepAlive = false; // it is no longer read for requests
    socket.on('error', () => undefined);
    options.serve(new Http1Exchange(request, response, peerAt(socket), { request, socket, head }));
  }

  const h2 = http2.createServer({ settings: http2Settings, maxSessionMemory });
  /** Of the socket that is being handed to the HTTP/2 server, which makes its session before `emit` returns. */
  let arriving: Peer | undefined;
  h2.on('session', session => {
    if (arriving) peers.set(session, arriving);
    sessions.add(session);
    closeGracefully(session);
    stalled.session(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined); // a client that broke off
  });
  h2.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, raw: string[]) => {
    if (stream.session) stalled.stream(stream.session as http2.ServerHttp2Session, stream);
    options.serve(new Http2Exchange(stream, headers, raw, flags, peerAt(stream.session ?? stream)));
  });
  await app.ready();

  const secure: tls.TlsOptions = {
    cert: options.certificate,
    key: options.key,
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1.2',
    requestCert: true,
    rejectUnauthorized: false, // authenticators decide: an unknown certificate is no reason to hang up
    handshakeTimeout,
    ...(options.clientAuthorities === undefined ? {} : { ca: options.clientAuthorities }),
  };
  const front = tls.createServer(secure, socket => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const peer = peerOf(socket);
    peers.set(socket, peer);
    arriving = peer;
    if (socket.alpnProtocol !== 'h2') stalled.socket(socket);
    (socket.alpnProtocol === 'h2' ? h2 : app.server).emit('connection', socket);
    arriving = undefined;
  });
  front.on('tlsClientError', (error: NodeJS.ErrnoException, socket: tls.TLSSocket) => {
    options.onHandshakeError?.(); // port scans and impatient clients
    if (error.code === 'ERR_SSL_HTTP_REQUEST') refusePlain(socket);
  });
  front.maxConnections = options.maxConnections ?? 20_000;
  front.listen({ host: options.host, port: options.port });
  await once(front, 'listening');
  app.server.emit('listening'); // starts the sweep over idle connections
  const address = front.address() as AddressInfo;

  return {
    host: options.host,
    port: address.port,
    renew: (cert, key) => front.setSecureContext({ ...secure, cert, key }),
    retire: () => {
      draining = true;
    },
    drain: async () => {
      draining = true;
      const closed = once(front, 'close');
      front.close();
      for (const session of sessions) session.close();
      // Connections become idle when their last answer is through.
      const sweep = setInterval(() => app.server.closeIdleConnections(), 20);
      app.server.closeIdleConnections();
      await closed;
      clearInterval(sweep);
    },
    close: async () => {
      draining = true;
      front.close();
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      await app.close();
      stalled.close();
    },
  };
}
