/** The only door to undici: pooled connections to one server. */
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

export function openPool(endpoint: Endpoint, { connections, minVersion }: PoolOptions): Dispatcher {
  // Certificates and keys are read once, not for every connection.
  const secureContext = createSecureContext({
    ...(endpoint.ca ? { ca: endpoint.ca } : {}),
    ...(endpoint.clientCertificate ? { cert: endpoint.clientCertificate } : {}),
    ...(endpoint.clientKey ? { key: endpoint.clientKey } : {}),
    ...(minVersion ? { minVersion } : {}),
  });
  const tls = { secureContext, rejectUnauthorized: !endpoint.insecureSkipVerify };
  if (!endpoint.proxyUrl)
    return new Agent({ connect: { ...tls, timeout: connectTimeout }, connections, keepAliveTimeout });
  return new ProxyAgent({
    uri: endpoint.proxyUrl,
    requestTls: tls,
    connections,
    ...(endpoint.proxyHeaders ? { headers: { ...endpoint.proxyHeaders } } : {}),
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
  const direct = buildConnector({
    secureContext,
    timeout: connectTimeout,
    ...(serverName !== undefined && { servername: serverName }),
  });
  const routed: buildConnector.connector = (options, done) => {
    if (!dial) return void direct(options, done);
    dial().then(
      ({ host, port }) => direct({ ...options, host, hostname: host, port: String(port) }, done),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
  return new Agent({ connect: routed, connections: null, keepAliveTimeout: idleMs });
}

/** Where requests to an endpoint go: the origin, and what stands before every path. */
export function splitServer(server: string): { readonly origin: string; readonly prefix: string } {
  const { origin, pathname } = new URL(server);
  return { origin, prefix: pathname.replace(/\/$/, '') };
}
