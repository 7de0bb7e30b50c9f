/** Hands requests for the group versions of APIServices over to the servers behind them. as kube-aggregator/pkg/apiserver APIAggregator, proxyHandler */
import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import type { APIService } from '../../api/kubernetes/apiregistration.js';
import type { Delegate, RequestContext, RequestInfo } from '../../apiserver/interface.js';
import type { MappedResource } from '../../client/interface.js';
import type { ApiServers } from '../../registry/dynamic/api-services/api-servers.js';
import { forward } from '../proxy/forward.js';
import { respondError } from '../proxy/respond-error.js';
import type { Target } from '../proxy/target.js';
import type { ResolveService } from '../webhooks/resolve-service.js';
import { checkAvailability } from './availability-check.js';
import { remoteUser } from './remote-user.js';
import { ServerConnections } from './server-connections.js';
import type { AggregatedKinds } from './aggregating-client.js';
import { type DiscoveredResource, mappedResource } from './discovery-documents.js';
import { type DiscoveredVersion, ServerDiscovery } from './server-discovery.js';
import { serverReference } from './server-reference.js';

interface AggregatorOptions {
  readonly resolve: ResolveService;
  /** The client certificate by which servers recognize this one as their proxy, and its key, as PEM. */
  readonly credential: { readonly certificate: string; readonly key: string };
  /** Reports whether this server serves the group version itself, whatever its APIService says. */
  readonly isBuiltIn: (group: string, version: string) => boolean;
  readonly onError: (error: unknown, name: string) => void;
  readonly signal: AbortSignal;
}

/** A group version that another server serves. */
interface AggregatedVersion extends DiscoveredVersion {
  readonly priority: RemoteVersion['priority'];
}

/** A group version for discovery, as `RemoteGroupVersion` of the publications. */
interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly priority: { readonly group: number; readonly version: number };
  readonly freshness: 'Current' | 'Stale';
  readonly resources: readonly DiscoveredResource[];
  /** The hash of its OpenAPI v3 document; absent if it has none. */
  readonly openApiHash?: string;
}

const documentRoot = '/openapi/v3/apis/';

/** Returns `GROUP/VERSION` of `/apis/GROUP/VERSION`, all paths below it, and its OpenAPI document; undefined for other paths. */
function groupVersionIn({ path }: RequestInfo): string | undefined {
  const root = path.startsWith('/apis/') ? '/apis/' : documentRoot;
  if (!path.startsWith(root)) return undefined;
  const [group = '', version = '', ...rest] = path.slice(root.length).split('/', 3);
  if (root === documentRoot && rest.length > 0) return undefined;
  return group === '' || version === '' ? undefined : `${group}/${version}`;
}

/** Maximum number of proxies before this one: an APIService may lead back to its own server. */
const maxProxies = 16;

/** Returns the number of proxies that have forwarded a request. */
function proxiesBefore({ headers }: RequestContext['exchange']): number {
  const header = headers['x-forwarded-for'];
  return header === undefined ? 0 : [header].flat().join(',').split(',').length;
}

/** The servers behind APIServices. */
export class Aggregator implements ApiServers, AggregatedKinds {
  readonly #isBuiltIn: AggregatorOptions['isBuiltIn'];
  readonly #connections: ServerConnections;
  /** By `GROUP/VERSION`. */
  readonly #versions = new Map<string, AggregatedVersion>();
  /** The `GROUP/VERSION` of each APIService, by its name. */
  readonly #names = new Map<string, string>();
  readonly #discovery: ServerDiscovery;
  readonly #listeners = new Set<() => void>();
  #generation = 0;
  /** The resources of all group versions, of one generation. */
  #resources: { readonly generation: number; readonly all: readonly MappedResource[] } | undefined;

  constructor({ isBuiltIn, ...options }: AggregatorOptions) {
    const connections = new ServerConnections(options);
    this.#isBuiltIn = isBuiltIn;
    this.#connections = connections;
    this.#discovery = new ServerDiscovery({ ...options, connections, onChange: () => this.#discovered() });
  }

  /** Grows with every change of the group versions and their resources. */
  get generation(): number {
    return this.#generation;
  }

  serves(group: string, version: string): boolean {
    return this.#versions.size > 0 && this.#versions.has(`${group}/${version}`);
  }

