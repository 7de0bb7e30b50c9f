import { pathNotFound } from '../../apimachinery/errors/status.js';
import type { Delegate, RequestContext } from '../../apiserver/interface.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import type { Catalogue } from '../../registry/interface.js';
import type { TokenRate } from '../../lib/token-bucket.js';
import type { TunnelRoutes } from '../interface.js';
import type { Authorizer } from '../../registry/access.js';
import { createMembers } from '../members/members.js';
import { startBackendStores } from './backend-stores.js';
import { createCaches } from './caches.js';
import { createProxying, type ProxyingDeps } from './proxying.js';
import { serveSearch } from './search-cache.js';

interface Search {
  readonly delegates: readonly Delegate[];
  close(): Promise<void>;
}

interface SearchDeps extends Omit<ProxyingDeps, 'caches' | 'client'> {
  readonly catalogue: Catalogue;
  /** Decides which objects a query of a user may find. */
  readonly authorize: Authorizer;
  readonly settings: SearchSettings;
  /** The rate of requests to each member, without watches; undefined: no limit. */
  readonly memberRate: TokenRate | undefined;
  readonly tunnels?: TunnelRoutes | undefined;
}

/** What karmada-search does. */
export interface SearchSettings {
  /** Serves `search`, and fills backend stores. */
  readonly search: boolean;
  /** Serves `proxying`. */
  readonly proxy: boolean;
  /** Fills backend stores: one process of several does. */
  readonly backends: boolean;
}

// as pkg/search/apiserver.go New, which serves neither path then
const disabled = (): never => {
  throw pathNotFound();
};

/** Starts karmada-search. It runs until the context's signal aborts; `close` closes the connections to the members. */
export function createSearch(context: ControllerContext, deps: SearchDeps): Search {
  const { catalogue, authorize, settings } = deps;
  const { client } = context;
  const members = createMembers(client, 'karmada-search', {
    ...{ meter: context.meter, rate: deps.memberRate, tunnels: deps.tunnels, memoryLimit: deps.memoryLimit },
  });
  const caches = createCaches(context, { catalogue, members, indexesText: settings.search });
  if (settings.search || settings.proxy) caches.run();
  const closeBackends =
    settings.search && settings.backends ? startBackendStores(context, { caches, catalogue }) : undefined;
  const searches = async (context: RequestContext): Promise<void> => {
    await caches.started;
    return serveSearch(context, { caches, catalogue, authorize });
  };
  const proxies = createProxying({ ...deps, caches, client });
  const isOurs = (group: string, version: string): boolean => group === 'search.karmada.io' && version === 'v1alpha1';
  // A path below /watch/ is authorized as a watch, and none is served.
  const search: Delegate = ({ group, version, resource, name, verbInPath }) =>
    isOurs(group, version) && resource === 'search' && name !== '' && !verbInPath
      ? settings.search
        ? searches
        : disabled
      : undefined;
  const proxying: Delegate = ({ group, version, resource, subresource, verbInPath }) =>
    isOurs(group, version) && resource === 'proxying' && subresource === 'proxy' && !verbInPath
      ? settings.proxy
        ? proxies
        : disabled
      : undefined;
  return {
    delegates: [search, proxying],
    async close() {
      await closeBackends?.();
      await members.close();
    },
  };
}
