/** The only door to undici: pooled connections to one server. */
import { ExpectedError } from '../../lib/logging/cause.js';
import { createSecureContext } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import type { Endpoint } from '../interface.js';

export type { Dispatcher };

export interface PoolOptions {
  /** Connections at a time; more requests wait in line. null: as many as are asked for. */
  readonly connections: number | null;
  readonly minVersion?: 'TLSv1.3';
}

/** Servers forget idle connections after a minute and a half (as net/http does): by then they are no longer used. */
const keepAliveTimeout = 30_000;
/** as net/http DefaultTransport */
const connectTimeout = 30_000;

/** Characters of the certificates of authorities, which are read when connections are opened. */
const longestAuthority = 256 * 1024;

/** Throws an Error that says what is wrong with the endpoint. */
export function openPool(endpoint: Endpoint, { connections, minVersion }: PoolOptions): Dispatcher {
  if ((endpoint.ca?.length ?? 0) > longestAuthority)
    throw new ExpectedError(`the CA bundle is longer than ${longestAuthority} characters`);
  // Certificates and keys are read once, not for every connection.
  const secureContext = createSecureContext({
    ...(endpoint.ca ? { ca: endpoint.ca } : {}),
    ...(endpoint.clientCertificate ? { cert: endpoint.clientCertificate } : {}),
    ...(endpoint.clientKey ? { key: endpoint.clientKey } : {}),
    ...(minVersion ? { minVersion } : {}),
  });
  const tls = { secureContext, rejectUnauthorized: !endpoint.insecureSkipVerify };
  if (!endpoint.proxyUrl) {
    const connect = inPieces(buildConnector({ ...tls, timeout: connectTimeout }));
    return new Agent({ connect, connections, keepAliveTimeout });
  }
  return new ProxyAgent({
    uri: endpoint.proxyUrl,
    requestTls: tls,
    connections,
    ...(endpoint.proxyHeaders ? { headers: { ...endpoint.proxyHeaders } } : {}),
  });
}

/** Bytes that are parsed at a time. */
const largestPiece = 16 * 1024;

/**
 * Sockets that are read in small pieces. Undici reads all that has arrived, and goes on to the end of it with headers that it has refused
 * already, at the price of an error with its stack for each.
 */
function inPieces(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) {
        const read = socket.read.bind(socket);
        socket.read = (size?: number): unknown =>
          size === undefined && socket.readableLength > largestPiece ? read(largestPiece) : read(size);
      }
      done(...result);
    });
}

export interface RoutedPoolOptions {
  /** PEM; absent: the roots of the system. */
  readonly ca?: string;
  /** The name that the certificate must be for, in place of the host. */
  readonly serverName?: string;
  /** Where connections go, asked for each; absent: to the host of the request. */
  readonly dial?: () => Promise<{ readonly host: string; readonly port: number }>;
  /** Milliseconds after which unused connections are closed. */
  readonly idleMs: number;
}

/** Connections to a server that is called by one name and found under another. */
export function openRoutedPool({ ca, serverName, dial, idleMs }: RoutedPoolOptions): Dispatcher {
  const secureContext = createSecureContext(ca === undefined ? {} : { ca });
  const direct = inPieces(
    buildConnector({
      secureContext,
      timeout: connectTimeout,
      ...(serverName !== undefined && { servername: serverName }),
    }),
  );
  const routed: buildConnector.connector = (options, done) => {
    if (!dial) return void direct(options, done);
    dial().then(
      ({ host, port }) => direct({ ...options, host, hostname: host, port: String(port) }, done),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), null),
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

/** Where requests to an endpoint go: the origin, and what stands before every path. Throws an Error when it is not the URL of an HTTP server. */
export function splitServer(server: string): { readonly origin: string; readonly prefix: string } {
  const { origin, pathname, protocol } = parseServer(server);
  // as net/http Transport.roundTrip
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new ExpectedError(`unsupported protocol scheme "${protocol.slice(0, -1)}"`);
  return { origin, prefix: pathname.replace(/\/$/, '') };
}
