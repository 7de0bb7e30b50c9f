import { errorText } from '../../apimachinery/errors/error-text.js';
import { parseGoUrl } from '../../lib/go/go-url.js';
import { plainError } from '../../apimachinery/errors/status.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Query } from '../../apiserver/interface.js';
import type { Client } from '../../client/interface.js';
import type { Cluster, SecretReference } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Endpoint, TunnelRoute, TunnelRoutes } from '../interface.js';
import { openPool, splitServer } from '../remote/transport/dispatcher.js';
import type { Pool } from '../remote/transport/pool.js';
import { secrets } from '../../api/kubernetes/resources.js';
import { defaultShareLimits, RequestShares, type ShareLimits } from './request-shares.js';
import { secretText } from '../../kinds/kubernetes/core/config/secret-text.js';

/** A server to forward requests to, with the proxy's credentials for it. */
export interface Target {
  readonly origin: string;
  /** Prefix of every path; mostly ''. */
  readonly prefix: string;
  readonly pool: Pool;
  /** Headers with the proxy's credentials: name, value. */
  readonly credentials: readonly string[];
  /** Limits the requests of users; absent: no limit. */
  readonly shares?: RequestShares;
  /** Limits those requests of users that have a connection of their own; absent: no limit. */
  readonly connectionShares?: RequestShares | undefined;
  /** Opens a pool for one upgraded connection of a user; absent: `pool` is used. */
  readonly openUpgradePool?: ((user: string) => Pool) | undefined;
  /** Absent: only upgrades, watches and followed logs last long. */
  readonly isLongRunning?: LongRunningCheck | undefined;
}

/** Reports whether a request runs without a deadline, from its method, path (percent-encoded) and query. */
type LongRunningCheck = (method: string, path: string, query: Query) => boolean;

export interface Targets {
  /** Returns the target of a server that is not a member, with the credentials of the endpoint. */
  at(endpoint: Endpoint): Target;
  /** Returns the target of a member. Rejects with upstream's errors if the Cluster or its secrets are incomplete. */
  ofCluster(cluster: Cluster): Promise<Target>;
  /** Closes the connections to a removed cluster. */
  forget(name: string): void;
  close(): Promise<void>;
}

interface Pooled {
  /** The settings of the connections as text; after a change new ones are made. */
  readonly fingerprint: string;
  /** The tunnel behind the connections. */
  readonly route: TunnelRoute | undefined;
  readonly pool: Pool;
  readonly shares: RequestShares;
  readonly connectionShares: RequestShares | undefined;
}

/**
 * Returns the limits of requests with a connection of their own in a tunnel. A sixth of its connections is left to those that requests share with HTTP/2.
 */
const connectionLimits = ({ maxUserConnections: max }: TunnelRoute): ShareLimits => ({
  requests: Math.floor(max / 3),
  long: Math.floor(max / 2),
});

const poolOptions = { connections: null, minVersion: 'TLSv1.3' } as const;

function serverOf({ metadata, spec }: Cluster): string {
  const server = spec.apiEndpoint ?? '';
  if (server === '') throw plainError(`API endpoint of cluster ${metadata.name} should not be empty`);
  const url = parseGoUrl(server);
  if ('error' in url) throw plainError(`failed to parse api endpoint ${server}: ${url.error}`);
  return url.scheme === '' ? `http:${server.startsWith('//') ? '' : '//'}${server}` : server;
}

interface Reached {
  readonly server: string;
  readonly route: TunnelRoute | undefined;
  /** The secret with the CA of the member. */
  readonly access: KubeObject | undefined;
}

function endpointOf({ spec }: Cluster, { server, route, access }: Reached): Endpoint {
  const authority = secretText(access, 'caBundle');
  const trust = spec.insecureSkipTLSVerification ? { insecureSkipVerify: true } : authority ? { ca: authority } : {};
  if (route) return { server, ...trust, openSocket: route.openForUsers };
  return {
    server,
    ...trust,
    ...(spec.proxyURL ? { proxyUrl: spec.proxyURL } : {}),
    ...(spec.proxyHeader ? { proxyHeaders: spec.proxyHeader } : {}),
  };
}

interface TargetsOptions {
  /** What each user may do at once. */
  readonly limits?: ShareLimits | undefined;
  /** The reverse tunnels of agents; absent: members are reached by their addresses. */
  readonly tunnels?: TunnelRoutes | undefined;
  /** Which requests to members last long, besides upgrades, watches and followed logs. */
  readonly isLongRunning?: LongRunningCheck | undefined;
}

