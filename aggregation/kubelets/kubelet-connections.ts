import { LRUCache } from 'lru-cache';
import type {
  BackendAnswers,
  BackendRequest,
  Backends,
  BackendUpgrade,
  BackendUpgraded,
  RequestContext,
} from '../../apiserver/interface.js';
import { plainError } from '../../apimachinery/errors/status.js';
import { forward } from '../proxy/forward.js';
import { reachFailureText } from '../proxy/reach-failure.js';
import { openPool } from '../remote/transport/dispatcher.js';
import { pacedStream } from '../remote/transport/paced-stream.js';
import type { Pool } from '../remote/transport/pool.js';
import { upgradeConnection } from '../remote/transport/upgrade.js';

/** How kubelets, and servers in Pods, are reached. */
export interface KubeletConnectionOptions {
  /** The client certificate that kubelets know, and its key, as PEM; absent: none. */
  readonly credential?: { readonly certificate: string; readonly key: string } | undefined;
  /** The CA certificates of kubelets, as PEM; absent: their certificates are not verified. */
  readonly authority?: string | undefined;
  /** Returns the address to connect to instead of a host and port, for networks that this process is not in. */
  readonly dial?: ((host: string, port: number) => { readonly host: string; readonly port: number }) | undefined;
}

/** Milliseconds until a connection is open. as net/http DefaultTransport TLSHandshakeTimeout */
const connectMs = 10_000;
/** Maximum number of kubelets and Pods with open connections. */
const maxPools = 1000;

/** Connections to kubelets and to servers in Pods, with one pool per address. */
export class KubeletConnections implements Backends {
  readonly #options: KubeletConnectionOptions;
  readonly #pools = new LRUCache<string, Pool>({
    max: maxPools,
    // Running requests finish. An error means that the pool is closed already.
    dispose: pool => void pool.close().catch(() => undefined),
  });

  constructor(options: KubeletConnectionOptions = {}) {
    this.#options = options;
  }

  forward(
    context: RequestContext,
    { ownHeaders, ...request }: BackendRequest & { readonly ownHeaders?: readonly string[] },
    answers: BackendAnswers,
  ): Promise<void> {
    const { origin, path, query, headMs } = request;
    const target = { origin, prefix: '', pool: this.#poolOf(request), credentials: [] };
    const headers = ownHeaders && { headers: ownHeaders };
    return forward(context, { ...{ target, path, query, headMs, answers, identity: [] }, ...headers });
  }

  async upgrade(request: BackendUpgrade, signal: AbortSignal): Promise<BackendUpgraded> {
    const { origin, path, query, headMs, protocol, headers } = request;
    const options = {
      ...{ origin, path: `${path}${query === '' ? '' : `?${query}`}`, method: 'POST', headers, upgrade: protocol },
      ...{ body: undefined, timeoutMs: 0, isLong: false },
    };
    try {
      const upgraded = await upgradeConnection({ pool: this.#poolOf(request), request: options, headMs, signal });
      return upgraded.socket ? { ...upgraded, socket: pacedStream(upgraded.socket) } : upgraded;
    } catch (error) {
      throw error instanceof Error ? new Error(reachFailureText(error, origin), { cause: error }) : error;
    }
  }

  /** Ends all requests. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    await Promise.all(pools.map(pool => pool.destroy()));
    this.#pools.clear();
  }

  #poolOf({ origin, trust }: BackendRequest): Pool {
    // The certificate may come after the first connection.
    const key = `${trust} ${this.#options.credential ? 'certificate' : ''} ${origin}`;
    let pool = this.#pools.get(key);
    if (!pool) this.#pools.set(key, (pool = this.#open(origin, trust)));
    return pool;
  }

  #open(origin: string, trust: BackendRequest['trust']): Pool {
    const { credential, authority, dial } = this.#options;
    const { username, password, pathname, search, hash } = new URL(origin);
    // The address of a Node or Pod with other text in it would lead to another host than the one that was checked.
    if (`${username}${password}${search}${hash}` !== '' || pathname !== '/') throw plainError('invalid address');
    const endpoint = {
      server: origin,
      ...(trust === 'kubelet' && authority !== undefined ? { ca: authority } : { insecureSkipVerify: true }),
      ...(trust !== 'workload' &&
        credential && { clientCertificate: credential.certificate, clientKey: credential.key }),
    };
    return openPool(endpoint, { connections: null, connectMs, ...(dial && { dial }) });
  }
}
