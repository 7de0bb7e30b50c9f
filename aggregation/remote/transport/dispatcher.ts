/** Pools of connections to one server. Only this file imports undici. */
import { ExpectedError } from '../../../lib/logging/cause.js';
import type { SecureContext, TLSSocket } from 'node:tls';
import { isIP, type Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { Readable } from 'node:stream';
import { longAuthorityFault } from '../../../registry/strategy/ca-bundle.js';
import type { Endpoint } from '../../interface.js';
import type { Connect } from './h2/pool.js';
import { NegotiatedPool } from './negotiated-pool.js';
import { paceReads } from './paced-reads.js';
import type { AnswerHandler, Pool, PoolRequest } from './pool.js';
import type { Dialer } from './proxies/interface.js';
import { ProxyDialer } from './proxies/proxy-dialer.js';
import { type TrustedContext, trustOf } from './trust.js';

export type { Dispatcher };

interface PoolOptions {
  /** Maximum number of requests at once, without long ones; further requests wait in a queue. null: no limit, also of the connections. */
  readonly connections: number | null;
  readonly minVersion?: 'TLSv1.3';
  /** Uses HTTP/1.1 even if the server speaks HTTP/2: each request that is under way has its own connection. */
  readonly onlyHttp1?: boolean;
  /** The name that the server's certificate must have, instead of the host of its URL. */
  readonly serverName?: string;
  /** Milliseconds until a connection, with its TLS handshake, is open; the default is 30 seconds. */
  readonly connectMs?: number;
  /** Returns the address to connect to instead of the host and port of the URL. */
  readonly dial?: (host: string, port: number) => { readonly host: string; readonly port: number };
}

/** Servers close idle connections after 90 seconds (as net/http does); the pool closes them earlier. */
const keepAliveTimeoutMs = 30_000;
/** as net/http DefaultTransport */
const connectTimeoutMs = 30_000;

/** A pool of undici for HTTP/1.1. */
class Http1Pool implements Pool {
  readonly #requests: Dispatcher;
  /** A long answer occupies its connection, so these requests have connections of their own. */
  readonly #long: Dispatcher;
  readonly #dialer: Dialer | undefined;

  constructor(requests: Dispatcher, long: Dispatcher, dialer: Dialer | undefined) {
    this.#requests = requests;
    this.#long = long;
    this.#dialer = dialer;
  }

  dispatch({ timeoutMs, isLong, headers, body, ...request }: PoolRequest, handler: AnswerHandler): void {
    const options = {
      ...request,
      headers: headers as Record<string, string | string[]> | string[],
      // Undici accepts any async iterable; its types do not say so.
      body: (body ?? null) as Readable | null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    };
    (isLong ? this.#long : this.#requests).dispatch(options, handler);
  }

  occupiesConnection(): boolean {
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests.close(), this.#long.close()]);
  }

  async destroy(): Promise<void> {
    this.#dialer?.close();
    await Promise.all([this.#requests.destroy(), this.#long.destroy()]);
  }
}

interface TlsOptions {
  readonly secureContext: SecureContext;
  readonly rejectUnauthorized: boolean;
  readonly servername?: string;
}

/** How new connections are opened. */
interface Connecting {
  readonly tls: TlsOptions;
  /** The certificate authorities have been read. */
  readonly ready: TrustedContext['ready'];
  readonly connectMs: number;
  readonly dial: PoolOptions['dial'];
  /** Absent: they lead straight to the server. */
  readonly dialer: Dialer | undefined;
}

/** Returns a connector that opens connections when `ready` has resolved. */
function connectorAfter(ready: TrustedContext['ready'], connect: buildConnector.connector): buildConnector.connector {
  if (ready === undefined) return connect;
  return (options, done) => {
    ready.then(
      () => connect(options, done),
      (error: unknown) => done(asError(error), null),
    );
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Returns undici's connector, which uses the dialer, or connects to the address that `dial` returns, and verifies the name in the URL. */
function connectorWith(
  { tls, ready, connectMs, dial, dialer }: Connecting,
  more: { readonly allowH2?: boolean } = {},
): buildConnector.connector {
  const connect = connectorAfter(ready, buildConnector({ ...tls, timeout: connectMs, ...more }));
  if (dialer) return connectorThrough(dialer, connect);
  if (!dial) return connect;
  const dialed: buildConnector.connector = ({ hostname, port, servername, ...options }, done) => {
    const name = hostname.replace(/^\[|\]$/g, '');
    const address = dial(name, Number(port || (options.protocol === 'https:' ? 443 : 80)));
    const own = servername || (isIP(name) === 0 ? name : undefined);
    const to = { hostname: address.host, host: address.host, port: String(address.port) };
    connect({ ...options, ...to, ...(own !== undefined && { servername: own }) }, done);
  };
  return dialed;
}

/** Returns a connector whose connections are those of the dialer, with TLS by `connect` if the server has it. */
function connectorThrough(dialer: Dialer, connect: buildConnector.connector): buildConnector.connector {
  return (options, done) => {
    const { hostname, port, protocol } = options;
    const to = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (protocol === 'https:' ? 443 : 80)) };
    dialer.dial(to).then(
      socket => (protocol === 'https:' ? connect({ ...options, httpSocket: socket }, done) : done(null, socket)),
      (error: unknown) => done(asError(error), null),
    );
  };
}

/** Throws for a CA bundle that would take long to read. */
function refuseLongAuthority(ca = ''): void {
  const fault = longAuthorityFault(ca);
  if (fault !== undefined) throw new ExpectedError(fault);
}

/** Reads certificates and keys, once and not for every connection. */
function tlsOf(endpoint: Endpoint, { minVersion, serverName }: PoolOptions): Pick<Connecting, 'tls' | 'ready'> {
  refuseLongAuthority(endpoint.ca);
  const { secureContext, ready } = trustOf({
    ...(endpoint.ca ? { ca: endpoint.ca } : {}),
    ...(endpoint.clientCertificate ? { cert: endpoint.clientCertificate } : {}),
    ...(endpoint.clientKey ? { key: endpoint.clientKey } : {}),
    ...(minVersion ? { minVersion } : {}),
  });
  const servername = serverName !== undefined && { servername: serverName };
  return { tls: { secureContext, rejectUnauthorized: !endpoint.insecureSkipVerify, ...servername }, ready };
}

/**
 * Connections to one server over HTTP/2: two, and further ones only for long requests, if the server allows few streams. The windows limit what is
 * held for slow readers.
 */
const http2Limits = {
  ...{ maxConnections: 2, maxLongConnections: 8 },
  ...{ streamWindow: 1024 * 1024, window: 32 * 1024 * 1024 },
};
/**
 * For requests of users. A slow one does not delay others: the window of the connection is that of 256 streams. The connections are enough even for a
 * server that allows few streams on each.
 */
const unlimited = {
  ...{ maxConnections: 64, maxLongConnections: 64 },
  ...{ streamWindow: 256 * 1024, window: 64 * 1024 * 1024 },
};

/** Returns how connections to the server are opened by the endpoint, or through its proxy; undefined without both. */
function dialerOf(
  endpoint: Endpoint,
  { tls, ready, connectMs }: Omit<Connecting, 'dial' | 'dialer'>,
): Dialer | undefined {
  const { proxyUrl: url, proxyHeaders: headers = {}, openSocket } = endpoint;
  // Undici passes the socket on to tls.connect, which takes any Duplex.
  if (openSocket) return { dial: () => openSocket() as Promise<Socket>, close: () => undefined };
  if (url === undefined) return undefined;
  const dialer = new ProxyDialer({ url, headers, tls, connectMs });
  // The certificate of the proxy is verified with the same authorities.
  return ready === undefined ? dialer : { dial: to => ready.then(() => dialer.dial(to)), close: () => dialer.close() };
}

/**
 * Opens a pool, which uses HTTP/2 if the server agrees on it in the TLS handshake, through a proxy, too. Without TLS it uses HTTP/1.1. Throws an Error
 * when the endpoint is invalid.
 */
export function openPool(endpoint: Endpoint, options: PoolOptions): Pool {
  const { connections, onlyHttp1 = false } = options;
  const opening = { ...tlsOf(endpoint, options), connectMs: options.connectMs ?? connectTimeoutMs };
  const dialer = dialerOf(endpoint, opening);
  const connecting: Connecting = { ...opening, dial: options.dial, dialer };
  const openHttp1 = (takeSocket?: () => TLSSocket | undefined): Pool => {
    const open = (limit: number | null): Dispatcher => openDispatcher(connecting, limit, takeSocket);
    const requests = open(connections);
    return new Http1Pool(requests, connections === null ? requests : open(null), dialer);
  };
  const { origin } = splitServer(endpoint.server);
  if (onlyHttp1 || !origin.startsWith('https:')) return openHttp1();
  return new NegotiatedPool({
    origin,
    openHttp1,
    connect: connectorTo(origin, connectorWith(connecting, { allowH2: true })),
    ...(dialer && { onDestroy: () => dialer.close() }),
    settingsMs: connectTimeoutMs,
    maxRequests: connections ?? Infinity,
    ...(connections === null ? unlimited : http2Limits),
  });
}

/** Returns a function that connects to a server as undici connects. */
function connectorTo(origin: string, connect: buildConnector.connector): Connect {
  const { host, hostname, protocol, port } = new URL(origin);
  const address = { host, hostname: hostname.replace(/^\[|\]$/g, ''), protocol, port };
  return done =>
    void connect(address, (error, socket) => done(error ?? undefined, (socket ?? undefined) as TLSSocket | undefined));
}

/** `limit`: the number of connections; null: no limit. */
function openDispatcher(
  connecting: Connecting,
  limit: number | null,
  takeSocket: () => TLSSocket | undefined = () => undefined,
): Dispatcher {
  const further = connectorWith(connecting);
  const connect: buildConnector.connector = (options, done) => {
    const socket = takeSocket();
    if (socket === undefined) further(options, done);
    else queueMicrotask(() => done(null, socket)); // Undici expects it later than this call.
  };
  return new Agent({ connect: inPieces(connect), connections: limit, keepAliveTimeout: keepAliveTimeoutMs });
}

/** Returns a connector whose sockets share the time of a turn of the event loop. */
function inPieces(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) paceReads(socket);
      done(...result);
    });
}

interface RoutedPoolOptions {
  /** PEM; if missing, the root certificates of the system are used. */
  readonly ca?: string;
  /** The name that the certificate must have, instead of the host. */
  readonly serverName?: string;
  /** Returns the address of each new connection; if missing, it is the host of the request. */
  readonly dial?: () => Promise<{ readonly host: string; readonly port: number }>;
  /** Milliseconds after which unused connections are closed. */
  readonly idleMs: number;
}

/** Opens a pool for a server whose address differs from its name. Throws for a CA bundle that is too long. */
export function openRoutedPool({ ca, serverName, dial, idleMs }: RoutedPoolOptions): Dispatcher {
  refuseLongAuthority(ca);
  const { secureContext, ready } = trustOf(ca === undefined ? {} : { ca });
  const direct = inPieces(
    connectorAfter(
      ready,
      buildConnector({
        secureContext,
        timeout: connectTimeoutMs,
        ...(serverName !== undefined && { servername: serverName }),
      }),
    ),
  );
  const routed: buildConnector.connector = (options, done) => {
    if (!dial) return void direct(options, done);
    dial().then(
      ({ host, port }) => direct({ ...options, host, hostname: host, port: String(port) }, done),
      (error: unknown) => done(asError(error), null),
    );
  };
  return new Agent({ connect: routed, connections: null, keepAliveTimeout: idleMs });
}

function parseServer(server: string): URL {
  try {
    return new URL(server);
  } catch (error) {
    throw new ExpectedError(`"${server}" is not the URL of a server`, { cause: error });
  }
}

/** Splits the URL of a server into its origin and the prefix of all paths. Throws an Error when it is not an HTTP URL. */
export function splitServer(server: string): { readonly origin: string; readonly prefix: string } {
  const { origin, pathname, protocol } = parseServer(server);
  // as net/http Transport.roundTrip
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new ExpectedError(`unsupported protocol scheme "${protocol.slice(0, -1)}"`);
  return { origin, prefix: pathname.replace(/\/$/, '') };
}
