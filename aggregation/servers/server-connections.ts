import net from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Target } from '../proxy/target.js';
import { openPool } from '../remote/transport/dispatcher.js';
import type { Pool } from '../remote/transport/pool.js';
import type { Address, ResolveService } from '../webhooks/resolve-service.js';
import type { ServerReference } from './server-reference.js';

interface ConnectionsOptions {
  readonly resolve: ResolveService;
  /** The client certificate by which servers recognize this one as their proxy, and its key, as PEM. */
  readonly credential: { readonly certificate: string; readonly key: string };
}

/** Maximum number of addresses with open connections. */
const maxPools = 200;

const hostOf = ({ host, port }: Address): string => `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;

/**
 * The connections to the servers of APIServices, with one pool per address: the Service is resolved for every request, so a new endpoint gets
 * requests at once.
 */
export class ServerConnections {
  readonly #options: ConnectionsOptions;
  readonly #pools = new LRUCache<string, Pool>({
    max: maxPools,
    // Running requests finish. An error means that the pool is closed already.
    dispose: pool => void pool.close().catch(() => undefined),
  });

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Resolves with the origin of a ready endpoint. Rejects with upstream's text. */
  async originOf({ namespace, name, port }: ServerReference): Promise<string> {
    return `https://${hostOf(await this.#options.resolve(namespace, name, port))}`;
  }

  /** Returns the target of requests to an origin. Throws an Error if the CA bundle is unusable. */
  targetAt(reference: ServerReference, origin: string): Target {
    const key = `${reference.id} ${origin}`;
    let pool = this.#pools.get(key);
    if (!pool) this.#pools.set(key, (pool = this.#open(reference, origin)));
    return { origin, prefix: '', pool, credentials: [] };
  }

  /** Uses no connection again that is open now: one that does not answer may be broken. */
  forget({ id }: ServerReference, origin: string): void {
    this.#pools.delete(`${id} ${origin}`);
  }

  /** Ends all requests. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    await Promise.all(pools.map(pool => pool.destroy()));
    this.#pools.clear();
  }

  #open({ serverName, authority, isInsecure }: ServerReference, origin: string): Pool {
    const { certificate, key } = this.#options.credential;
    const endpoint = {
      ...{ server: origin, clientCertificate: certificate, clientKey: key, insecureSkipVerify: isInsecure },
      ...(authority !== '' && { ca: authority }),
    };
    return openPool(endpoint, { connections: null, serverName });
  }
}
