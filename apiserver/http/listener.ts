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
import { ChunkCopies } from './chunk-copies.js';
import { Handshakes } from './connections/handshakes.js';
import { peerOf } from './connections/peer.js';
import { defaultStallTimeoutMs } from './response-stream.js';
import { type Http1Server, http1Server } from './h1/server.js';
import { type Http2Server, http2Server } from './h2/server.js';
import { StalledClients } from './connections/stalled-clients.js';

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Opens another port as well, any free one, which other processes do not share. */
  readonly hasOwnPort?: boolean;
  readonly certificate: string; // PEM, with intermediates
  readonly key: string; // PEM
  /** PEM of the certificate authorities that are sent to clients in the handshake as acceptable for client certificates. */
  readonly clientAuthorities: string | undefined;
  /** Called when a TLS handshake fails. */
  readonly onHandshakeError?: () => void;
  /** As in `HandshakesOptions`. */
  readonly onLongChain?: (address: string) => void;
  /** Sockets beyond this number are refused. */
  readonly maxConnections?: number;
  /** Milliseconds after which a client that does not read any of its pending data is disconnected. */
  readonly stallTimeoutMs?: number;
  /** Milliseconds that the headers of a request may take (HTTP/1.1). */
  readonly headersTimeoutMs?: number;
  readonly serve: (exchange: HttpExchange) => void;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** The port that other processes do not share, if it was asked for. */
  readonly ownPort: number | undefined;
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
const handshakeTimeoutMs = 10_000;
const defaultHeadersTimeoutMs = 32_000; // as secure_serving.go ReadHeaderTimeout
const idleTimeoutMs = 90_000; // as secure_serving.go IdleTimeout
const defaultConnections = 20_000;
/**
 * Milliseconds of silence after which TCP asks a client whether it is there: the machine of one that waits for a quiet watch, or for an upgraded connection, may be
 * gone. as net/http server.go tcpKeepAliveListener
 */
const keepAliveInitialDelay = 180_000;
/** Milliseconds between two checks for connections that have become idle. */
const drainIntervalMs = 20;

/** Returns the TCP socket of a handshake. Node has no public property for it. */
const tcpSocketOf = (handshake: tls.TLSSocket): Socket | undefined =>
  (handshake as { readonly _parent?: Socket })._parent;

/** Answers a client that sent HTTP to the HTTPS port. as net/http server.go, also in its text */
function refusePlain(plain: Socket | undefined): void {
  if (!plain?.writable) return;
  plain.on('error', () => undefined);
  plain.end('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
}

const clock = (): number => performance.now();

const secureContext = ({ certificate, key, clientAuthorities }: ListenerOptions): tls.TlsOptions => ({
  cert: certificate,
  key,
  ALPNProtocols: ['h2', 'http/1.1'],
  minVersion: 'TLSv1.2',
  requestCert: true,
  rejectUnauthorized: false, // the authenticators decide about unknown certificates
  handshakeTimeout: handshakeTimeoutMs,
  ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities }),
});

class TlsListener implements Listener {
  readonly #options: ListenerOptions;
  readonly #tlsOptions: tls.TlsOptions;
  readonly #h1: Http1Server;
  readonly #h2: Http2Server;
  readonly #stalled: StalledClients;
  readonly #sockets = new IndexedSet<tls.TLSSocket>();
  readonly #turns = new TurnQueue();
  readonly #copies = new ChunkCopies();
  /** Does the handshakes. */
  readonly #tlsServer: tls.Server;
  readonly #handshakes: Handshakes;
  readonly #portServer: net.Server;
  readonly #ownServer: net.Server | undefined;
  #port: number;
  #draining = false;
  #paused = false;

