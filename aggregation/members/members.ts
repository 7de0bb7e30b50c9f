import { ExpectedError } from '../../lib/logging/cause.js';
import type { TokenRate } from '../../lib/token-bucket.js';
import { type Meter, noMeter } from '../../client/runtime/meter.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { CachedObject, Client } from '../../client/interface.js';
import type { Cluster, SecretReference } from '../../api/karmada/types.js';
import type { Endpoint, Member, Members, TunnelRoute, TunnelRoutes } from '../interface.js';
import { clientSeries } from '../remote/client-series.js';
import { remote, type RemoteOptions } from '../remote/client.js';
import { defaultMemoryLimit } from '../remote/limits.js';
import { HeldTexts } from '../remote/mirror/held-texts.js';
import { secrets } from '../../api/kubernetes/resources.js';
import { secretText } from '../../kinds/kubernetes/core/config/secret-text.js';

interface Connected {
  /** The settings of the connection without its token, as text; after a change a new connection is made. */
  readonly fingerprint: string;
  readonly token: MemberToken;
  /** The tunnel behind the connection. */
  readonly route: TunnelRoute | undefined;
  /** The states of the Cluster and its secret that the settings were last read from. */
  sources: Sources | undefined;
  readonly member: Member;
  readonly stop: AbortController;
}

interface Sources {
  readonly resourceVersion: string;
  /** The revision of the secret in the watch cache. */
  readonly secretRevision: CachedObject['revision'];
  readonly route: TunnelRoute | undefined;
}

interface MembersOptions {
  readonly meter?: Meter;
  /** Requests to an overloaded member fail at once, since the caller tries again later by a queue, and does not wait for the member meanwhile. */
  readonly retriesByQueue?: boolean;
  /** The rate of requests to each member, without watches; absent: no limit. */
  readonly rate?: TokenRate | undefined;
  /** The reverse tunnels of agents; absent: members are reached by their addresses. */
  readonly tunnels?: TunnelRoutes | undefined;
  /** Maximum memory in bytes of the lists of one member while they arrive, and of its mirrors. */
  readonly memoryLimit?: number | undefined;
}

/** The token for a member, as its Secret has it now: connections and watches stay when it is renewed. as karmada pkg/util secretTokenSource */
class MemberToken {
  readonly #client: Client;
  readonly #ref: SecretReference | undefined;
  #revision: CachedObject['revision'] | undefined;
  #token: string;

  constructor(client: Client, ref: SecretReference | undefined, token: string) {
    this.#client = client;
    this.#ref = ref;
    this.#token = token;
  }

  /** hot: once per request. A Secret that was deleted or emptied leaves the last token, which the member may still accept. */
  readonly current = (): string => {
    const cached = this.#ref && this.#client.cached?.getCached(secrets, this.#ref);
    if (cached && cached.revision !== this.#revision) {
      this.#revision = cached.revision;
      this.set(secretText(cached.object, 'token') ?? '');
    }
    return this.#token;
  };

  set(token: string): void {
    if (token !== '') this.#token = token;
  }
}

/** The connections to joined clusters with the credentials of their secrets: one per cluster, made at the first use. */
class MemberConnections implements Members {
  readonly #client: Client;
  readonly #options: RemoteOptions;
  readonly #tunnels: TunnelRoutes | undefined;
  readonly #connected = new Map<string, Connected>();
  #isClosed = false;

  constructor(client: Client, options: RemoteOptions, tunnels: TunnelRoutes | undefined) {
    this.#client = client;
    this.#options = options;
    this.#tunnels = tunnels;
  }