  resources(): readonly MappedResource[] {
    if (this.#resources?.generation !== this.#generation)
      this.#resources = { generation: this.#generation, all: this.#mapped() };
    return this.#resources.all;
  }

  failed(): readonly string[] {
    return [...this.#versions.keys()].filter(name => this.#discovery.of(name).isStale);
  }

  #mapped(): MappedResource[] {
    const byPreference = [...this.#versions].sort(([, a], [, b]) => b.priority.version - a.priority.version);
    return byPreference.flatMap(([name, { group, version }]) =>
      this.#discovery.of(name).resources.flatMap(found => mappedResource(group, version, found) ?? []),
    );
  }

  /** Calls the listener after every change of the group versions and their resources. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The group versions of other servers with what is known of their resources. A version that cannot be read has none. */
  versions(): RemoteVersion[] {
    return [...this.#versions].map(([name, { group, version, priority }]) => {
      const { isStale, resources, openApiHash } = this.#discovery.of(name);
      const documented = openApiHash !== undefined && { openApiHash };
      const common = { group, version, priority, ...documented };
      return isStale
        ? { ...common, freshness: 'Stale', resources: [] }
        : { ...common, freshness: 'Current', resources };
    });
  }

  /** hot: serves the group versions of other servers, which take precedence over custom resources. */
  readonly delegate: Delegate = info => {
    if (this.#versions.size === 0) return undefined;
    const groupVersion = groupVersionIn(info);
    const found = groupVersion === undefined ? undefined : this.#versions.get(groupVersion);
    return found && (context => this.#serve(context, found));
  };

  changed(name: string, api: APIService | undefined): void {
    const { group = '', version = '' } = api?.spec ?? {};
    const reference = api && serverReference(api);
    const before = this.#names.get(name);
    this.#names.delete(name);
    const isOurs = reference && group !== '' && !this.#isBuiltIn(group, version);
    const after = isOurs ? `${group}/${version}` : undefined;
    if (before !== undefined && before !== after) {
      this.#versions.delete(before);
      this.#discovery.forget(before);
      this.#discovered();
    }
    if (!reference || after === undefined) return;
    const { groupPriorityMinimum = 0, versionPriority = 0 } = api.spec ?? {};
    const isAvailable = isConditionTrue(api.status?.conditions, 'Available');
    const priority = { group: groupPriorityMinimum, version: versionPriority };
    const old = this.#versions.get(after);
    this.#names.set(name, after);
    this.#versions.set(after, { group, version, reference, isAvailable, priority });
    this.#discovery.follow(after, { group, version, reference, isAvailable });
    if (JSON.stringify(old?.priority) !== JSON.stringify(priority)) this.#discovered();
  }

  check(api: APIService, signal: AbortSignal): Promise<string | undefined> {
    return checkAvailability(this.#connections, api, signal);
  }

  /** Ends all requests to other servers. */
  async close(): Promise<void> {
    await this.#connections.close();
    await this.#discovery.idle();
  }

  #discovered(): void {
    this.#generation++;
    for (const listener of this.#listeners) listener();
  }

  async #serve(context: RequestContext, { reference, isAvailable }: AggregatedVersion): Promise<void> {
    if (proxiesBefore(context.exchange) >= maxProxies)
      return respondError(context, 508, 'the request was forwarded by too many proxies');
    const origin = isAvailable ? await this.#connections.originOf(reference).catch(() => undefined) : undefined;
    if (origin === undefined) return respondError(context, 503, 'service unavailable');
    let target: Target;
    try {
      target = this.#connections.targetAt(reference, origin);
    } catch (error) {
      return respondError(context, 500, errorText(error));
    }
    const { exchange, user } = context;
    const bytes = await context.wholeBody;
    const body = bytes && { body: { bytes, type: undefined } };
    try {
      const forwardedHost = new URL(origin).host;
      await forward(context, { target, path: exchange.path, identity: remoteUser(user), forwardedHost, ...body });
    } catch (error) {
      if (exchange.answered) throw error;
      // as apimachinery/pkg/util/proxy Transport.RoundTrip, and the responder of the handler
      respondError(context, 503, `error trying to reach service: ${errorText(error)}`);
    }
  }
}