  constructor(options: ListenerOptions, h1: Http1Server) {
    this.#options = options;
    this.#tlsOptions = secureContext(options);
    this.#port = options.port;
    this.#h1 = h1;
    this.#stalled = new StalledClients(options.stallTimeoutMs ?? defaultStallTimeoutMs, idleTimeoutMs, clock);
    this.#h2 = http2Server({ maxHeaderSize, clock, stalled: this.#stalled, serve: options.serve });
    this.#tlsServer = tls.createServer(this.#tlsOptions, socket => this.#take(socket));
    this.#handshakes = new Handshakes({
      begin: socket => this.#tlsServer.emit('connection', socket),
      onLongChain: options.onLongChain,
    });
    this.#tlsServer.on('tlsClientError', (error: NodeJS.ErrnoException, handshake: tls.TLSSocket) => {
      options.onHandshakeError?.(); // port scans and impatient clients
      const socket = tcpSocketOf(handshake);
      if (socket) this.#handshakes.failed(socket);
      if (error.code === 'ERR_SSL_HTTP_REQUEST') refusePlain(socket);
    });
    this.#portServer = this.#createPortServer();
    this.#ownServer = options.hasOwnPort ? this.#createPortServer() : undefined;
  }

  get host(): string {
    return this.#options.host;
  }

  get port(): number {
    return this.#port;
  }

  get ownPort(): number | undefined {
    return (this.#ownServer?.address() as AddressInfo | null | undefined)?.port;
  }

  /** Opens the port. Rejects with the system's error when the port is not available. */
  async open(): Promise<void> {
    await this.#bind();
    this.#h1.opened();
    this.#port = (this.#portServer.address() as AddressInfo).port;
    if (!this.#ownServer) return;
    this.#ownServer.listen({ host: this.#options.host, port: 0, exclusive: true });
    await once(this.#ownServer, 'listening');
  }

  renew(certificate: string, key: string): void {
    this.#tlsServer.setSecureContext({ ...this.#tlsOptions, cert: certificate, key });
  }

  retire(): void {
    this.#draining = true;
    this.#h1.leave();
  }

  async drain(): Promise<void> {
    this.retire();
    const closed = this.#closePorts();
    for (const session of this.#h2.sessions.values()) session.leave();
    // Connections become idle when their last answer is sent.
    const sweep = setInterval(() => this.#h1.closeIdle(), drainIntervalMs);
    this.#h1.closeIdle();
    await closed;
    clearInterval(sweep);
  }

  async close(): Promise<void> {
    this.retire();
    void this.#closePorts();
    this.#disconnectAll();
    await this.#h1.close();
    this.#stalled.close();
  }

  pause(): void {
    this.#paused = true;
    this.#portServer.close();
    this.#disconnectAll();
  }

  async resume(): Promise<void> {
    if (!this.#paused || this.#draining) return;
    await this.#bind();
    this.#paused = false;
  }

  /** Accepts no connections any more. Resolves when the last one is closed. */
  async #closePorts(): Promise<void> {
    const servers = [this.#portServer, ...(this.#ownServer ? [this.#ownServer] : [])];
    await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
  }

  async #bind(): Promise<void> {
    this.#portServer.listen({ host: this.#options.host, port: this.#port });
    await once(this.#portServer, 'listening');
  }

  /** Accepts connections, and reads none before its turn: all that wait for a handshake would begin it in one turn of the event loop. */
  #createPortServer(): net.Server {
    const server = net.createServer({ pauseOnConnect: true, keepAlive: true, keepAliveInitialDelay }, socket => {
      socket.on('error', () => socket.destroy());
      this.#turns.lane().run(() => this.#handshakes.add(socket));
    });
    server.maxConnections = this.#options.maxConnections ?? defaultConnections;
    return server;
  }

  /** Gives a connection whose handshake is complete to the server of its protocol. */
  #take(socket: tls.TLSSocket): void {
    const tcpSocket = tcpSocketOf(socket);
    if (tcpSocket && !this.#handshakes.succeeded(tcpSocket, socket)) return void socket.destroy();
    if (this.#paused) return void socket.destroy(); // Its handshake began before the pause.
    const registration = this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => registration.remove());
    socket.on('error', () => socket.destroy());
    const connection = { peer: peerOf(socket), lane: this.#turns.lane(), copies: this.#copies };
    if (socket.alpnProtocol === 'h2') return this.#h2.take(socket, connection);
    this.#stalled.socket(socket);
    this.#h1.take(socket, connection);
  }

  #disconnectAll(): void {
    this.#handshakes.close();
    for (const session of this.#h2.sessions.values()) session.destroy();
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}

/** Opens the port and serves until it is closed. Rejects with the system's error when the port is not available. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { headersTimeoutMs = defaultHeadersTimeoutMs, serve } = options;
  const h1 = await http1Server({ maxHeaderSize, headersTimeoutMs, idleTimeoutMs, serve });
  const listener = new TlsListener(options, h1);
  await listener.open();
  return listener;
}
