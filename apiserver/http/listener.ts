/**
 * One TLS port for HTTP/2 and HTTP/1.1. The TLS server only does the handshakes; the protocol that ALPN has agreed on decides which of the
 * two servers gets the socket.
 */
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { IndexedSet } from '../../lib/collections/indexed-set.js';
import { TurnQueue } from '../../lib/turn-queue.js';
import type { HttpExchange } from '../interface.js';
import { peerOf } from './peer.js';
import { stallTimeout } from './response-stream.js';
import { http1Server } from './server-h1.js';
import { http2Server } from './h2/server.js';
import { dropStalledClients } from './stalled-clients.js';

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly certificate: string; // PEM, with intermediates
  readonly key: string; // PEM
  /** PEM of the certificate authorities that are sent to clients in the handshake as acceptable for client certificates. */
  readonly clientAuthorities: string | undefined;
  /** Called when a TLS handshake fails. */
  readonly onHandshakeError?: () => void;
  /** Sockets beyond this number are refused. */
  readonly maxConnections?: number;
  /** Milliseconds after which a client that does not read any of its pending data is disconnected. */
  readonly stallTimeout?: number;
  /** Milliseconds that the headers of a request may take (HTTP/1.1). */
  readonly headersTimeout?: number;
  readonly serve: (exchange: HttpExchange) => void;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Keeps serving, but answers HTTP/1.1 clients with `Connection: close`: a new connection may reach another server. */
  retire(): void;
  /** Accepts no new connections and asks clients to disconnect (GOAWAY, `Connection: close`). Resolves when the last connection is closed. */
  drain(): Promise<void>;
  /** Closes the remaining connections. */
  close(): Promise<void>;
  /** Closes the port and all connections at once, until `resume`. */
  pause(): void;
  /** Opens the port again after `pause`. Rejects with the system's error when another process has taken it. */
  resume(): Promise<void>;
  /** Replaces the certificate for new connections. */
  renew(certificate: string, key: string): void;
}

const maxHeaderSize = 1 << 20; // as net/http DefaultMaxHeaderBytes
const handshakeTimeout = 10_000;
const defaultHeadersTimeout = 32_000; // as secure_serving.go ReadHeaderTimeout
const idleTimeout = 90_000; // as secure_serving.go IdleTimeout
const defaultConnections = 20_000;
/** Milliseconds between two checks for connections that have become idle. */
const drainInterval = 20;

/** Answers a client that sent HTTP to the HTTPS port. as net/http server.go, also in its text */
function refusePlain(handshake: tls.TLSSocket): void {
  // The TCP socket of the handshake. Node has no public property for it.
  const { _parent: plain } = handshake as { readonly _parent?: Socket };
  if (!plain?.writable) return;
  plain.on('error', () => undefined);
  plain.end('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
}

const secureContext = ({ certificate, key, clientAuthorities }: ListenerOptions): tls.TlsOptions => ({
  cert: certificate,
  key,
  ALPNProtocols: ['h2', 'http/1.1'],
  minVersion: 'TLSv1.2',
  requestCert: true,
  rejectUnauthorized: false, // the authenticators decide about unknown certificates
  handshakeTimeout,
  ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities }),
});

/** Opens the port and serves until it is closed. Rejects with the system's error when the port is not available. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { headersTimeout = defaultHeadersTimeout, serve } = options;
  const sockets = new IndexedSet<tls.TLSSocket>();
  const turns = new TurnQueue();
  let draining = false;
  let paused = false;
  const clock = () => performance.now();
  const stalled = dropStalledClients(options.stallTimeout ?? stallTimeout, idleTimeout, clock);
  const h1 = await http1Server({ maxHeaderSize, headersTimeout, idleTimeout, isLeaving: () => draining, serve });
  const h2 = http2Server({ maxHeaderSize, clock, stalled, serve });

  const secure = secureContext(options);
  const handshakes = tls.createServer(secure, socket => {
    if (paused) return void socket.destroy(); // Its handshake began before the pause.
    const registration = sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => registration.remove());
    socket.on('error', () => socket.destroy());
    const connection = { peer: peerOf(socket), lane: turns.lane() };
    if (socket.alpnProtocol === 'h2') return h2.take(socket, connection);
    stalled.socket(socket);
    h1.take(socket, connection);
  });
  handshakes.on('tlsClientError', (error: NodeJS.ErrnoException, socket: tls.TLSSocket) => {
    options.onHandshakeError?.(); // port scans and impatient clients
    if (error.code === 'ERR_SSL_HTTP_REQUEST') refusePlain(socket);
  });
  // The handshake begins when the socket is read. All connections that wait for it would begin theirs in one turn of the event loop.
  const portServer = net.createServer({ pauseOnConnect: true }, socket => {
    socket.on('error', () => socket.destroy());
    turns.lane().run(() => handshakes.emit('connection', socket));
  });
  portServer.maxConnections = options.maxConnections ?? defaultConnections;
  portServer.listen({ host: options.host, port: options.port });
  await once(portServer, 'listening');
  h1.opened();
  const { port } = portServer.address() as AddressInfo;
  const disconnectAll = (): void => {
    for (const session of h2.sessions.values()) session.destroy();
    for (const socket of sockets.values()) socket.destroy();
  };

  return {
    host: options.host,
    port,
    renew: (cert, key) => handshakes.setSecureContext({ ...secure, cert, key }),
    retire: () => {
      draining = true;
    },
    drain: async () => {
      draining = true;
      const closed = once(portServer, 'close');
      portServer.close();
      for (const session of h2.sessions.values()) session.leave();
      // Connections become idle when their last answer is sent.
      const sweep = setInterval(h1.closeIdle, drainInterval);
      h1.closeIdle();
      await closed;
      clearInterval(sweep);
    },
    close: async () => {
      draining = true;
      portServer.close();
      disconnectAll();
      await h1.close();
      stalled.close();
    },
    pause: () => {
      paused = true;
      portServer.close();
      disconnectAll();
    },
    resume: async () => {
      if (!paused || draining) return;
      portServer.listen({ host: options.host, port });
      await once(portServer, 'listening');
      paused = false;
    },
  };
}