class PooledTargets implements Targets {
  readonly #client: Client;
  readonly #tunnels: TunnelRoutes | undefined;
  readonly #isLongRunning: LongRunningCheck | undefined;
  /** The connections to members by their names, and to the server that is not one by ''. */
  readonly #pools = new Map<string, Pooled>();
  readonly #limits: ShareLimits;

  constructor(client: Client, { limits = defaultShareLimits, tunnels, isLongRunning }: TargetsOptions) {
    this.#client = client;
    this.#limits = limits;
    this.#tunnels = tunnels;
    this.#isLongRunning = isLongRunning;
  }

  at(endpoint: Endpoint): Target {
    const { pool } = this.#pooled('', undefined, endpoint);
    const credentials = endpoint.token ? ['Authorization', `Bearer ${endpoint.token}`] : [];
    return { ...splitServer(endpoint.server), pool, credentials };
  }

  async ofCluster(cluster: Cluster): Promise<Target> {
    const { metadata, spec } = cluster;
    const { name = '', uid } = metadata;
    // A cluster in pull mode need not have a secret.
    const access = spec.secretRef && (await this.#secretOf(spec.secretRef));
    const route = this.#tunnels?.routeOf(cluster);
    const server = route?.server ?? serverOf(cluster);
    if (!spec.impersonatorSecretRef) throw plainError(`the impersonatorSecretRef of cluster ${name} is nil`);
    const token = secretText(await this.#secretOf(spec.impersonatorSecretRef), 'token');
    if (token === undefined)
      throw plainError(
        `failed to get impresonateToken for cluster ${name}: the impresonate token of cluster ${name} is empty`,
      );
    const endpoint = endpointOf(cluster, { server, route, access });
    try {
      const { pool, shares, connectionShares } = this.#pooled(name, uid, endpoint, route);
      const credentials = ['Authorization', `Bearer ${token}`];
      const isLongRunning = this.#isLongRunning;
      // A connection that carries the stream of one user counts as this user's at the process with the tunnel, whichever process has opened it.
      const openUpgradePool =
        route &&
        ((user: string) =>
          openPool({ ...endpoint, openSocket: () => route.openForUsers(user) }, { ...poolOptions, onlyHttp1: true }));
      return {
        ...{ ...splitServer(server), pool, shares, connectionShares, openUpgradePool },
        ...{ credentials, isLongRunning },
      };
    } catch (error) {
      throw plainError(`failed to connect to cluster ${name}: ${errorText(error)}`);
    }
  }

  forget(name: string): void {
    const known = this.#pools.get(name);
    this.#pools.delete(name);
    // Running requests may finish, since the member still exists. An error means that the pool is closed already.
    void known?.pool.close().catch(() => undefined);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(({ pool }) => pool.destroy()));
    this.#pools.clear();
  }

  #secretOf({ namespace, name }: SecretReference): Promise<KubeObject> {
    return this.#client.get(secrets, { namespace, name });
  }

  #pooled(name: string, uid: string | undefined, endpoint: Endpoint, route?: TunnelRoute): Pooled {
    const fingerprint = JSON.stringify([uid, endpoint]);
    const known = this.#pools.get(name);
    if (known?.fingerprint === fingerprint && known.route === route) return known;
    // Running requests finish on the old connections. An error means that the pool is closed already.
    void known?.pool.close().catch(() => undefined);
    const pool = openPool(endpoint, poolOptions);
    const shares = known?.shares ?? new RequestShares(name, this.#limits);
    const connectionShares = route && (known?.connectionShares ?? new RequestShares(name, connectionLimits(route)));
    const pooled = { fingerprint, route, pool, shares, connectionShares };
    this.#pools.set(name, pooled);
    return pooled;
  }
}

/**
 * Creates the targets of members: address or reverse tunnel, CA and the token of the impersonating account. They are read for every request, which costs
 * a few reads of the cache; connections are reused while these settings stay the same.
 */
export const createTargets = (client: Client, options: TargetsOptions = {}): Targets =>
  new PooledTargets(client, options);

/** Returns the Cluster with the name. Rejects with NotFound. */
export async function getCluster(client: Client, name: string): Promise<Cluster> {
  return (await client.get(resources.clusters, { name })) as Cluster;
}