  async connect(object: KubeObject): Promise<Member> {
    const cluster = object as Cluster;
    const name = cluster.metadata.name ?? '';
    const route = this.#tunnels?.routeOf(cluster);
    const sources = sourcesOf(this.#client, cluster, route);
    // hot: once per reconcile of a Work. The settings are not read again while nothing has changed.
    const unchanged = sources && this.#connected.get(name);
    if (unchanged && isSame(unchanged.sources, sources)) return unchanged.member;
    const secret = await secretOf(this.#client, cluster, route);
    // Reconciles may be under way when the part stops: nothing would end what they connect then.
    if (this.#isClosed) throw new ExpectedError(`cluster ${name} is not connected again: the connections are closed`);
    const endpoint = endpointOf(cluster, secret, route);
    const { token: text = '', ...place } = endpoint;
    const fingerprint = JSON.stringify([cluster.metadata.uid, cluster.spec.secretRef, place]);
    const known = this.#connected.get(name);
    if (known?.fingerprint === fingerprint && known.route === route) {
      known.sources = sources;
      known.token.set(text);
      return known.member;
    }
    void this.forget(name);
    const stop = new AbortController();
    const token = new MemberToken(this.#client, cluster.spec.secretRef, text);
    const client = remote(endpoint, { ...this.#options, token: token.current });
    const { memoryLimit = defaultMemoryLimit } = this.#options;
    const member = { name, endpoint: place, memoryLimit, signal: stop.signal, client };
    this.#connected.set(name, { fingerprint, token, route, sources, stop, member });
    return member;
  }

  async forget(name: string): Promise<void> {
    const entry = this.#connected.get(name);
    if (!entry) return;
    this.#connected.delete(name);
    entry.stop.abort();
    await entry.member.client.close().catch(() => undefined); // A connection that was never made need not be closed.
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#connected.keys()].map(name => this.forget(name)));
  }
}

/** Creates the connections to joined clusters. */
export function createMembers(client: Client, userAgent: string, options: MembersOptions = {}): Members {
  const { meter = noMeter, retriesByQueue = false, rate, tunnels, memoryLimit } = options;
  const remoteOptions: RemoteOptions = {
    ...{ userAgent, rate, memoryLimit, observe: clientSeries(meter), texts: new HeldTexts() },
    ...(retriesByQueue && { attempts: 1 }),
  };
  return new MemberConnections(client, remoteOptions, tunnels);
}

/** Returns the states of a Cluster and its secret, without reading them; undefined if the watch cache does not have the secret. */
function sourcesOf(client: Client, { metadata, spec }: Cluster, route: TunnelRoute | undefined): Sources | undefined {
  const { resourceVersion } = metadata;
  const cached = spec.secretRef && client.cached?.getCached(secrets, spec.secretRef);
  return cached && resourceVersion ? { resourceVersion, secretRevision: cached.revision, route } : undefined;
}

const isSame = (known: Sources | undefined, now: Sources): boolean =>
  known?.resourceVersion === now.resourceVersion &&
  known.secretRevision === now.secretRevision &&
  known.route === now.route;

async function secretOf(
  client: Client,
  { metadata, spec }: Cluster,
  route: TunnelRoute | undefined,
): Promise<KubeObject> {
  if (!route && !spec.apiEndpoint) throw new ExpectedError(`the api endpoint of cluster ${metadata.name} is empty`);
  if (!spec.secretRef) throw new ExpectedError(`cluster ${metadata.name} does not have a secret`);
  return client.get(secrets, spec.secretRef);
}

/** Returns the URL of a server whose endpoint may be only a host. as client-go/rest DefaultServerURL */
function serverOf({ apiEndpoint = '', insecureSkipTLSVerification }: Cluster['spec'], hasAuthority: boolean): string {
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(apiEndpoint)) return apiEndpoint;
  return `${hasAuthority || insecureSkipTLSVerification ? 'https' : 'http'}://${apiEndpoint}`;
}

/** Returns the endpoint of a cluster with the token and CA of its secret. as pkg/util BuildClusterConfig */
function endpointOf({ metadata, spec }: Cluster, secret: KubeObject, route: TunnelRoute | undefined): Endpoint {
  const token = secretText(secret, 'token');
  if (!token)
    throw new ExpectedError(`the secret for cluster ${metadata.name} is missing a non-empty value for "token"`);
  const ca = secretText(secret, 'caBundle') ?? '';
  const trust = spec.insecureSkipTLSVerification ? { insecureSkipVerify: true } : ca ? { ca } : {};
  if (route)
    // An agent chooses the host of its server, and another one each time: metrics would grow without bound.
    return { server: route.server, token, ...trust, openSocket: route.open, seriesHost: `tunnel:${metadata.name}` };
  return {
    server: serverOf(spec, ca !== ''),
    token,
    ...trust,
    ...(spec.proxyURL ? { proxyUrl: spec.proxyURL } : {}),
    ...(spec.proxyHeader ? { proxyHeaders: spec.proxyHeader } : {}),
  };
}
